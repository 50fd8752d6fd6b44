package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vedette-io/vedette/wire"
)

// Patch is a change of an object that the server makes. JSONPatch, MergePatch
// and StrategicPatch make one.
type Patch struct {
	kind types.PatchType
	data []byte
	err  error
}

// JSONPatch is a list of operations (RFC 6902). v is encoded as JSON; []byte and
// json.RawMessage are taken for JSON.
func JSONPatch(v any) Patch { return newPatch(types.JSONPatchType, v, '[') }

// MergePatch is what shall be different (RFC 7386): null removes a member, and a
// list takes the place of a list. v is encoded as JSON; []byte and
// json.RawMessage are taken for JSON.
func MergePatch(v any) Patch { return newPatch(types.MergePatchType, v, '{') }

// StrategicPatch is a merge patch in which lists are merged by the key that the
// type has for them. Only built-in types take it. v is encoded as JSON; []byte
// and json.RawMessage are taken for JSON.
func StrategicPatch(v any) Patch { return newPatch(types.StrategicMergePatchType, v, '{') }

func newPatch(kind types.PatchType, v any, begins byte) Patch {
	data, raw := v.([]byte)
	if !raw {
		var err error
		if data, err = json.Marshal(v); err != nil {
			return Patch{err: &IllegalError{Problem: fmt.Sprintf("the patch can not be encoded: %v", err)}}
		}
	}
	if text := bytes.TrimSpace(data); len(text) == 0 || text[0] != begins || !json.Valid(text) {
		return Patch{err: &IllegalError{Problem: fmt.Sprintf("a %s in JSON begins with %c, and this one is %.60q", kind, begins, data)}}
	}
	return Patch{kind: kind, data: data}
}

// Patch changes the object with a key, and returns it as the server has it. It
// needs no state that was read before, and meets no conflict unless the patch
// has a resourceVersion.
//
// Errors: *RequestError; apierrors.IsNotFound, apierrors.IsInvalid.
func (c *Client[T]) Patch(ctx context.Context, key wire.Key, p Patch) (*T, error) {
	return c.patch(ctx, key, p, "")
}

func (c *Client[T]) patch(ctx context.Context, key wire.Key, p Patch, sub string) (*T, error) {
	const verb = "patch"
	r, key, err := c.base().resolveObject(ctx, verb, key)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, c.requestError(verb, r, key, err)
	}
	a, err := c.send(ctx, r, call{
		verb: verb, method: http.MethodPatch, key: key, sub: sub, query: c.writeQuery(),
		body: p.data, contentType: string(p.kind), accept: c.accept(),
	})
	if err != nil {
		return nil, err
	}
	return c.decodeWritten(ctx, a, verb, key)
}

func (p Patch) check() error {
	if p.err == nil && p.kind == "" {
		return &IllegalError{Problem: "the patch is empty", Remedy: "make one with JSONPatch, MergePatch or StrategicPatch"}
	}
	return p.err
}

// Conflicts says what Apply does about fields that other managers own and that
// it would change.
type Conflicts uint8

const (
	// ReportConflicts changes nothing, and returns an error for which
	// apierrors.IsConflict holds, and which names fields and managers.
	ReportConflicts Conflicts = iota
	// ForceConflicts makes these fields the client's own: what controllers do.
	ForceConflicts
)

// Apply creates or changes an object by server-side apply: what obj has is set
// and owned by ClientConfig.FieldManager, which must be set; what the manager owned
// before and obj does not have is removed; nothing else changes. obj must have
// its apply intent only, and not what was read: its managedFields are left out.
// Fields of Go structs that have no omitempty are part of the intent; where that
// is a problem, use ApplyConfiguration or unstructured.Unstructured.
//
// Errors: *RequestError; apierrors.IsConflict.
func (c *Client[T]) Apply(ctx context.Context, obj *T, conflicts Conflicts) (*T, error) {
	return c.apply(ctx, obj, conflicts, "")
}

func (c *Client[T]) apply(ctx context.Context, obj *T, conflicts Conflicts, sub string) (*T, error) {
	r, _, err := c.writable(ctx, "patch", obj)
	if err != nil {
		return nil, err
	}
	text, err := marshalJSON(obj, r.kind())
	if err != nil {
		return nil, c.requestError("apply", r, wire.Key{}, err)
	}
	return c.applyJSON(ctx, r, text, conflicts, sub)
}

// ApplyConfiguration is Apply for the types of k8s.io/client-go/applyconfigurations
// and their like, in which every field is optional.
//
// Errors: as Apply.
func (c *Client[T]) ApplyConfiguration(ctx context.Context, cfg runtime.ApplyConfiguration, conflicts Conflicts) (*T, error) {
	r, err := c.base().resource(ctx, "patch")
	if err != nil {
		return nil, err
	}
	if isNil(cfg) {
		return nil, c.requestError("apply", r, wire.Key{}, &IllegalError{Problem: "the configuration is nil"})
	}
	text, err := marshalJSON(cfg, r.kind())
	if err != nil {
		return nil, c.requestError("apply", r, wire.Key{}, err)
	}
	return c.applyJSON(ctx, r, text, conflicts, "")
}

func (c *Client[T]) applyJSON(ctx context.Context, r Resource, text []byte, conflicts Conflicts, sub string) (*T, error) {
	key, body, err := c.intent(r, text)
	if err == nil && conflicts > ForceConflicts {
		err = &IllegalError{Problem: fmt.Sprintf("there is no way %d to deal with conflicts", conflicts)}
	}
	if err != nil {
		return nil, c.requestError("apply", r, key, err)
	}
	query := c.writeQuery()
	if conflicts == ForceConflicts {
		query.Set("force", "true")
	}
	a, err := c.send(ctx, r, call{
		verb: "apply", method: http.MethodPatch, key: key, sub: sub, query: query,
		body: body, contentType: string(types.ApplyPatchType), accept: c.accept(),
	})
	if err != nil {
		return nil, err
	}
	return c.decodeWritten(ctx, a, "apply", key)
}

// intent checks what is to be applied, and returns its key and what is sent.
func (e *endpoint) intent(r Resource, text []byte) (wire.Key, []byte, error) {
	u := unstructured.Unstructured{}
	if err := utiljson.Unmarshal(text, &u.Object); err != nil {
		return wire.Key{}, nil, &IllegalError{Problem: fmt.Sprintf("the object can not be read: %v", err)}
	}
	key := keyOf(&u)
	if err := checkName(key.Name); err != nil {
		return key, nil, err
	}
	if err := e.checkScope(r, key); err != nil {
		return key, nil, err
	}
	if got := u.GroupVersionKind(); got != r.kind() {
		return key, nil, &IllegalError{Problem: fmt.Sprintf("the object says that it is %v, and this is a client of %v", got, r.kind())}
	}
	if e.cfg.FieldManager == "" {
		return key, nil, &IllegalError{Problem: "apply needs to know who owns the fields", Remedy: "set ClientConfig.FieldManager"}
	}
	metadata, _ := u.Object["metadata"].(map[string]any) // it has the name
	if _, ok := metadata["managedFields"]; !ok {
		return key, text, nil
	}
	delete(metadata, "managedFields")
	text, err := json.Marshal(u.Object)
	return key, text, err
}

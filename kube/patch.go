package kube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/wire"
)

// Patch describes a change that the server makes to an object. Create it with JSONPatch,
// MergePatch, StrategicPatch or MergeFrom.
type Patch struct {
	kind types.PatchType
	data []byte
	err  error
	// difference is set for a patch of MergeFrom that replaces lists.
	difference *difference
}

// JSONPatch returns a patch from a list of operations (RFC 6902). v is encoded as JSON;
// []byte and json.RawMessage must be JSON already.
func JSONPatch(v any) Patch { return newPatch(types.JSONPatchType, v, '[') }

// MergePatch returns a patch from the members to change (RFC 7386). null removes a
// member, and a list replaces the whole list. v is encoded as JSON; []byte and
// json.RawMessage must be JSON already.
func MergePatch(v any) Patch { return newPatch(types.MergePatchType, v, '{') }

// StrategicPatch returns a merge patch that merges lists by the key that the type defines
// for them. Only built-in types support it. v is encoded as JSON; []byte and
// json.RawMessage must be JSON already.
func StrategicPatch(v any) Patch { return newPatch(types.StrategicMergePatchType, v, '{') }

func newPatch(kind types.PatchType, v any, begins byte) Patch {
	data, raw := v.([]byte)
	if !raw {
		var err error
		if data, err = json.Marshal(v); err != nil {
			return Patch{err: &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the patch cannot be encoded: %v", err)}}
		}
	}
	if text := bytes.TrimSpace(data); len(text) == 0 || text[0] != begins || !json.Valid(text) {
		return Patch{err: &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("a patch of type %s must begin with %c: got %.60q", kind, begins, data)}}
	}
	return Patch{kind: kind, data: data}
}

// Patch changes the object with a key and returns it as stored on the server. It needs no
// previous read, and causes a conflict only if the patch has a resourceVersion, or if it
// replaces a list and comes from MergeFrom.
//
// Errors: *RequestError; apierrors.IsNotFound, apierrors.IsInvalid.
func (c *Client[T]) Patch(ctx context.Context, key wire.Key, p Patch) (*T, error) {
	return c.patch(ctx, key, p, "")
}

func (c *Client[T]) patch(ctx context.Context, key wire.Key, p Patch, sub string) (*T, error) {
	const verb = "patch"
	r, key, err := c.endpointOrNil().resolveObject(ctx, verb, key)
	if err != nil {
		return nil, err
	}
	if err := p.check(); err != nil {
		return nil, c.requestError(verb, r, key, err)
	}
	if p.difference != nil {
		if p.data, err = c.completeDifference(ctx, r, key, *p.difference); err != nil {
			return nil, err
		}
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
		return &errcode.Error{Code: errcode.Invalid, Problem: "the patch is empty", Remedy: "create it with JSONPatch, MergePatch, StrategicPatch or MergeFrom"}
	}
	return p.err
}

// Conflicts determines how Apply treats fields that it would change and that other
// managers own.
type Conflicts uint8

const (
	// ReportConflicts changes nothing and returns an error for which apierrors.IsConflict
	// holds. The error lists the fields and their managers.
	ReportConflicts Conflicts = iota
	// ForceConflicts takes the ownership of these fields. Controllers normally use it.
	ForceConflicts
)

// Apply creates or changes an object by server-side apply. ClientConfig.FieldManager must
// be set; it becomes the owner of all fields in obj. Fields that the manager owned before
// and that obj does not have are removed. Nothing else changes. obj must contain only the
// intent of this manager, not an object as read from the server; Apply leaves out its
// managedFields. Fields of Go structs without omitempty are part of the intent. If that
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

// ApplyConfiguration is Apply for the types of k8s.io/client-go/applyconfigurations and
// similar types, in which every field is optional.
//
// Errors: as Apply.
func (c *Client[T]) ApplyConfiguration(ctx context.Context, cfg interface{ GetName() *string }, conflicts Conflicts) (*T, error) {
	r, err := c.endpointOrNil().resource(ctx, "patch")
	if err != nil {
		return nil, err
	}
	if isNil(cfg) {
		return nil, c.requestError("apply", r, wire.Key{}, &errcode.Error{Code: errcode.Invalid, Problem: "the configuration is nil"})
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
		err = &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the value %d of Conflicts is not valid", conflicts)}
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

// intent checks an object to apply, and returns its key and its encoding.
func (e *endpoint) intent(r Resource, text []byte) (wire.Key, []byte, error) {
	u := unstructured.Unstructured{}
	if err := utiljson.Unmarshal(text, &u.Object); err != nil {
		return wire.Key{}, nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the object cannot be decoded: %v", err)}
	}
	key := keyOf(&u)
	if err := checkName(key.Name); err != nil {
		return key, nil, err
	}
	if err := e.checkScope(r, key); err != nil {
		return key, nil, err
	}
	if got := u.GroupVersionKind(); got != r.kind() {
		return key, nil, &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the object is %v, but the client is for %v", got, r.kind())}
	}
	if e.cfg.FieldManager == "" {
		return key, nil, &errcode.Error{Code: errcode.Invalid, Problem: "Apply needs a field manager", Remedy: "set ClientConfig.FieldManager"}
	}
	metadata, _ := u.Object["metadata"].(map[string]any) // it has the name
	if _, ok := metadata["managedFields"]; !ok {
		return key, text, nil
	}
	delete(metadata, "managedFields")
	text, err := json.Marshal(u.Object)
	return key, text, err
}

package apitest

import (
	"encoding/json"
	"errors"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxPatchOperations is the maximum number of operations of a JSON patch, as on a real server.
const maxPatchOperations = 10_000

// servePatch applies the patch of a request body. created reports whether a server-side apply has created the object.
func (s *Server) servePatch(c *call) (rev *revision, created bool, err error) {
	data, media, err := readBody(c.handler)
	if err != nil {
		return nil, false, err
	}
	kind := types.PatchType(media)
	if kind != types.ApplyYAMLPatchType {
		if err := (patch{kind: kind}).check(c.table.res); err != nil {
			return nil, false, err
		}
	}
	if err := c.checkOptions(kind); err != nil {
		return nil, false, err
	}
	w := c.writing(c.handler.URL.Query()["dryRun"])
	if kind == types.ApplyYAMLPatchType {
		return s.serveApply(c, data, w)
	}
	p := patch{kind: kind, data: data, what: targetOf(c.Subresource), validate: c.validateFields}
	rev, err = s.patch(c.table, keyOf(c.Namespace, c.Name), p, w, s.finish(c))
	return rev, false, err
}

// patch is one patch of an object or its status.
type patch struct {
	kind types.PatchType
	data []byte
	what target
	// validate, if not nil, checks the fields of the patched document.
	validate func(document []byte) error
}

// patch applies a patch to the current state, again if another writer is faster. finish, if not nil, completes or rejects
// the result.
func (s *Server) patch(t *table, key string, p patch, w writing, finish finisher) (*revision, error) {
	if err := p.check(t.res); err != nil {
		return nil, err
	}
	return s.change(t, key, w, func(present Object) (Object, error) {
		next, err := p.apply(t.res, present)
		if err != nil {
			return nil, err
		}
		return merged(t.res, present, next, p.what, finish)
	})
}

// check rejects the kinds of patch that the type does not support. Server-side apply is not one of these kinds: it
// may create an object.
func (p patch) check(res *resource) error {
	switch p.kind {
	case types.ApplyPatchType, types.ApplyCBORPatchType:
		return unsupportedMediaType("server-side apply is accepted from clients, as YAML or JSON")
	case types.JSONPatchType, types.MergePatchType:
		return nil
	case types.StrategicMergePatchType:
		if res.builtin() {
			return nil
		}
	}
	return unsupportedMediaType(fmt.Sprintf("the body of the request was in an unknown format: %s does not take %q",
		res.Resource, p.kind))
}

// apply returns the patched object.
func (p patch) apply(res *resource, present Object) (Object, error) {
	before := present
	if res.builtin() {
		before = present.DeepCopyObject().(Object)
		before.GetObjectKind().SetGroupVersionKind(res.GroupVersionKind())
	}
	doc, err := json.Marshal(before)
	if err != nil {
		return nil, err
	}
	empty, err := res.newObject()
	if err != nil {
		return nil, err
	}
	if doc, err = p.applyTo(res, doc, empty); err != nil {
		return nil, err
	}
	if p.validate != nil {
		if err := p.validate(doc); err != nil {
			return nil, err
		}
	}
	next, err := parseObject(res, doc)
	if err != nil {
		return nil, apierrors.NewInvalid(schema.GroupKind{}, "", field.ErrorList{field.Invalid(field.NewPath("patch"), string(doc), err.Error())})
	}
	if uid := next.GetUID(); uid != "" && uid != present.GetUID() {
		return nil, invalid(res, present.GetName(), field.Invalid(field.NewPath("metadata", "uid"), uid, "field is immutable"))
	}
	return next, nil
}

// applyTo patches a document; like is an empty object of its type, for strategic merge patches.
func (p patch) applyTo(res *resource, doc []byte, like any) ([]byte, error) {
	switch p.kind {
	case types.JSONPatchType:
		operations, err := jsonpatch.DecodePatch(p.data)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		if len(operations) > maxPatchOperations {
			return nil, apierrors.NewRequestEntityTooLargeError(fmt.Sprintf(
				"The allowed maximum operations in a JSON patch is %d, got %d", maxPatchOperations, len(operations),
			))
		}
		patched, err := operations.Apply(doc)
		if errors.Is(err, jsonpatch.ErrTestFailed) {
			return nil, invalid(res, "", field.Invalid(field.NewPath("patch"), string(p.data), err.Error()))
		}
		if err != nil {
			return nil, apierrors.NewGenericServerResponse(422, "patch", res.groupResource(), "", err.Error(), 0, false)
		}
		return patched, nil
	case types.StrategicMergePatchType:
		patched, err := strategicpatch.StrategicMergePatch(doc, p.data, like)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return patched, nil
	default:
		var members map[string]json.RawMessage
		if err := json.Unmarshal(p.data, &members); err != nil {
			return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
		}
		patched, err := jsonpatch.MergePatch(doc, p.data)
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return patched, nil
	}
}

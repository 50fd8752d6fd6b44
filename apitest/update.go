package apitest

import (
	"fmt"
	"slices"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// target is the part of an object that an update changes.
type target int

const (
	mainResource target = iota
	statusOnly
	everything // only for Modify
)

func targetOf(subresource string) target {
	if subresource == statusSubresource {
		return statusOnly
	}
	return mainResource
}

// serveCreate creates the object of a request body.
func (s *Server) serveCreate(c *call) (*revision, error) {
	if err := c.checkOptions(""); err != nil {
		return nil, err
	}
	w := c.writing(c.handler.URL.Query()["dryRun"])
	obj, err := readObject(c)
	if err != nil {
		return nil, err
	}
	if err := place(c, obj); err != nil {
		return nil, err
	}
	return s.createFor(c, obj, w)
}

// place sets the namespace of an object to that of the path, and rejects a different one.
func place(c *call, obj Object) error {
	emptyMetadata(obj)
	if obj.GetNamespace() == "" && c.Namespace != "" {
		obj.SetNamespace(c.Namespace)
	}
	if obj.GetNamespace() != c.Namespace {
		return apierrors.NewBadRequest(fmt.Sprintf("the namespace of the provided object (%s) does not match the "+
			"namespace sent on the request (%s)", obj.GetNamespace(), c.Namespace))
	}
	return nil
}

// serveUpdate replaces an object, or its status, by the object of a request body. created reports whether it has created
// the object, as updates of some types do.
func (s *Server) serveUpdate(c *call) (rev *revision, created bool, err error) {
	if err := c.checkOptions(""); err != nil {
		return nil, false, err
	}
	w := c.writing(c.handler.URL.Query()["dryRun"])
	next, err := readObject(c)
	if err != nil {
		return nil, false, err
	}
	if err := place(c, next); err != nil {
		return nil, false, err
	}
	if next.GetName() != c.Name {
		return nil, false, apierrors.NewBadRequest(fmt.Sprintf("the name of the object (%s) does not match the name on the URL (%s)",
			next.GetName(), c.Name))
	}
	rev, err = s.update(c.table, next, targetOf(c.Subresource), w, s.finish(c))
	if !apierrors.IsNotFound(err) || c.Subresource != "" || !createdByUpdate.Has(c.table.res.GroupVersionKind().GroupKind()) {
		return rev, false, err
	}
	if err := s.checkNamespace(c); err != nil {
		return nil, false, err
	}
	next.SetResourceVersion("")
	rev, err = s.createFor(c, next, w)
	return rev, true, err
}

// createFor creates an object that a client has sent.
func (s *Server) createFor(c *call, obj Object, w writing) (*revision, error) {
	err := c.admit(obj)
	if err == nil && s.cfg.Ownership == OwnershipAlways {
		obj, err = c.own(nil, obj)
	}
	if err != nil {
		return nil, err
	}
	return s.create(c.table, obj, fromClient, w)
}

// update replaces the object with the name of next. finish, if not nil, completes or rejects the result.
func (s *Server) update(t *table, next Object, what target, w writing, finish finisher) (*revision, error) {
	if next.GetResourceVersion() == "" && !t.res.builtin() {
		return nil, invalid(t.res, next.GetName(),
			field.Invalid(field.NewPath("metadata", "resourceVersion"), "", "must be specified for an update"))
	}
	return s.change(t, keyOf(next.GetNamespace(), next.GetName()), w, func(present Object) (Object, error) {
		// An attempt changes the object, and there may be several attempts.
		fresh, err := t.res.toStored(next)
		if err != nil {
			return nil, err
		}
		return merged(t.res, present, fresh, what, finish)
	})
}

// finisher completes or rejects the result of a client's write: before is the object before it.
type finisher func(before, next Object) (Object, error)

// merged is merge, followed by finish if it is not nil. It changes present and next.
func merged(res *resource, present, next Object, what target, finish finisher) (Object, error) {
	if finish == nil {
		return res.merge(present, next, what)
	}
	before, ok := present.DeepCopyObject().(Object)
	if !ok {
		return nil, fmt.Errorf("%w: %T", ErrUnknownType, present)
	}
	next, err := res.merge(present, next, what)
	if err != nil {
		return nil, err
	}
	return finish(before, next)
}

// merge returns the object that an update to next produces: the server owns parts of the metadata, and the status may
// have its own path. It changes present and next.
func (r *resource) merge(present, next Object, what target) (Object, error) {
	gr, name := r.groupResource(), present.GetName()
	if v := next.GetResourceVersion(); v != "" {
		if _, err := strconv.ParseUint(v, 10, 64); err != nil {
			return nil, unknownError(err.Error())
		}
	}
	if v := next.GetResourceVersion(); v != "" && v != present.GetResourceVersion() {
		return nil, apierrors.NewConflict(gr, name, errConflict)
	}
	if uid := next.GetUID(); uid != "" && uid != present.GetUID() {
		return nil, apierrors.NewConflict(gr, name,
			fmt.Errorf("precondition failed: UID in precondition: %s, UID in object meta: %s", uid, present.GetUID()))
	}
	if next.GetName() != name || next.GetNamespace() != present.GetNamespace() {
		return nil, invalid(r, name, field.Invalid(field.NewPath("metadata", "name"), next.GetName(), "field is immutable"))
	}
	if what == statusOnly {
		r.moveStatus(present, next)
		if r.builtin() { // as on a real server, which keeps only the specification, and the labels of a Deployment
			present.SetAnnotations(next.GetAnnotations())
			if r.Kind != "Deployment" {
				present.SetLabels(next.GetLabels())
			}
		}
		return present, nil
	}
	if what == mainResource && r.Status {
		r.moveStatus(next, present)
	}
	next.SetUID(present.GetUID())
	next.SetSelfLink(present.GetSelfLink())
	next.SetCreationTimestamp(present.GetCreationTimestamp())
	next.SetDeletionTimestamp(present.GetDeletionTimestamp())
	next.SetDeletionGracePeriodSeconds(present.GetDeletionGracePeriodSeconds())
	next.SetGeneration(present.GetGeneration())
	if present.GetDeletionTimestamp() != nil {
		for _, finalizer := range next.GetFinalizers() {
			if !slices.Contains(present.GetFinalizers(), finalizer) {
				return nil, invalid(r, name, field.Forbidden(field.NewPath("metadata", "finalizers"),
					"no new finalizers can be added if the object is being deleted"))
			}
		}
	}
	same, err := r.sameSpec(present, next)
	if err == nil && !same && r.generation {
		next.SetGeneration(present.GetGeneration() + 1)
	}
	return next, err
}

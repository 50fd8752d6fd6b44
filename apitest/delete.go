package apitest

import (
	"errors"
	"fmt"
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// deletion is the result of deleting an object.
type deletion int

const (
	goneNow deletion = iota
	awaitsFinalizers
)

// delete removes an object, or marks it for removal if it has finalizers. It returns the last state, or the marked one.
// The grace period is accepted and ignored, and so is the propagation policy without Config.GarbageCollection.
func (s *Server) delete(t *table, key string, o metav1.DeleteOptions, w writing) (*revision, deletion, error) {
	if err := s.garbage.propagate(t, key, o, w.dry); err != nil {
		return nil, goneNow, err
	}
	for range maxAttempts {
		before, err := s.find(t, key)
		if err != nil {
			return nil, goneNow, err
		}
		rev, outcome, err := s.deleteOnce(t, before, o.Preconditions, w)
		if err == nil && outcome == awaitsFinalizers {
			s.garbage.marked(t, rev)
		}
		if !errors.Is(err, errConflict) {
			return rev, outcome, err
		}
	}
	return nil, goneNow, apierrors.NewConflict(t.res.groupResource(), nameOf(key), errConflict)
}

// deleteOnce attempts the deletion against one state.
func (s *Server) deleteOnce(t *table, before *revision, p *metav1.Preconditions, w writing) (*revision, deletion, error) {
	obj, err := before.object()
	if err != nil {
		return nil, goneNow, err
	}
	if err := checkPreconditions(t.res, obj, p); err != nil {
		return nil, goneNow, err
	}
	if len(obj.GetFinalizers()) == 0 {
		return before, goneNow, s.remove(t, before, w)
	}
	if obj.GetDeletionTimestamp() != nil {
		return before, awaitsFinalizers, nil
	}
	stamp, grace := s.now(), int64(0)
	obj.SetDeletionTimestamp(&stamp)
	obj.SetDeletionGracePeriodSeconds(&grace)
	if t.res.generation {
		obj.SetGeneration(obj.GetGeneration() + 1)
	}
	rev, err := s.commit(t, before, obj, w)
	return rev, awaitsFinalizers, err
}

func checkPreconditions(res *resource, obj Object, p *metav1.Preconditions) error {
	if p == nil {
		return nil
	}
	if p.UID != nil && *p.UID != obj.GetUID() {
		return apierrors.NewConflict(res.groupResource(), obj.GetName(),
			fmt.Errorf("precondition failed: UID in precondition: %s, UID in object meta: %s", *p.UID, obj.GetUID()))
	}
	if p.ResourceVersion != nil && *p.ResourceVersion != obj.GetResourceVersion() {
		return apierrors.NewConflict(res.groupResource(), obj.GetName(),
			fmt.Errorf("precondition failed: ResourceVersion in precondition: %s, ResourceVersion in object meta: %s",
				*p.ResourceVersion, obj.GetResourceVersion()))
	}
	return nil
}

// serveDelete answers with a Status if the object was removed, and with the object if it waits for its finalizers.
func (s *Server) serveDelete(w http.ResponseWriter, c *call) {
	o, err := readDeleteOptions(c.handler)
	if err != nil {
		s.fail(w, c, err)
		return
	}
	how := c.writing(o.DryRun)
	rev, outcome, err := s.delete(c.table, keyOf(c.Namespace, c.Name), o, how)
	if err != nil || outcome == awaitsFinalizers {
		s.respond(w, c, http.StatusOK, rev, err)
		return
	}
	obj, err := rev.object()
	if err != nil {
		s.fail(w, c, err)
		return
	}
	s.sendStatus(w, c, http.StatusOK, metav1.Status{
		Status: metav1.StatusSuccess,
		Details: &metav1.StatusDetails{
			Name: c.Name, Group: c.Resource.Group, Kind: c.Resource.Resource, UID: obj.GetUID(),
		},
	})
}

// serveDeleteCollection deletes the selected objects, one by one, and answers with their list.
func (s *Server) serveDeleteCollection(w http.ResponseWriter, c *call) {
	o, err := readDeleteOptions(c.handler)
	if err != nil {
		s.fail(w, c, err)
		return
	}
	how := c.writing(o.DryRun)
	p, err := s.list(c.table, c.choice, c.list)
	if err != nil {
		s.fail(w, c, err)
		return
	}
	for _, rev := range p.revs {
		// The object may have been deleted by another client in the meantime.
		if _, _, err := s.delete(c.table, rev.key(), o, how); err != nil && !apierrors.IsNotFound(err) {
			s.fail(w, c, err)
			return
		}
	}
	p.meta.ResourceVersion = formatVersion(s.Version())
	s.sendList(w, c, p)
}

package apitest

import (
	"bytes"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/watch"
)

// maxAttempts is the maximum number of times that a change is computed because another writer was faster.
const maxAttempts = 100

// errConflict means that a change was computed from a state that is no longer the current one.
var errConflict = errors.New("the object has been modified; please apply your changes to the latest version and try again")

// writing is how a write is made.
type writing struct {
	dry bool     // nothing is stored
	by  *Request // of the client; nil for a method of Server
}

// byTest is a write by a method of Server.
var byTest = writing{}

// writing reads the dryRun parameter of a client's write, which checkOptions has checked.
func (c *call) writing(dryRun []string) writing {
	return writing{by: &c.Request, dry: len(dryRun) > 0}
}

// record keeps a write of a client.
func (s *Server) record(by *Request, e *event) {
	if by == nil {
		return
	}
	request := *by
	request.Namespace, request.Name = e.now.namespace, e.now.name
	s.logMu.Lock()
	defer s.logMu.Unlock()
	s.writes.add(record{request, e})
}

// find returns the current state of an object.
func (s *Server) find(t *table, key string) (*revision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rev := t.get(key); rev != nil {
		return rev, nil
	}
	return nil, apierrors.NewNotFound(t.res.groupResource(), nameOf(key))
}

// commit makes obj the state that follows before, which is nil for a new object, and returns its revision. It sets the
// version of obj, and does not keep obj.
func (s *Server) commit(t *table, before *revision, obj Object, w writing) (*revision, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.get(keyOf(obj.GetNamespace(), obj.GetName())) != before {
		return nil, errConflict
	}
	if t.ended {
		return nil, errNotFound
	}
	version := s.version + 1
	setVersion(obj, version)
	rev, err := newRevision(t.res, obj, version)
	if err != nil || w.dry {
		return rev, err
	}
	kind := watch.Modified
	if before == nil {
		kind = watch.Added
	}
	s.version = version
	e := &event{kind: kind, version: version, now: rev, before: before}
	t.apply(e)
	s.record(w.by, e)
	return rev, nil
}

// removeLocked deletes an object; the event carries its last state at the version of the deletion.
func (s *Server) removeLocked(t *table, before *revision, by *Request) error {
	last, err := before.atVersion(s.version + 1)
	if err != nil {
		return err
	}
	s.version++
	e := &event{kind: watch.Deleted, version: s.version, now: last, before: before}
	t.apply(e)
	s.record(by, e)
	if t.res.hasLog() {
		pod, err := last.object()
		if err != nil {
			return err
		}
		s.podLogs.forget(pod.GetUID())
	}
	return nil
}

// remove deletes an object if before is still its current state.
func (s *Server) remove(t *table, before *revision, w writing) error {
	s.mu.Lock()
	var err error
	switch {
	case t.get(before.key()) != before:
		err = errConflict
	case !w.dry:
		err = s.removeLocked(t, before, w.by)
	}
	s.mu.Unlock()
	if err == nil && !w.dry {
		s.garbage.removed(before)
	}
	return err
}

// change replaces an object by the result of compute for its current state, again until no other writer interferes.
// compute gets its own copy. The result is the new state, or the current one if nothing changed.
func (s *Server) change(t *table, key string, w writing, compute func(now Object) (Object, error)) (*revision, error) {
	for range maxAttempts {
		before, err := s.find(t, key)
		if err != nil {
			return nil, err
		}
		object, err := before.object()
		if err != nil {
			return nil, err
		}
		next, err := compute(object)
		if err != nil {
			return nil, err
		}
		if err := s.validate(before, next, w); err != nil {
			return nil, err
		}
		rev, err := s.replace(t, before, next, w)
		if !errors.Is(err, errConflict) {
			return rev, err
		}
	}
	return nil, apierrors.NewConflict(t.res.groupResource(), nameOf(key), errConflict)
}

// validate rejects a state that the schema of its type does not allow, and metadata of a client that no server accepts.
func (s *Server) validate(before *revision, next Object, w writing) error {
	if before.res.schema == nil && w.by == nil {
		return nil
	}
	was, err := before.object()
	if err != nil {
		return err
	}
	if w.by != nil {
		setVersion(next, before.version)
		if err := before.res.checkMetadataUpdate(was, next); err != nil {
			return err
		}
	}
	return before.res.validate(was, next)
}

// replace commits a changed object, or deletes it if it only waited for its last finalizer.
func (s *Server) replace(t *table, before *revision, next Object, w writing) (*revision, error) {
	setVersion(next, before.version)
	raw, err := t.res.encode(next)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(raw, before.raw) {
		return before, nil
	}
	if next.GetDeletionTimestamp() != nil && len(next.GetFinalizers()) == 0 {
		last, err := newRevision(t.res, next, before.version)
		if err != nil {
			return nil, err
		}
		return last, s.remove(t, before, w)
	}
	return s.commit(t, before, next, w)
}

// nameOf returns the name in a key.
func nameOf(key string) string {
	for i := len(key) - 1; i >= 0; i-- {
		if key[i] == '/' {
			return key[i+1:]
		}
	}
	return key
}

// emptyMetadata adds metadata to a custom object that has none.
func emptyMetadata(obj Object) {
	if u, ok := obj.(*unstructured.Unstructured); ok && u.Object["metadata"] == nil {
		u.Object["metadata"] = map[string]any{}
	}
}

package apitest

import (
	"bytes"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"
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

// writing reads the dryRun parameter of a client's write.
func (c *call) writing(dryRun []string) (writing, error) {
	w := writing{by: &c.Request}
	switch {
	case len(dryRun) == 0:
		return w, nil
	case len(dryRun) == 1 && dryRun[0] == metav1.DryRunAll:
		w.dry = true
		return w, nil
	}
	return w, apierrors.NewBadRequest(fmt.Sprintf("invalid dryRun value %q", dryRun))
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
	defer s.mu.Unlock()
	switch {
	case t.get(before.key()) != before:
		return errConflict
	case w.dry:
		return nil
	}
	return s.removeLocked(t, before, w.by)
}

// creator distinguishes the origins of a new object.
type creator int

const (
	fromClient creator = iota // over HTTP: a status is dropped, as servers do
	fromTest                  // through Create: the status is stored, so that tests can begin in any state
)

// create adds an object, which then belongs to the server.
func (s *Server) create(t *table, obj Object, from creator, w writing) (*revision, error) {
	if err := checkNew(t.res, obj, w); err != nil {
		return nil, err
	}
	generated := obj.GetName() == ""
	obj.SetUID(uuid.NewUUID())
	obj.SetCreationTimestamp(s.now())
	obj.SetDeletionTimestamp(nil)
	obj.SetDeletionGracePeriodSeconds(nil)
	obj.SetGeneration(0)
	if t.res.generation {
		obj.SetGeneration(1)
	}
	if from == fromClient && t.res.Status {
		empty, err := t.res.newObject()
		if err != nil {
			return nil, err
		}
		t.res.moveStatus(obj, empty)
	}
	initStatus(obj)
	for range maxAttempts {
		if generated {
			obj.SetName(obj.GetGenerateName() + rand.String(5))
		}
		rev, err := s.commit(t, nil, obj, w)
		if !errors.Is(err, errConflict) {
			return rev, err
		}
		if !generated {
			break
		}
	}
	return nil, apierrors.NewAlreadyExists(t.res.groupResource(), obj.GetName())
}

// initStatus sets the first phase of an object of those types whose selectors and controllers need a phase.
func initStatus(obj Object) {
	switch o := obj.(type) {
	case *corev1.Pod:
		if o.Status.Phase == "" {
			o.Status.Phase = corev1.PodPending
		}
	case *corev1.Namespace:
		if o.Status.Phase == "" {
			o.Status.Phase = corev1.NamespaceActive
		}
	}
}

// now is the current time in the form of objects: whole seconds in UTC.
func (s *Server) now() metav1.Time { return metav1.NewTime(s.cfg.Now().UTC().Truncate(time.Second)) }

// checkNew rejects an object that cannot be created.
func checkNew(res *resource, obj Object, w writing) error {
	name := obj.GetName()
	switch {
	case obj.GetResourceVersion() != "" && !w.dry: // only the storage of a real server checks it
		return apierrors.NewBadRequest("resourceVersion should not be set on objects to be created")
	case name == "" && obj.GetGenerateName() == "":
		return invalid(res, name, field.Required(field.NewPath("metadata", "name"), "name or generateName is required"))
	case res.Namespaced && obj.GetNamespace() == "":
		return apierrors.NewBadRequest("an empty namespace may not be set during creation")
	case !res.Namespaced && obj.GetNamespace() != "":
		return invalid(res, name, field.Forbidden(field.NewPath("metadata", "namespace"), "not allowed on this type"))
	}
	for what, text := range map[string]string{"name": name, "namespace": obj.GetNamespace()} {
		for _, problem := range content.IsPathSegmentName(text) {
			return invalid(res, name, field.Invalid(field.NewPath("metadata", what), text, problem))
		}
	}
	return nil
}

func invalid(res *resource, name string, problems ...*field.Error) error {
	return apierrors.NewInvalid(res.GroupVersionKind().GroupKind(), name, problems)
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
		rev, err := s.replace(t, before, next, w)
		if !errors.Is(err, errConflict) {
			return rev, err
		}
	}
	return nil, apierrors.NewConflict(t.res.groupResource(), nameOf(key), errConflict)
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

package apitest

import (
	"errors"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation/path"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

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
	if generated {
		generateName(obj)
	}
	obj.SetUID(uuid.NewUUID())
	obj.SetCreationTimestamp(s.now())
	obj.SetDeletionTimestamp(nil)
	obj.SetDeletionGracePeriodSeconds(nil)
	obj.SetSelfLink("")
	if t.res.generation {
		obj.SetGeneration(1)
	}
	if from == fromClient {
		if err := t.res.checkMetadata(obj); err != nil {
			return nil, err
		}
	}
	if from == fromClient && t.res.Status {
		empty, err := t.res.newObject()
		if err != nil {
			return nil, err
		}
		t.res.moveStatus(obj, empty)
	}
	initStatus(obj)
	if err := t.res.validate(nil, obj); err != nil {
		return nil, err
	}
	for range maxAttempts {
		rev, err := s.commit(t, nil, obj, w)
		if err == nil {
			s.garbage.created(t, rev, w.dry)
		}
		if !errors.Is(err, errConflict) {
			return rev, err
		}
		if !generated {
			break
		}
		generateName(obj)
	}
	return nil, apierrors.NewAlreadyExists(t.res.groupResource(), obj.GetName())
}

// generateName sets the name of an object that has only the beginning of one.
func generateName(obj Object) {
	base := obj.GetGenerateName()
	obj.SetName(base[:min(len(base), maxGeneratedBase)] + rand.String(5))
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
	case obj.GetResourceVersion() != "" && obj.GetResourceVersion() != "0" && !w.dry: // only the storage of a real server checks it
		return unknownError("resourceVersion should not be set on objects to be created")
	case name == "" && obj.GetGenerateName() == "":
		return invalid(res, name, field.Required(field.NewPath("metadata", "name"), "name or generateName is required"))
	case res.Namespaced && obj.GetNamespace() == "":
		return apierrors.NewBadRequest("an empty namespace may not be set during creation")
	case !res.Namespaced && obj.GetNamespace() != "":
		return invalid(res, name, field.Forbidden(field.NewPath("metadata", "namespace"), "not allowed on this type"))
	}
	for what, text := range map[string]string{"name": name, "namespace": obj.GetNamespace()} {
		for _, problem := range path.IsValidPathSegmentName(text) {
			return invalid(res, name, field.Invalid(field.NewPath("metadata", what), text, problem))
		}
	}
	return nil
}

package apitest

import (
	"fmt"
	"net/http"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// tableOf returns the table of an object's type.
func (s *Server) tableOf(obj Object) (*table, error) {
	gvk, err := kindOf(obj)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.kinds[gvk]; t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownType, gvk)
}

// toStored finds the table of an object and copies the object for it.
func (s *Server) toStored(obj Object) (*table, Object, error) {
	t, err := s.tableOf(obj)
	if err != nil {
		return nil, nil, err
	}
	own, err := t.res.toStored(obj)
	if err != nil {
		return nil, nil, err
	}
	emptyMetadata(own)
	return t, own, nil
}

// convertRevision returns a revision in the Go type of like.
func convertRevision(rev *revision, err error, like Object) (Object, error) {
	if err != nil {
		return nil, err
	}
	return rev.res.convertTo(rev.raw, like)
}

// Create creates an object without HTTP, and returns the stored object in the Go type of obj. Unlike for a client, the
// status is stored, so that a test can begin in any state. obj is only read.
//
// Errors: ErrUnknownType, and those of a server, such as AlreadyExists and Invalid.
func (s *Server) Create(obj Object) (Object, error) {
	t, own, err := s.toStored(obj)
	if err != nil {
		return nil, err
	}
	rev, err := s.create(t, own, fromTest, byTest)
	return convertRevision(rev, err, obj)
}

// Update replaces an object by the rules for clients: its resource version, if it has one, must be the current one, and
// the status stays unchanged if the type has that subresource. It returns the stored object. obj is only read.
//
// Errors: ErrUnknownType, and those of a server, such as NotFound and Conflict.
func (s *Server) Update(obj Object) (Object, error) { return s.updateObject(obj, mainResource) }

// UpdateStatus replaces only the status of an object. It returns the stored object. obj is only read.
//
// Errors: ErrUnknownType, and those of a server, such as NotFound and Conflict.
func (s *Server) UpdateStatus(obj Object) (Object, error) { return s.updateObject(obj, statusOnly) }

func (s *Server) updateObject(obj Object, what target) (Object, error) {
	t, own, err := s.toStored(obj)
	if err != nil {
		return nil, err
	}
	rev, err := s.update(t, own, what, byTest, nil)
	return convertRevision(rev, err, obj)
}

// Patch applies a JSON patch, a merge patch or, for a built-in type, a strategic merge patch to the object with the
// type, namespace and name of obj. It returns the stored object. obj is only read.
//
// Errors: ErrUnknownType, and those of a server, such as NotFound, BadRequest and UnsupportedMediaType.
func (s *Server) Patch(obj Object, kind types.PatchType, data []byte) (Object, error) {
	t, err := s.tableOf(obj)
	if err != nil {
		return nil, err
	}
	p := patch{kind: kind, data: data, what: mainResource}
	rev, err := s.patch(t, keyOf(obj.GetNamespace(), obj.GetName()), p, byTest, nil)
	return convertRevision(rev, err, obj)
}

// Modify changes an object, its status included, in one write. It passes the current state of the object with the type,
// namespace and name of obj to change, and returns the stored result. change is called again if another writer was
// faster, and must not write to the server itself. If it changes nothing, nothing is written.
//
// Errors: ErrUnknownType, and those of a server, such as NotFound.
func Modify[T Object](s *Server, obj T, change func(T)) (T, error) {
	var none T
	t, err := s.tableOf(obj)
	if err != nil {
		return none, err
	}
	rev, err := s.change(t, keyOf(obj.GetNamespace(), obj.GetName()), byTest, func(now Object) (Object, error) {
		return altered(t.res, now, obj, change)
	})
	result, err := convertRevision(rev, err, obj)
	if err != nil {
		return none, err
	}
	typed, ok := result.(T)
	if !ok {
		return none, fmt.Errorf("%w: %T", ErrUnknownType, result)
	}
	return typed, nil
}

// altered passes an object to change in the Go type of like, and merges the result.
func altered[T Object](res *resource, present Object, like T, change func(T)) (Object, error) {
	raw, err := res.encode(present)
	if err != nil {
		return nil, err
	}
	view, err := res.convertTo(raw, like)
	if err != nil {
		return nil, err
	}
	typed, ok := view.(T)
	if !ok {
		return nil, fmt.Errorf("%w: %T", ErrUnknownType, view)
	}
	change(typed)
	next, err := res.toStored(typed)
	if err != nil {
		return nil, err
	}
	return res.merge(present, next, everything)
}

// Delete deletes the object with the type, namespace and name of obj, or marks it if it has finalizers. It ignores the
// UID and the resource version of obj.
//
// Errors: ErrUnknownType, and NotFound.
func (s *Server) Delete(obj Object) error {
	t, err := s.tableOf(obj)
	if err != nil {
		return err
	}
	_, _, err = s.delete(t, keyOf(obj.GetNamespace(), obj.GetName()), metav1.DeleteOptions{}, byTest)
	return err
}

// Get returns the object with the type, namespace and name of obj, in the Go type of obj. The caller may change it.
//
// Errors: ErrUnknownType, and NotFound.
func (s *Server) Get(obj Object) (Object, error) {
	t, err := s.tableOf(obj)
	if err != nil {
		return nil, err
	}
	rev, err := s.find(t, keyOf(obj.GetNamespace(), obj.GetName()))
	return convertRevision(rev, err, obj)
}

// List returns the objects of the type of obj in a namespace, or in all namespaces if it is "". They have the Go type
// of obj, are ordered by namespace and name, and show one instant. The caller may change them.
//
// Errors: ErrUnknownType.
func (s *Server) List(obj Object, namespace string) ([]Object, error) {
	t, err := s.tableOf(obj)
	if err != nil {
		return nil, err
	}
	p, err := s.list(t, selection{namespace: namespace}, &internalversion.ListOptions{})
	if err != nil {
		return nil, err
	}
	objects := make([]Object, 0, len(p.revs))
	for _, rev := range p.revs {
		object, err := convertRevision(rev, nil, obj)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// WriteLog appends text to the log of a container's current run, as if the container wrote it now. The restart count in
// the pod's status identifies the run. The log of a run exists until its pod is deleted; above 10 MiB it is rotated. A
// container without a status counts as running.
//
// Errors: NotFound if the pod does not exist, BadRequest if it has no such container.
func (s *Server) WriteLog(namespace, pod, container, text string) error {
	return s.WriteLogAt(s.cfg.Now(), namespace, pod, container, text)
}

// WriteLogAt is WriteLog with the time of the lines.
//
// Errors: as WriteLog.
func (s *Server) WriteLogAt(at time.Time, namespace, pod, container, text string) error {
	obj, container, err := s.loggingPod(namespace, pod, container)
	if err != nil {
		return err
	}
	s.podLogs.write(obj.UID, liveRun(obj, container), at, text)
	return nil
}

// RotateLog begins a new file for the log of a container. Requests no longer get the earlier lines, and open streams
// lose those that they have not sent.
//
// Errors: as WriteLog.
func (s *Server) RotateLog(namespace, pod, container string) error {
	obj, container, err := s.loggingPod(namespace, pod, container)
	if err != nil {
		return err
	}
	s.podLogs.rotate(obj.UID, liveRun(obj, container))
	return nil
}

// CutLogs ends all open streams of logs. With CutClean they end as if the log were complete: the clients of an API
// server that loses its connection to the node see the same.
func (s *Server) CutLogs(how CutKind) {
	s.podLogs.cutAll(func(w http.ResponseWriter) {
		if how != CutClean {
			endConnection(w, how)
		}
	})
}

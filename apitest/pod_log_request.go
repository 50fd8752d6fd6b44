package apitest

import (
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// loggingPod returns a pod, and the name of one of its containers.
func (s *Server) loggingPod(namespace, name, container string) (*corev1.Pod, string, error) {
	s.mu.Lock()
	t := s.tables[schema.GroupVersionResource{Version: "v1", Resource: "pods"}]
	s.mu.Unlock()
	rev, err := s.find(t, keyOf(namespace, name))
	if err != nil {
		return nil, "", err
	}
	pod, err := podOf(rev)
	if err != nil {
		return nil, "", err
	}
	container, err = containerOf(pod, container)
	return pod, container, err
}

// podOf decodes the state of a pod.
func podOf(rev *revision) (*corev1.Pod, error) {
	obj, err := rev.object()
	if err != nil {
		return nil, err
	}
	pod, ok := obj.(*corev1.Pod)
	if !ok {
		return nil, fmt.Errorf("%w: %T has no log", ErrUnknownType, obj)
	}
	return pod, nil
}

// serveLog sends the log of one run of a container.
func (s *Server) serveLog(w http.ResponseWriter, c *call) {
	st, err := s.openLog(c)
	switch {
	case err != nil:
		s.fail(w, c, err)
		return
	case st == nil:
		w.WriteHeader(http.StatusNoContent) // no node has the pod yet
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	w.WriteHeader(http.StatusOK)
	flush := http.NewResponseController(w).Flush
	if flush() != nil {
		return
	}
	look := func() (*corev1.Pod, <-chan struct{}) {
		s.mu.Lock()
		rev, changed := c.table.get(keyOf(c.Namespace, c.Name)), c.table.wake
		s.mu.Unlock()
		if rev == nil {
			return nil, changed
		}
		pod, err := podOf(rev)
		if err != nil {
			return nil, changed
		}
		return pod, changed
	}
	st.deliver(w, flush, look, c.handler.Context().Done(), s.done)
}

// openLog checks a request for a log. The stream is nil if the pod has no node.
func (s *Server) openLog(c *call) (*logStream, error) {
	o, err := logOptions(c.handler.URL.Query())
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	if problems := checkLogOptions(o); len(problems) > 0 {
		return nil, apierrors.NewInvalid(schema.GroupKind{Kind: "PodLogOptions"}, c.Name, problems)
	}
	pod, container, err := s.loggingPod(c.Namespace, c.Name, o.Container)
	if err != nil {
		return nil, err
	}
	return newLogStream(&s.podLogs, o, pod, container)
}

package kube

import (
	"context"
	"errors"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// recovery tells the sources of a cluster that one of them gets answers again. The
// zero value is ready.
type recovery struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next recovery; nil: nobody has asked
}

// wait returns a channel that is closed by the next recovery.
func (r *recovery) wait() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil {
		r.next = make(chan struct{})
	}
	return r.next
}

// tell tells those who wait.
func (r *recovery) tell() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next != nil {
		close(r.next)
		r.next = nil
	}
}

// Recovered returns a channel that is closed when any source of the cluster gets an
// answer after a request of it has failed. It makes a Source a reflector.Recoverer.
func (s *Source) Recovered() <-chan struct{} { return s.cluster.recovery.wait() }

// fared notes how a request of the source fared, and tells its siblings when one
// succeeds after one has failed.
func (s *Source) fared(err error) {
	s.mu.Lock()
	recovered := err == nil && s.failing
	switch {
	case err == nil:
		s.failing = false
	case concernsSiblings(err):
		s.failing = true
	}
	s.mu.Unlock()
	if recovered {
		s.cluster.recovery.tell()
	}
}

// concernsSiblings reports whether other requests may fail for the same reason:
// the server is away, in trouble, or does not know rights and types yet.
func concernsSiblings(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false // somebody has stopped it
	}
	var refused apierrors.APIStatus
	if !errors.As(err, &refused) {
		return true
	}
	switch code := refused.Status().Code; code {
	case http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound:
		return true
	default:
		return code >= http.StatusInternalServerError
	}
}

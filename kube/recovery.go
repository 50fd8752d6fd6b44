package kube

import (
	"context"
	"errors"
	"net/http"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// recovery notifies the sources of a cluster when one of them gets answers again. The
// zero value is ready to use.
type recovery struct {
	mu   sync.Mutex
	next chan struct{} // closed by the next recovery; nil if nothing waits
}

// wait returns a channel that the next recovery closes.
func (r *recovery) wait() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == nil {
		r.next = make(chan struct{})
	}
	return r.next
}

// notify wakes all waiting goroutines.
func (r *recovery) notify() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next != nil {
		close(r.next)
		r.next = nil
	}
}

// Recovered returns a channel that is closed when any source of the cluster gets an
// answer after one of its requests has failed. It makes a Source a reflector.Recoverer.
func (s *Source) Recovered() <-chan struct{} { return s.cluster.recovery.wait() }

// recordOutcome records the outcome of a request of the source. When a request succeeds after a
// failure, it notifies the other sources.
func (s *Source) recordOutcome(err error) {
	s.mu.Lock()
	recovered := err == nil && s.failing
	switch {
	case err == nil:
		s.failing = false
	case mayAffectOthers(err):
		s.failing = true
	}
	s.mu.Unlock()
	if recovered {
		s.cluster.recovery.notify()
	}
}

// mayAffectOthers reports whether other requests may fail for the same reason: the
// server is unreachable or overloaded, or does not have its rights and types yet.
func mayAffectOthers(err error) bool {
	if errors.Is(err, context.Canceled) {
		return false // the caller canceled it
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

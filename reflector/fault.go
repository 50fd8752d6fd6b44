package reflector

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/wire"
)

// Fault is a kind of fault. Each kind has its own treatment.
type Fault uint8

const (
	// NoFault means that there is no fault.
	NoFault Fault = iota
	// Unreachable is a failed connection, a reset, a 5xx, silence, an overdue answer
	// (Config.SlowAnswer), or a damaged stream. It is retried with backoff; the watch
	// resumes at its last version.
	Unreachable
	// Throttled is a 429. It is retried when the server says so, but after at most
	// Config.MaxBackoff.
	Throttled
	// Denied is a 401 or 403. It is retried with backoff up to Config.SlowRetry: either
	// an administrator must grant the rights, or the server is still starting.
	Denied
	// Absent is a 404: the server does not serve the type at present. It is retried
	// like Denied. The type is then listed from scratch, because it may return with
	// other objects.
	Absent
	// Expired is a 410: the server no longer has the version. The type is listed from
	// scratch.
	Expired
	// Ahead means that the version is larger than any that the server has, as after a
	// restore from a backup. The type is listed from scratch.
	Ahead
	// Unsupported means that the server does not support this form of request, such as
	// a streaming list. It is retried like Denied.
	Unsupported
	// Stalled means that the server answers without progress. It ends watches before
	// any event, or sends the same page of a list again. It is retried with
	// backoff, and reported until the version advances, a list is complete or a watch
	// lasts.
	Stalled
	// Replaced means that another cluster answers at the address, or may do so: the
	// Source returned ErrReplaced. The type is listed from scratch, whatever version
	// the list has.
	Replaced
)

// ErrReplaced is the error that the Watch of a Source returns if the version does not,
// or may not, come from the server that answers. The reflector then lists the type from
// scratch.
var ErrReplaced = errors.New("the version may be that of another cluster")

// stalledError is the fault of a server whose answers bring no progress.
type stalledError string

// Error implements error.
func (e stalledError) Error() string { return string(e) }

// behindError is the fault of a server whose newest version is older than the known one.
type behindError struct{ newest, known wire.Version }

// Error implements error.
func (e *behindError) Error() string {
	return fmt.Sprintf("the newest version of the server is %s, older than the known version %s: was it restored from a backup?", e.newest, e.known)
}

// String returns the name of the fault in lowercase.
func (f Fault) String() string {
	names := [...]string{"none", "unreachable", "throttled", "denied", "absent", "expired", "ahead", "unsupported", "stalled", "replaced"}
	if int(f) < len(names) {
		return names[f]
	}
	return "unknown"
}

// slow returns the index of the fault's counter: 1 for faults that may need an
// administrator, 0 for all others.
func (f Fault) slow() int {
	switch f {
	case Denied, Absent, Unsupported:
		return 1
	}
	return 0
}

// shared reports whether other requests to the server may have the same fault, so that
// their recovery suggests that this one is over too.
func (f Fault) shared() bool { return f == Unreachable || f == Denied || f == Absent }

// classify returns the fault for an error, and how long the server asks to wait.
func classify(err error) (Fault, time.Duration) {
	if stalled := stalledError(""); errors.As(err, &stalled) {
		return Stalled, 0
	}
	if errors.Is(err, ErrReplaced) {
		return Replaced, 0
	}
	if behind := (*behindError)(nil); errors.As(err, &behind) {
		return Ahead, 0
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		return Unreachable, 0
	}
	s := status.Status()
	wait := time.Duration(0)
	if s.Details != nil {
		wait = time.Duration(s.Details.RetryAfterSeconds) * time.Second
	}
	switch {
	case versionTooLarge(&s):
		return Ahead, wait
	case s.Reason == metav1.StatusReasonExpired || s.Code == http.StatusGone:
		return Expired, wait
	case s.Code == http.StatusTooManyRequests:
		return Throttled, wait
	case s.Code == http.StatusUnauthorized || s.Code == http.StatusForbidden:
		return Denied, wait
	case s.Code == http.StatusNotFound:
		return Absent, wait
	case s.Code == http.StatusBadRequest || s.Code == http.StatusUnprocessableEntity ||
		s.Code == http.StatusMethodNotAllowed || s.Code == http.StatusNotAcceptable:
		return Unsupported, wait
	}
	return Unreachable, wait
}

// versionTooLarge reports whether the server has not reached the version. Current servers
// send the cause; some aggregated servers send only the message.
func versionTooLarge(s *metav1.Status) bool {
	if s.Code != http.StatusGatewayTimeout && s.Reason != metav1.StatusReasonTimeout {
		return false
	}
	if s.Details != nil {
		for _, c := range s.Details.Causes {
			if c.Type == metav1.CauseTypeResourceVersionTooLarge {
				return true
			}
		}
	}
	return strings.Contains(s.Message, "Too large resource version")
}

// timeoutError is the fault of a silent server.
type timeoutError struct{ text string }

// Error implements error.
func (e *timeoutError) Error() string { return e.text }

// Timeout reports that the error is a timeout, like errors of package net.
func (e *timeoutError) Timeout() bool { return true }

// errIdle is the cause of a body that was closed because of silence.
var errIdle error = &timeoutError{"the server was silent for too long"}

// statusError is the error that an ERROR event reports.
func statusError(ev *wire.Event) error {
	return &apierrors.StatusError{ErrStatus: *ev.Status}
}

// passing reports whether a fault says nothing about the form of the request, and may pass
// soon: the server is busy, or a credential has expired and is being renewed.
func passing(f Fault, err error) bool { return f == Throttled || apierrors.IsUnauthorized(err) }

// noConnection reports whether a request failed before it reached a server, so that no
// other request would succeed.
func noConnection(err error) bool {
	var op *net.OpError
	return errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &op) && op.Op == "dial"
}

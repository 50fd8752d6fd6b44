package reflector

import (
	"errors"
	"net/http"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Fault tells the kinds of trouble apart that are met in different ways.
type Fault uint8

const (
	// NoFault: all is well.
	NoFault Fault = iota
	// Unreachable: no connection, a reset, a 5xx, silence, an answer that is overdue
	// (Config.SlowAnswer), a damaged stream.
	// Retried with backoff; the watch resumes where it was.
	Unreachable
	// Throttled: 429. Retried when the server says so, after Config.MaxBackoff at
	// the latest.
	Throttled
	// Denied: 401 or 403. Retried with backoff that grows to Config.SlowRetry:
	// somebody may have to grant the rights, or the server is just starting.
	Denied
	// Absent: 404, the type is not served (now). Retried as Denied, then listed
	// from scratch, as it may come back with other objects.
	Absent
	// Expired: 410. The version is no longer known; listed anew.
	Expired
	// Ahead: the version is larger than any the server has, as after a restore
	// from a backup. Listed anew.
	Ahead
	// Unsupported: the server does not take the request as it is, such as a
	// streaming list. Retried as Denied.
	Unsupported
	// Stalled: the server answers, but nothing comes of it. It ends watches before
	// they bring anything, or sends the same page of a list again. Retried with
	// backoff, and shown until the version advances, a list is complete or a watch
	// lasts.
	Stalled
	// Replaced: another cluster answers at the address, or may do so: the Source
	// returned ErrReplaced. Listed from scratch, whatever version the list has.
	Replaced
)

// ErrReplaced is returned by the Watch of a Source that knows, or cannot rule out,
// that the version was not given by the server that answers: the type is listed from
// scratch.
var ErrReplaced = errors.New("the version may be that of another cluster")

// stalledError says why nothing comes of what the server answers.
type stalledError string

// Error implements error.
func (e stalledError) Error() string { return string(e) }

// String returns the name of the fault in lower case.
func (f Fault) String() string {
	names := [...]string{"none", "unreachable", "throttled", "denied", "absent", "expired", "ahead", "unsupported", "stalled", "replaced"}
	if int(f) < len(names) {
		return names[f]
	}
	return "unknown"
}

// slow is 1 for faults that somebody may have to do something about, and 0 for
// others: the place of their counter.
func (f Fault) slow() int {
	switch f {
	case Denied, Absent, Unsupported:
		return 1
	}
	return 0
}

// shared reports whether a fault that other requests to the server had too may be
// over when theirs is.
func (f Fault) shared() bool { return f == Unreachable || f == Denied || f == Absent }

// classify says what kind of trouble err is, and how long the server asks to
// wait.
func classify(err error) (Fault, time.Duration) {
	if stalled := stalledError(""); errors.As(err, &stalled) {
		return Stalled, 0
	}
	if errors.Is(err, ErrReplaced) {
		return Replaced, 0
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

// versionTooLarge recognises the answer to a version that the server has not
// reached. The cause is what current servers send, the message what some
// aggregated ones do.
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

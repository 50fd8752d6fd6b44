package submit

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/state"
)

// MaxReason is the length of the longest reason of a cancellation, in bytes.
const MaxReason = 1024

// How says how a job is cancelled.
type How uint8

// The ways to cancel a job.
const (
	// AsTypeDemands suspends the job, if its type can be suspended and no queue manager would
	// resume it. It tells the operator of a Volcano Job or an Argo Workflow to stop the job.
	// It deletes all other jobs.
	AsTypeDemands How = iota
	// Suspending suspends the job, even if a queue manager may resume it.
	Suspending
	// Deleting deletes the job and its pods. Its history and its kept logs stay.
	Deleting
)

// CancelOptions are the actor, the reason and the way of a cancellation. The zero value cancels
// a job as its type demands, in the name of the client's user.
type CancelOptions struct {
	// Actor is the person who cancels the job; default Config.User. A program that acts for a
	// person, such as a portal, sets it.
	Actor string
	// Reason says why, in one line of at most MaxReason bytes. Line breaks become spaces. It
	// may be empty.
	Reason string
	How    How
	// DryRun asks the server whether it would do all of it, and changes nothing.
	DryRun bool
}

// reason returns the reason in one line.
//
// Errors: *kube.IllegalError.
func (o *CancelOptions) reason() (string, error) {
	text := strings.Join(strings.Fields(o.Reason), " ")
	switch {
	case len(text) > MaxReason:
		return "", &kube.IllegalError{Problem: fmt.Sprintf("the reason has %d bytes", len(text)), Remedy: fmt.Sprintf("at most %d are allowed", MaxReason)}
	case !utf8.ValidString(text), strings.ContainsFunc(text, unicode.IsControl):
		return "", &kube.IllegalError{Problem: fmt.Sprintf("the reason %.80q has a control character or is not UTF-8", text), Remedy: "write plain text"}
	}
	return text, nil
}

// Cancelled is a job that was cancelled.
type Cancelled struct {
	// Actor, Reason and At are those of the first cancellation, if there are several. Actor is
	// empty if somebody else deletes the job and has left no name.
	Actor, Reason string
	At            time.Time
	// How is jobmeta.CancelDelete, CancelSuspend or CancelCommand.
	How string
	// Before: the job had been cancelled before, and this call changed nothing.
	Before bool
}

// FinishedError reports that a job cannot be cancelled, because it has ended.
type FinishedError struct {
	Job   string // job/train-7
	State state.State
	// Since is when it ended; zero if the object does not say.
	Since time.Time
}

// Error implements error.
func (e *FinishedError) Error() string {
	if e.Since.IsZero() {
		return fmt.Sprintf("%s has ended already: it is %s", e.Job, e.State)
	}
	return fmt.Sprintf("%s has ended already: it is %s since %s", e.Job, e.State, e.Since.Format(time.RFC3339))
}

// UnfinishedError reports that a job is marked as cancelled and may still run: the mark was
// written, the step after it failed, and the mark could not be removed. To cancel the job
// again finishes the cancellation.
type UnfinishedError struct {
	Job string
	Err error
}

// Error implements error.
func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("%s is marked as cancelled, but may still run: %v; cancel it again to finish", e.Job, e.Err)
}

// Unwrap returns the cause.
func (e *UnfinishedError) Unwrap() error { return e.Err }

package submit

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/job"
)

// MaxReason is the maximum length of the reason of a cancellation, in bytes.
const MaxReason = 1024

// How is the method of a cancellation.
type How uint8

// The methods to cancel a job.
const (
	// AsTypeDemands suspends the job, if its type can be suspended and no queue manager
	// would resume it. For a Volcano Job or an Argo Workflow, it makes the operator stop
	// the job. It deletes all other jobs.
	AsTypeDemands How = iota
	// Suspending suspends the job, even if a queue manager may resume it.
	Suspending
	// Deleting deletes the job and its pods. Its history and its kept logs stay.
	Deleting
)

// CancelOptions are the actor, the reason and the method of a cancellation. The zero value
// cancels a job by the method of its type, in the name of the client's user.
type CancelOptions struct {
	// Actor is the person who cancels the job; default Config.User. A program that acts for a
	// person, such as a portal, sets it.
	Actor string
	// Reason is the reason, in one line of at most MaxReason bytes. Line breaks become
	// spaces. It may be empty.
	Reason string
	How    How
	// DryRun makes the server check all steps without changing anything.
	DryRun bool
}

// reason returns the reason in one line.
//
// Errors: errcode.Invalid.
func (o *CancelOptions) reason() (string, error) {
	text := strings.Join(strings.Fields(o.Reason), " ")
	switch {
	case len(text) > MaxReason:
		return "", &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the reason has %d bytes", len(text)), Remedy: fmt.Sprintf("at most %d are allowed", MaxReason)}
	case !utf8.ValidString(text), strings.ContainsFunc(text, unicode.IsControl):
		return "", &errcode.Error{Code: errcode.Invalid, Problem: fmt.Sprintf("the reason %.80q has a control character or is not UTF-8", text), Remedy: "write plain text"}
	}
	return text, nil
}

// Cancelled is a job that was cancelled.
type Cancelled struct {
	// Actor, Reason and At are those of the first cancellation. Actor is empty if the job
	// is being deleted without a mark.
	Actor, Reason string
	At            time.Time
	// How is job.CancelDelete, CancelSuspend or CancelCommand.
	How string
	// Before is set if the job was already cancelled, and this call changed nothing.
	Before bool
}

// FinishedError reports that a job cannot be cancelled because it has ended.
type FinishedError struct {
	Job   string // job/train-7
	State job.State
	// Since is when it ended; zero if unknown.
	Since time.Time
}

// Error implements error.
func (e *FinishedError) Error() string {
	if e.Since.IsZero() {
		return fmt.Sprintf("%s has ended already: it is %s", e.Job, e.State)
	}
	return fmt.Sprintf("%s has ended already: it is %s since %s", e.Job, e.State, e.Since.Format(time.RFC3339))
}

// UnfinishedError reports that a job is marked as cancelled but may still run: the step
// after the mark failed, and the mark could not be removed. Cancelling the job again
// completes the cancellation.
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

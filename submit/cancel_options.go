package submit

import (
	"fmt"
	"time"

	"github.com/vedette-io/vedette/state"
)

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
	// Deleting deletes the job. Its history and its kept logs stay.
	Deleting
)

// CancelOptions are the actor, the reason and the way of a cancellation. The zero value cancels
// a job as its type demands, in the name of the client's user.
type CancelOptions struct {
	// Actor is the person who cancels the job; default Config.User. A program that acts for a
	// person, such as a portal, sets it.
	Actor string
	// Reason says why, in one line of at most 1,024 bytes. It may be empty.
	Reason string
	How    How
	// DryRun asks the server whether it would do all of it, and changes nothing.
	DryRun bool
}

// Cancelled is a job that was cancelled.
type Cancelled struct {
	// Actor, Reason and At are those of the first cancellation, if there are several. Actor is
	// empty if somebody deletes the job without saying so.
	Actor, Reason string
	At            time.Time
	// How is jobmeta.CancelDelete, CancelSuspend or CancelCommand.
	How string
	// Before: the job had been cancelled before, and this call changed nothing.
	Before bool
}

// FinishedError reports that a job cannot be cancelled, because it has ended.
type FinishedError struct {
	Job   string // job.batch/train-7
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

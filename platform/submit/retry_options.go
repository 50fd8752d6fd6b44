package submit

import (
	"fmt"

	"github.com/vedette-io/vedette/job"
)

// RetryOptions are the changes in a retry. The zero value repeats the job unchanged.
type RetryOptions struct {
	// Set are changes such as "spec.parallelism=4", with paths as in
	// manifest.Manifest.Set. "image=…" sets the image of the only container of each pod
	// template. "metadata.name=…" names the new job.
	Set []string
	// User is the submitter of the retry; default the user of the client.
	User string
	// Key is the key of the request, as in Request.
	Key string
	// Attempts is the largest attempt number of the chain in the history, if the caller
	// knows it. Retry also counts the jobs that the server still has.
	Attempts int
	// Running allows repeating a job that has not ended.
	Running bool
	DryRun  bool
}

// NotFinishedError reports that a job is not repeated because it has not ended.
type NotFinishedError struct {
	Job   string // job/train-7
	State string // the state, else the word of the type
}

// Error implements error.
func (e *NotFinishedError) Error() string {
	if e.State == "" {
		return fmt.Sprintf("%s has not ended, as far as is known; cancel it first", e.Job)
	}
	return fmt.Sprintf("%s has not ended: it is %s; cancel it first", e.Job, e.State)
}

// finished returns an error for a job that has not ended. A job from the history, which
// has no resourceVersion, is deleted.
func finished(j Job) error {
	s := job.ReadStatus(j.Object.Object)
	if s.State.Final() || j.Object.GetResourceVersion() == "" {
		return nil
	}
	return &NotFinishedError{Job: j.String(), State: s.String()}
}

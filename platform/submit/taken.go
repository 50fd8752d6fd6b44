package submit

import (
	"fmt"
	"time"

	"github.com/vedette-io/vedette/job"
)

// TakenError reports that another request, or another tool, has created a job with the
// name.
type TakenError struct {
	// Job is the job that has the name.
	Job Job
	// Submitter is the submitter in the annotation of the job; may be empty.
	Submitter string
	// Same is set if the submitter is the same, but the key differs: it was another request.
	Same bool
	// State is the current state of the job.
	State string
	// Created is when it was created.
	Created time.Time
}

// Error implements error.
func (e *TakenError) Error() string {
	by := "by another tool"
	switch {
	case e.Same:
		by = "by you, with another request"
	case e.Submitter != "":
		by = "by " + e.Submitter
	}
	now := ""
	if e.State != "" {
		now = ", and is " + e.State
	}
	return fmt.Sprintf("%s exists in the namespace %s: it was created %s%s", e.Job, e.Job.Namespace, by, now)
}

// UnsureError reports that it is unknown whether a job was created.
type UnsureError struct {
	// Type, Namespace and Name are of the job.
	Type, Namespace, Name string
	// Key is the key of the request. Another request with this key creates no second job.
	Key string
	// Err is the last failure.
	Err error
}

// Error implements error.
func (e *UnsureError) Error() string {
	return fmt.Sprintf("it is unknown whether %s/%s was created in the namespace %s: %v", e.Type, e.Name, e.Namespace, e.Err)
}

// Unwrap returns the last failure.
func (e *UnsureError) Unwrap() error { return e.Err }

// taken returns the error for a job that has the name of a request of user.
func taken(j Job, user string) *TakenError {
	by := j.Object.GetAnnotations()[job.SubmitterAnnotation]
	return &TakenError{
		Job: j, Submitter: by, Same: by == user,
		State: job.ReadStatus(j.Object.Object).String(), Created: j.Object.GetCreationTimestamp().Time,
	}
}

// accepted reports whether a job was created by a request of user with key.
func accepted(j Job, user, key string) bool {
	a := j.Object.GetAnnotations()
	return a[job.RequestKeyAnnotation] == key && a[job.SubmitterAnnotation] == user
}

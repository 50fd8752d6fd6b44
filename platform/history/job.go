package history

import (
	"time"

	"github.com/vedette-io/vedette/job"
)

// Job is a row of the list of jobs. Package platform/portal/records converts it to the type of the
// portal's API.
type Job struct {
	ID         int64     `json:"id,omitempty"` // row ID of the object in this database; 0 without a database
	Cluster    string    `json:"cluster,omitempty"`
	ClusterUID string    `json:"clusterUID,omitempty"`
	Type       string    `json:"type"` // "jobs.batch"
	Kind       string    `json:"kind"`
	Namespace  string    `json:"namespace"`
	Name       string    `json:"name"`
	UID        string    `json:"uid"`
	State      string    `json:"state"` // the outcome if the object is deleted
	Raw        string    `json:"raw,omitempty"`
	Reason     string    `json:"reason,omitempty"`
	Message    string    `json:"message,omitempty"`
	Since      time.Time `json:"since"`     // time when the job entered the state
	Submitted  time.Time `json:"submitted"` // creation time of the object
	// Ended is the time when the job ended, and Deleted is the time when its object was
	// deleted. Zero means not yet.
	Ended   time.Time `json:"ended,omitzero"`
	Deleted time.Time `json:"deleted,omitzero"`
	// Presence is the presence of the object. An object that is not Present may have
	// changed since.
	Presence      Presence `json:"presence"`
	WaitedSeconds float64  `json:"waitedSeconds"`
	RanSeconds    float64  `json:"ranSeconds"`
	Tries         int      `json:"tries"`
	// GPUs and Pods are the resources that the job requests. Asks is false if they are
	// unknown because no body was seen.
	GPUs      int    `json:"gpus"`
	Pods      int    `json:"pods"`
	Asks      bool   `json:"asks"`
	Queue     string `json:"queue,omitempty"`
	Submitter string `json:"submitter,omitempty"`
	// Node is the node on which a pod of the job runs or ran last, if pods are recorded.
	Node string     `json:"node,omitempty"`
	Life []job.Span `json:"life"`
}

// Open reports whether the job has not ended.
func (j *Job) Open() bool { return j.Ended.IsZero() }

// Live sets the spans of the job and the fields that follow from them.
func (j *Job) Live(l job.Life) {
	j.Life, j.Tries = l.Spans, max(l.Attempts, j.Tries)
	j.WaitedSeconds, j.RanSeconds = l.Waited.Seconds(), l.Ran.Seconds()
}

// Describe sets the fields that the object of the job states: GPUs and pods, and the number
// of tries if it is larger.
func (j *Job) Describe(f *job.Facts) {
	j.GPUs, j.Pods, j.Asks = f.GPUs, f.Pods, true
	j.Tries = max(j.Tries, f.Attempt)
}

// submittedAt returns when an object was created, or else when it was first seen.
func submittedAt(o *Object) time.Time {
	if o.Created.IsZero() {
		return o.Seen
	}
	return o.Created
}

// jobOf returns the row of an object in its current state.
func jobOf(o *Object) Job {
	return Job{
		ID: o.ID, Cluster: o.Cluster, ClusterUID: o.ClusterUID, Type: o.Type.String(), Kind: o.Type.Kind, Namespace: o.Namespace, Name: o.Name, UID: o.UID,
		State: o.State, Raw: o.Raw, Reason: o.Reason, Message: o.Message, Since: o.Since, Submitted: submittedAt(o), Deleted: o.Gone, Presence: o.Presence,
		Queue: o.Queue, Submitter: o.Submitter, Tries: 1,
	}
}

// endedJobOf returns the row of an object that ended with a transition.
func endedJobOf(c *Change) Job {
	j := jobOf(&c.Object)
	j.State, j.Raw, j.Reason, j.Message = c.To, c.ToRaw, c.Reason, c.Message
	j.Since, j.Ended = c.Happened, c.Happened
	return j
}

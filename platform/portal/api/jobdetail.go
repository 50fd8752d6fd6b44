package api

import "time"

// JobDetail is the header of the page of a job.
type JobDetail struct {
	Job Job `json:"job"`
	// May lists what the person may do to the job now: stop, release, retry, clone,
	// subscribe, acknowledge, mute, logs.
	May []string `json:"may"`
	// Tabs has the number of items on each tab; -1 if unknown.
	Tabs TabCounts `json:"tabs"`
	// Node names of the pods, at most 20, and Nodes their number.
	NodeNames []string `json:"nodeNames,omitempty"`
	Nodes     int      `json:"nodes,omitempty"`
	// Owner is the object that controls the job, such as a CronJob.
	Controller *ObjectRef `json:"controller,omitempty"`
	// RetryOf and RetriedBy are the neighbors in the chain of retries.
	RetryOf   *JobRef `json:"retryOf,omitempty"`
	RetriedBy *JobRef `json:"retriedBy,omitempty"`
	// StoppedBy is the actor who stopped the job, and the reason.
	StoppedBy  string `json:"stoppedBy,omitempty"`
	StopReason string `json:"stopReason,omitempty"`
	// HistoryUntil is when retention removes the history of the job.
	HistoryUntil time.Time `json:"historyUntil,omitzero"`
	// TraceURL links to the OpenTelemetry trace of an ended job; empty if the portal has no URL for
	// traces.
	TraceURL string    `json:"traceUrl,omitempty"`
	Position int64     `json:"position"`
	At       time.Time `json:"at"`
}

// TabCounts has the number of items on each tab of a job.
type TabCounts struct {
	Attempts      int `json:"attempts"`
	Pods          int `json:"pods"`
	Revisions     int `json:"revisions"`
	Notifications int `json:"notifications"`
	LogLines      int `json:"logLines"` // kept ones
}

// ObjectRef names an object.
type ObjectRef struct {
	Kind      string `json:"kind"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
	UID       string `json:"uid,omitempty"`
}

// TransitionList are the transitions of a job, newest first.
type TransitionList struct {
	Transitions []Transition `json:"transitions"`
	Next        string       `json:"next,omitempty"`
}

// Transition is a change of the state of an object.
type Transition struct {
	Version  string    `json:"version"`
	From     string    `json:"from,omitempty"`
	To       string    `json:"to"`
	FromRaw  string    `json:"fromRaw,omitempty"`
	ToRaw    string    `json:"toRaw,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Message  string    `json:"message,omitempty"`
	Happened time.Time `json:"happened"`
	Seen     time.Time `json:"seen"`
	Ended    time.Time `json:"ended,omitzero"`
	Source   string    `json:"source"` // watched, listed, relisted, inferred
	// Notified counts the messages about the transition.
	Notified int `json:"notified,omitempty"`
}

// AttemptList are the attempts of a job, oldest first: runs of its pods within one object, and
// the jobs that repeat it.
type AttemptList struct {
	Attempts []Attempt `json:"attempts"`
	// Fields are the rows of the comparison, in the order to show them.
	Fields []AttemptField `json:"fields"`
}

// Attempt is one run of a job.
type Attempt struct {
	// Number is the number of the attempt in the list. Run is its number within the job, as for
	// pods and logs. Both begin at 1.
	Number int       `json:"number"`
	Run    int       `json:"run"`
	Job    JobRef    `json:"job"`
	State  string    `json:"state"`
	Reason string    `json:"reason,omitempty"`
	Began  time.Time `json:"began,omitzero"`
	Ended  time.Time `json:"ended,omitzero"`
	Ran    float64   `json:"ran"`
	Pods   int       `json:"pods"`
	// FirstFailure is the container that failed first: "worker-2, exit code 137".
	FirstFailure string   `json:"firstFailure,omitempty"`
	Nodes        []string `json:"nodes,omitempty"`
}

// AttemptField is one row of the comparison of attempts.
type AttemptField struct {
	Name string `json:"name"` // a key of the page's words (ended, ran, firstFailure, exitCode, image, nodes), or a path
	// Values has one value for each attempt. Differs reports whether it differs from the previous
	// one.
	Values  []string `json:"values"`
	Differs []bool   `json:"differs"`
}

// PodList are the pods of a job.
type PodList struct {
	Pods []Pod  `json:"pods"`
	Next string `json:"next,omitempty"`
	// Recorded is false if pods are not recorded.
	Recorded bool `json:"recorded"`
}

// Pod is a pod of a job.
type Pod struct {
	ID       int64     `json:"id"`
	Name     string    `json:"name"`
	UID      string    `json:"uid"`
	State    string    `json:"state"`
	Reason   string    `json:"reason,omitempty"`
	Message  string    `json:"message,omitempty"`
	Node     string    `json:"node,omitempty"`
	Attempt  int       `json:"attempt,omitempty"`
	Created  time.Time `json:"created"`
	Ended    time.Time `json:"ended,omitzero"`
	Restarts int       `json:"restarts"`
	ExitCode *int      `json:"exitCode,omitempty"`
	Deleted  time.Time `json:"deleted,omitzero"`
	Life     []Span    `json:"life"`
}

// EventList are the Kubernetes events about a job and its pods, newest first.
type EventList struct {
	Events []Event `json:"events"`
	Next   string  `json:"next,omitempty"`
	// Recorded is false if events are not recorded. Live reports that they come from the API
	// server.
	Recorded bool `json:"recorded"`
	Live     bool `json:"live,omitempty"`
}

// Event is a Kubernetes event.
type Event struct {
	Type    string    `json:"type"` // Normal, Warning
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	Object  ObjectRef `json:"object"`
	Source  string    `json:"source,omitempty"`
	First   time.Time `json:"first"`
	Last    time.Time `json:"last"`
	Count   int       `json:"count"`
}

// RevisionList are the revisions of a job, oldest first.
type RevisionList struct {
	Revisions []Revision `json:"revisions"`
	Next      string     `json:"next,omitempty"`
}

// Revision is a recorded state of an object, without its body.
type Revision struct {
	Version string    `json:"version"`
	State   string    `json:"state,omitempty"`
	Raw     string    `json:"raw,omitempty"`
	Seen    time.Time `json:"seen"`
	Source  string    `json:"source"`
	Deleted bool      `json:"deleted,omitempty"`
}

// Body is an object at a revision, as YAML.
type Body struct {
	Version string `json:"version"`
	YAML    string `json:"yaml"`
	// Bookkeeping are the line ranges that the page folds, such as managedFields and
	// resourceVersion.
	Bookkeeping []LineRange `json:"bookkeeping,omitempty"`
}

// LineRange is an interval of lines, both included, from 1.
type LineRange struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// Diff is the difference between two revisions, in lines of YAML.
type Diff struct {
	From string `json:"from"`
	To   string `json:"to"`
	// Left and Right are the names of the two sides, if they belong to different objects.
	Left  *JobRef    `json:"left,omitempty"`
	Right *JobRef    `json:"right,omitempty"`
	Lines []DiffLine `json:"lines"`
	// Differ counts the added and removed lines.
	Differ int `json:"differ"`
	// Cut counts the lines at the end that exceed the limit and are not in Lines.
	Cut int `json:"cut,omitempty"`
}

// DiffLine is a line of a difference.
type DiffLine struct {
	// Op is "=", "-", "+", or "~" for a fold of Count unchanged lines.
	Op    string `json:"op"`
	Left  int    `json:"left,omitempty"`  // line number, from 1
	Right int    `json:"right,omitempty"` // line number, from 1
	Text  string `json:"text,omitempty"`
	Count int    `json:"count,omitempty"`
	// Words are the parts of the line that differ from its counterpart, as offsets in UTF-16 code
	// units from 0. From is inclusive and To is exclusive.
	Words []LineRange `json:"words,omitempty"`
	// Bookkeeping reports that a user did not write the field: managedFields, resourceVersion.
	Bookkeeping bool `json:"bookkeeping,omitempty"`
}

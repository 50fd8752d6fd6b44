package message

import (
	"time"

	"github.com/vedette-io/vedette/job"
)

// Notice has the facts of a message, without words. The database stores it as JSON with
// each delivery. The JSON names of its fields never change, and a reader ignores unknown
// fields.
//
// A zero field is unknown. Numbers for which zero is meaningful are pointers.
type Notice struct {
	Kind Kind `json:"kind"`
	Job  Job  `json:"job,omitzero"`
	// Version is the version of the transition, or of the transition that started a timer.
	Version uint64    `json:"version,omitempty"`
	From    job.State `json:"from,omitempty"`
	To      job.State `json:"to,omitempty"`
	FromRaw string    `json:"fromRaw,omitempty"`
	ToRaw   string    `json:"toRaw,omitempty"`
	Reason  string    `json:"reason,omitempty"`  // of the transition, from the object
	Message string    `json:"message,omitempty"` // of the transition, from the object; of a wait: why it lasts
	// Happened is the time of the transition. It is zero if unknown, as for an inferred
	// transition. For a timer it is the time when the timer fired.
	Happened time.Time `json:"happened,omitzero"`
	Seen     time.Time `json:"seen,omitzero"` // when the recorder saw it
	Late     bool      `json:"late,omitempty"`
	Actor    string    `json:"actor,omitempty"` // person or program that caused it

	Cause Cause `json:"cause,omitzero"`
	// Attempt counts from 1. Attempts is the maximum number of attempts.
	Attempt  int `json:"attempt,omitempty"`
	Attempts int `json:"attempts,omitempty"`
	// SameCause are the attempts with the same cause, including this one, in order.
	SameCause []int          `json:"sameCause,omitempty"`
	Waited    *time.Duration `json:"waited,omitempty"`
	Ran       *time.Duration `json:"ran,omitempty"`
	LastRun   time.Time      `json:"lastRun,omitzero"` // start of the run before this transition
	LikelyEnd time.Time      `json:"likelyEnd,omitzero"`
	KeptUntil time.Time      `json:"keptUntil,omitzero"` // end of its history
	Life      []Span         `json:"life,omitempty"`
	Log       *Log           `json:"log,omitempty"`

	Timer     *Timer     `json:"timer,omitempty"`     // for timers
	Wait      *Wait      `json:"wait,omitempty"`      // for WaitsLong
	Gap       *Gap       `json:"gap,omitempty"`       // for GapClosed
	Escalated *Escalated `json:"escalated,omitempty"` // for Escalation
	Probe     *Probe     `json:"probe,omitempty"`     // for Test

	// Resolve is set if the state of an earlier message of this rule was left. Channels
	// with open alerts close the alert.
	Resolve bool `json:"resolve,omitempty"`
}

// Job is the object that a notice is about.
type Job struct {
	Cluster    string `json:"cluster,omitempty"`
	ClusterUID string `json:"clusterUID,omitempty"`
	Type       string `json:"type,omitempty"` // such as "pytorchjobs.kubeflow.org"
	Kind       string `json:"kind,omitempty"` // such as "PyTorchJob"
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
	UID        string `json:"uid,omitempty"`
	Queue      string `json:"queue,omitempty"`
	// Owner is the person or program that submitted the job: the submitter of the
	// glossary. Texts for people call it owner.
	Owner string `json:"owner,omitempty"`
	GPUs  int    `json:"gpus,omitempty"`
	Nodes int    `json:"nodes,omitempty"`
}

// Reason is why a pod or a job ended or waits: one of the constants, or a word of the API
// without a sentence of its own.
type Reason string

// The reasons that have a sentence of their own.
const (
	OOMKilled        Reason = "OOMKilled"
	ExitError        Reason = "Error"
	Evicted          Reason = "Evicted"
	NodeLost         Reason = "NodeLost"
	DeadlineExceeded Reason = "DeadlineExceeded"
	Preempted        Reason = "Preempted"
	ImagePull        Reason = "ImagePull"
	OverQuota        Reason = "quota"
)

// Cause is why a job failed, restarted or was aborted.
type Cause struct {
	Reason Reason `json:"reason,omitempty"`
	// Pod is the pod that ended first. Role and Index are its position in the job, such as
	// "worker" and 2.
	Pod      string `json:"pod,omitempty"`
	Role     string `json:"role,omitempty"`
	Index    *int   `json:"index,omitempty"`
	Node     string `json:"node,omitempty"`
	ExitCode *int   `json:"exitCode,omitempty"`
	// Limit is the memory limit for OOMKilled ("480 GiB"), or the time for
	// DeadlineExceeded.
	Limit string `json:"limit,omitempty"`
	Why   string `json:"why,omitempty"`   // for Evicted
	Other string `json:"other,omitempty"` // the job that preempted it
	Quota string `json:"quota,omitempty"` // the quota that it exceeds
}

// Span is an interval in one state.
type Span struct {
	State   job.State `json:"state,omitempty"`
	From    time.Time `json:"from,omitzero"`
	To      time.Time `json:"to,omitzero"`
	Attempt int       `json:"attempt,omitempty"`
	// Gap is set if the job was not watched.
	Gap      bool `json:"gap,omitempty"`
	Inferred bool `json:"inferred,omitempty"`
}

// Log is the end of a log.
type Log struct {
	Source  string   `json:"source,omitempty"` // such as "worker-2"
	Attempt int      `json:"attempt,omitempty"`
	Kept    int      `json:"kept,omitempty"` // total number of kept lines
	Lines   []string `json:"lines,omitempty"`
}

// Timer has the facts of a timer.
type Timer struct {
	After    time.Duration `json:"after,omitempty"`  // the time in the rule
	Left     time.Duration `json:"left,omitempty"`   // until Deadline
	Needed   time.Duration `json:"needed,omitempty"` // at the current pace
	Deadline time.Time     `json:"deadline,omitzero"`
	P90      time.Duration `json:"p90,omitempty"` // of jobs like it
	Quiet    time.Duration `json:"quiet,omitempty"`
	Since    time.Time     `json:"since,omitzero"` // the last signal
	// Signal is SignalLog, or SignalAnnotation or SignalField followed by a name.
	Signal string `json:"signal,omitempty"`
}

// The signals of progress in Timer. A name follows the second and the third.
const (
	SignalLog        = "log line"
	SignalAnnotation = "annotation "
	SignalField      = "status field "
)

// Wait has the facts about a waiting job. Quota, Used, Free and BeforeGPUs count GPUs.
type Wait struct {
	Quota        *int          `json:"quota,omitempty"`
	Used         *int          `json:"used,omitempty"`
	Free         *int          `json:"free,omitempty"`
	Place        int           `json:"place,omitempty"`  // in line, from 1
	InLine       int           `json:"inLine,omitempty"` // jobs in line
	PlaceBefore  int           `json:"placeBefore,omitempty"`
	BeforeGPUs   *int          `json:"beforeGPUs,omitempty"` // needed by the jobs before it
	BeforeJobs   int           `json:"beforeJobs,omitempty"`
	BeforeHigher int           `json:"beforeHigher,omitempty"` // jobs before it with a higher priority
	Start        time.Time     `json:"start,omitzero"`         // likely
	StartEarly   time.Time     `json:"startEarly,omitzero"`
	StartLate    time.Time     `json:"startLate,omitzero"`
	Fewer        int           `json:"fewer,omitempty"` // number of GPUs with which it would start earlier
	FewerStart   time.Time     `json:"fewerStart,omitzero"`
	LikeMedian   time.Duration `json:"likeMedian,omitempty"` // waiting time of similar jobs
	LikeJobs     int           `json:"likeJobs,omitempty"`
	LikeDays     int           `json:"likeDays,omitempty"`
}

// Gap is an interval in which a cluster was not watched, and the changes that were found
// afterwards.
type Gap struct {
	From    time.Time `json:"from,omitzero"`
	To      time.Time `json:"to,omitzero"`
	Why     string    `json:"why,omitempty"`
	Changes int       `json:"changes,omitempty"`
	Counts  []Count   `json:"counts,omitempty"`
}

// Count is a number of jobs in a state.
type Count struct {
	State job.State `json:"state"`
	Jobs  int       `json:"jobs"`
}

// Escalated is the unacknowledged message.
type Escalated struct {
	Notice  *Notice       `json:"notice,omitempty"`
	Age     time.Duration `json:"age,omitempty"`
	Told    string        `json:"told,omitempty"` // receiver of the message
	At      time.Time     `json:"at,omitzero"`
	Channel string        `json:"channel,omitempty"`
}

// Silence is what the summary of a silence is about.
type Silence struct {
	ID       int64  `json:"id"`
	Matchers string `json:"matchers"` // such as "node=gpu-17, queue=prod"
}

// Probe is a test of a channel.
type Probe struct {
	Channel string   `json:"channel,omitempty"`
	Actor   string   `json:"actor,omitempty"`
	Rules   []string `json:"rules,omitempty"`
}

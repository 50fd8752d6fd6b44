package message

import (
	"time"

	"github.com/vedette-io/vedette/state"
)

// Notice is what a message tells about: the facts, without words. The database stores it
// as JSON with each delivery. The names of its fields in JSON never change, and a reader
// ignores fields that it does not know.
//
// A field that is zero is unknown. Numbers for which zero says something are pointers.
type Notice struct {
	Kind Kind `json:"kind"`
	Job  Job  `json:"job,omitzero"`
	// Version is the version of the transition, or of the transition that started a timer.
	Version uint64      `json:"version,omitempty"`
	From    state.State `json:"from,omitempty"`
	To      state.State `json:"to,omitempty"`
	FromRaw string      `json:"fromRaw,omitempty"`
	ToRaw   string      `json:"toRaw,omitempty"`
	Reason  string      `json:"reason,omitempty"`  // of the transition, as the object says
	Message string      `json:"message,omitempty"` // of the transition, as the object says
	// Happened is when it happened. It is zero if that is not known, as for an inferred
	// transition. For a timer it is when the timer fired.
	Happened time.Time `json:"happened,omitzero"`
	Seen     time.Time `json:"seen,omitzero"` // when the recorder saw it
	Late     bool      `json:"late,omitempty"`
	Actor    string    `json:"actor,omitempty"` // person or program that caused it

	Cause Cause `json:"cause,omitzero"`
	// Attempt counts from 1. Attempts is how many attempts are allowed.
	Attempt  int `json:"attempt,omitempty"`
	Attempts int `json:"attempts,omitempty"`
	// SameCause are the attempts that ended the same way, with this one, in order.
	SameCause []int          `json:"sameCause,omitempty"`
	Waited    *time.Duration `json:"waited,omitempty"`
	Ran       *time.Duration `json:"ran,omitempty"`
	LastRun   time.Time      `json:"lastRun,omitzero"` // when the run before this transition began
	LikelyEnd time.Time      `json:"likelyEnd,omitzero"`
	KeptUntil time.Time      `json:"keptUntil,omitzero"` // end of its history
	Life      []Span         `json:"life,omitempty"`
	Log       *Log           `json:"log,omitempty"`

	Timer     *Timer     `json:"timer,omitempty"`     // of timers
	Wait      *Wait      `json:"wait,omitempty"`      // of WaitsLong
	Gap       *Gap       `json:"gap,omitempty"`       // of GapClosed
	Escalated *Escalated `json:"escalated,omitempty"` // of Escalation
	Probe     *Probe     `json:"probe,omitempty"`     // of Test

	// Resolve says that the state of an earlier message of this rule was left. Channels
	// that have open alerts close the alert.
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
	// Owner is the person or program that submitted the job: the submitter of the glossary,
	// called owner in all texts for people.
	Owner string `json:"owner,omitempty"`
	GPUs  int    `json:"gpus,omitempty"`
	Nodes int    `json:"nodes,omitempty"`
}

// Reason is why a pod or a job ended or waits: one of the constants, or a word of the API
// for which there is no sentence.
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
	// Pod is the pod that ended first. Role and Index are its place in the job, such as
	// "worker" and 2.
	Pod      string `json:"pod,omitempty"`
	Role     string `json:"role,omitempty"`
	Index    *int   `json:"index,omitempty"`
	Node     string `json:"node,omitempty"`
	ExitCode *int   `json:"exitCode,omitempty"`
	// Limit is the memory limit for OOMKilled ("480 GiB"), the time for DeadlineExceeded.
	Limit string `json:"limit,omitempty"`
	Why   string `json:"why,omitempty"`   // for Evicted
	Other string `json:"other,omitempty"` // the job that Preempted it
	Quota string `json:"quota,omitempty"` // the quota that it does not fit
}

// Span is a time in one state.
type Span struct {
	State   state.State `json:"state,omitempty"`
	From    time.Time   `json:"from,omitzero"`
	To      time.Time   `json:"to,omitzero"`
	Attempt int         `json:"attempt,omitempty"`
	// Gap says that the job was not watched.
	Gap      bool `json:"gap,omitempty"`
	Inferred bool `json:"inferred,omitempty"`
}

// Log is the end of a log.
type Log struct {
	Source  string   `json:"source,omitempty"` // such as "worker-2"
	Attempt int      `json:"attempt,omitempty"`
	Kept    int      `json:"kept,omitempty"` // lines that are kept in all
	Lines   []string `json:"lines,omitempty"`
}

// Timer is what a timer knows.
type Timer struct {
	After    time.Duration `json:"after,omitempty"`  // what the rule says
	Left     time.Duration `json:"left,omitempty"`   // until Deadline
	Needed   time.Duration `json:"needed,omitempty"` // at its pace
	Deadline time.Time     `json:"deadline,omitzero"`
	P90      time.Duration `json:"p90,omitempty"` // of jobs like it
	Quiet    time.Duration `json:"quiet,omitempty"`
	Since    time.Time     `json:"since,omitzero"` // the last signal
	// Signal is SignalLog, or SignalAnnotation or SignalField with what it names.
	Signal string `json:"signal,omitempty"`
}

// The signals of progress, in Timer. A name follows the second and the third.
const (
	SignalLog        = "log line"
	SignalAnnotation = "annotation "
	SignalField      = "status field "
)

// Wait is what is known about a job that waits. Quota, Used, Free and BeforeGPUs count GPUs.
type Wait struct {
	Quota        *int          `json:"quota,omitempty"`
	Used         *int          `json:"used,omitempty"`
	Free         *int          `json:"free,omitempty"`
	Place        int           `json:"place,omitempty"`  // in line, from 1
	InLine       int           `json:"inLine,omitempty"` // jobs in line
	PlaceBefore  int           `json:"placeBefore,omitempty"`
	BeforeGPUs   *int          `json:"beforeGPUs,omitempty"` // needed by those before it
	BeforeJobs   int           `json:"beforeJobs,omitempty"`
	BeforeHigher int           `json:"beforeHigher,omitempty"` // those of higher priority
	Start        time.Time     `json:"start,omitzero"`         // likely
	StartEarly   time.Time     `json:"startEarly,omitzero"`
	StartLate    time.Time     `json:"startLate,omitzero"`
	Fewer        int           `json:"fewer,omitempty"` // GPUs with which it would start earlier
	FewerStart   time.Time     `json:"fewerStart,omitzero"`
	LikeMedian   time.Duration `json:"likeMedian,omitempty"` // that jobs like it waited
	LikeJobs     int           `json:"likeJobs,omitempty"`
	LikeDays     int           `json:"likeDays,omitempty"`
}

// Gap is a time in which a cluster was not watched, and what was found afterwards.
type Gap struct {
	From    time.Time `json:"from,omitzero"`
	To      time.Time `json:"to,omitzero"`
	Why     string    `json:"why,omitempty"`
	Changes int       `json:"changes,omitempty"`
	Counts  []Count   `json:"counts,omitempty"`
}

// Count is a number of jobs in a state.
type Count struct {
	State state.State `json:"state"`
	Jobs  int         `json:"jobs"`
}

// Escalated is the message that nobody acknowledged.
type Escalated struct {
	Notice  *Notice       `json:"notice,omitempty"`
	Age     time.Duration `json:"age,omitempty"`
	Told    string        `json:"told,omitempty"` // receiver of the message
	At      time.Time     `json:"at,omitzero"`
	Channel string        `json:"channel,omitempty"`
}

// Probe is a test of a channel.
type Probe struct {
	Channel string   `json:"channel,omitempty"`
	Actor   string   `json:"actor,omitempty"`
	Rules   []string `json:"rules,omitempty"`
}

package jobindex

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/wire"
)

// Row is a job as of an instant: now, or Query.At.
type Row struct {
	ID                     int64 // of the object in the database
	Cluster, ClusterUID    string
	Type, Kind             string // "jobs.batch", "Job"
	Namespace, Name, UID   string
	Queue, Owner, Priority string // Owner is the submitter
	State                  job.State
	Reason                 string // "" at an instant before the job entered its last state
	Submitted              time.Time
	Since                  time.Time // when the job entered State
	Ended, Deleted         time.Time // zero means not yet
	Waited, Ran            time.Duration
	Tries                  int // at least 1
	GPUs, Pods             int // -1 means unknown
	Presence               history.Presence
	Labels                 map[string]string // shared between rows; must not be changed
	Version                wire.Version      // of the last revision
	// Life has the states up to the instant, except the final one. To of the last span is
	// zero if the job is still in it. Started is when the job first ran, zero if it has not,
	// and FirstWait is how long it had waited before. Brief queries set none of them.
	Life      []job.Span
	Started   time.Time
	FirstWait time.Duration
}

// Open reports whether the job has not ended.
func (r *Row) Open() bool { return r.Ended.IsZero() }

// Text returns the value of a key of a filter that takes texts.
func (r *Row) Text(key jobfilter.Key) string {
	switch key {
	case jobfilter.State:
		return string(r.State)
	case jobfilter.Cluster:
		return r.Cluster
	case jobfilter.Namespace:
		return r.Namespace
	case jobfilter.Queue:
		return r.Queue
	case jobfilter.Owner:
		return r.Owner
	case jobfilter.Kind:
		return r.Kind
	case jobfilter.Type:
		return r.Type
	case jobfilter.Name:
		return r.Name
	case jobfilter.Reason:
		return r.Reason
	case jobfilter.Priority:
		return r.Priority
	}
	return ""
}

// Number returns the value of a key of a filter that takes numbers; -1 if unknown.
func (r *Row) Number(key jobfilter.Key) int {
	switch key {
	case jobfilter.GPUs:
		return r.GPUs
	case jobfilter.Pods:
		return r.Pods
	case jobfilter.Tries:
		return r.Tries
	}
	return -1
}

// Duration returns the value of a key of a filter that takes durations.
func (r *Row) Duration(key jobfilter.Key) time.Duration {
	if key == jobfilter.Waited {
		return r.Waited
	}
	return r.Ran
}

// Time returns the value of a key of a filter that takes times.
func (r *Row) Time(key jobfilter.Key) time.Time {
	switch key {
	case jobfilter.Submitted:
		return r.Submitted
	case jobfilter.Ended:
		return r.Ended
	}
	return r.Since
}

// LabelSet returns the labels, which the caller must not change.
func (r *Row) LabelSet() map[string]string { return r.Labels }

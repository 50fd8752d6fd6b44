package jobindex

import (
	"time"

	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// Span is the time that a job spent in a state. To is zero if the job is in the state.
type Span = history.Span

// Entry is a change of the state of a job.
type Entry = history.Entry

// Job is what an index is told about a job.
type Job struct {
	ID                  int64 // of the object in the database
	Cluster, ClusterUID string
	Type, Kind          string // "jobs.batch", "Job"
	Namespace, Name     string
	UID                 string
	Queue, Owner        string
	// State is the state of the job; of a job that ended before its object was deleted, its
	// outcome. Reason is the one with which it entered the state, and Since is when.
	State  state.State
	Reason string
	Since  time.Time
	// Submitted is when the object was created, and Deleted when it was deleted.
	Submitted, Deleted time.Time
	Presence           history.Presence
	Version            wire.Version
	Labels             map[string]string
	Entries            []Entry // all changes of its state, in their order
	Asks
}

// Asks is what the body of a job says.
type Asks struct {
	// GPUs and Pods are what the job asks for; -1 if that is not known.
	GPUs, Pods int
	// Attempt is the number of the attempt that the body counts; 0 if it counts none.
	Attempt  int
	Priority string
}

// noAsks is for a job whose body is not known.
var noAsks = Asks{GPUs: -1, Pods: -1}

package jobindex

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/wire"
)

// Job is the input of an index about a job.
type Job struct {
	ID                  int64 // of the object in the database
	Cluster, ClusterUID string
	Type, Kind          string // "jobs.batch", "Job"
	Namespace, Name     string
	UID                 string
	Queue, Owner        string
	// State is the state of the job; for a job that ended before its object was deleted,
	// its outcome. Reason is the reason at the time when it entered the state, Since.
	State  job.State
	Reason string
	Since  time.Time
	// Submitted is when the object was created, and Deleted when it was deleted.
	Submitted, Deleted time.Time
	Presence           history.Presence
	Version            wire.Version
	Labels             map[string]string
	Transitions        []job.Transition // all of its transitions, in the order of their versions
	Facts              *job.Facts       // nil: no body was seen
}

package parts

import (
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
)

// Job is a job that was just written.
type Job struct {
	ID, Cluster    int64
	Namespace, UID string
	CreatedAt      int64
	Facts          *job.Facts // nil: unknown
}

// Written is what a transaction wrote that another one may belong to: its new jobs, and its new parts.
type Written struct {
	Jobs  []Job
	Parts []model.Part
	Open  []int64 // parts that Link left open, sorted
}

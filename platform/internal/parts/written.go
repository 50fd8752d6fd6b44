package parts

import "github.com/vedette-io/vedette/platform/internal/model"

// Written is what a transaction wrote that another one may belong to: its new jobs, and its new parts.
type Written struct {
	Jobs  []Job
	Parts []model.Part
	Open  []int64 // parts that Link left open, sorted
}

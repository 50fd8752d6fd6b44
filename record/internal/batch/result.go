package batch

// Result counts what was written.
type Result struct {
	// Revisions and Transitions are new rows.
	Revisions, Transitions int
	// Duplicates are revisions that the database had already, from another recorder or
	// from before a restart.
	Duplicates int
}

// Add adds another result.
func (r *Result) Add(other Result) {
	r.Revisions, r.Transitions, r.Duplicates = r.Revisions+other.Revisions, r.Transitions+other.Transitions, r.Duplicates+other.Duplicates
}

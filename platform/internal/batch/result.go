package batch

// Result counts written rows.
type Result struct {
	// Revisions and Transitions are new rows.
	Revisions, Transitions int
	// Duplicates are revisions that were stored already, by another recorder or before a
	// restart.
	Duplicates int
}

// Add adds another result.
func (r *Result) Add(other Result) {
	r.Revisions, r.Transitions, r.Duplicates = r.Revisions+other.Revisions, r.Transitions+other.Transitions, r.Duplicates+other.Duplicates
}

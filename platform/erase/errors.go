package erase

import "errors"

// Errors of Find.
var (
	// ErrExists means that an object to erase exists in its cluster.
	ErrExists = errors.New("it exists in the cluster, and recorders would see it again: delete it there, and wait until its deletion is recorded")
	// ErrGone means that the database has no object with a row ID.
	ErrGone = errors.New("the database no longer has the object")
)

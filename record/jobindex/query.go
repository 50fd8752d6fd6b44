package jobindex

import (
	"errors"
	"time"

	"github.com/vedette-io/vedette/record/jobfilter"
	"github.com/vedette-io/vedette/state"
)

// Query selects jobs.
type Query struct {
	Filter jobfilter.Filter
	// Mine are the names of the person, for the key jobfilter.Mine.
	Mine []string
	// Sees says in which namespaces jobs may be selected; nil: in all. It is called at most
	// once for each pair of a cluster's name and a namespace, and must not use the index.
	Sees func(cluster, namespace string) bool
	// SeesType is the same for the jobs of a type ("jobs.batch"). A job has to pass both.
	SeesType func(cluster, typ, namespace string) bool
	// Sort is the key of the order: submitted, since, waited, ran, gpus, tries, name, state,
	// queue, owner or namespace; with "-" before it for the opposite order. Default:
	// "-submitted". Jobs with equal keys are in the order of their IDs. States are in the order
	// in which jobs go through them.
	Sort string
	// Limit is the largest number of rows of a page: default 50, at most 500.
	Limit int
	// After and Before are cursors: the page after or before a row. At most one is set.
	After, Before string
	// At is the instant that rows and counts describe; zero: now. Jobs that were submitted later
	// do not exist.
	At time.Time
	// Brief leaves the labels and lives of the rows of Each and During out, which makes them ten
	// times faster. View.Complete adds them to single rows.
	Brief bool
	// Unlabeled leaves the labels of the rows of Each and During out, which makes them three times
	// faster.
	Unlabeled bool
	// NewestFirst makes Each and During begin with the job that was submitted last.
	NewestFirst bool
	// From and To select jobs that existed between them: jobs that were submitted before To, and
	// did not end before From. Zero: no bound.
	From, To time.Time
}

// The limits of pages.
const (
	DefaultLimit = 50
	MaxLimit     = 500
)

// Page is a part of a list.
type Page struct {
	Rows []Row
	// Next and Previous are cursors for After and Before; empty at the ends of the list.
	Next, Previous string
	// First is the place of the first row in the list, from 1; 0 if there are no rows.
	First int
}

// Exact is the largest number that a Count gives exactly.
const Exact = 10_000

// Count is a number that is exact up to 10,000.
type Count struct {
	N    int
	More bool // N is 10,000, and there are more
}

// count returns a number as a Count.
func count(n int) Count {
	if n > Exact {
		return Count{Exact, true}
	}
	return Count{N: n}
}

// Counts counts jobs.
type Counts struct {
	// States counts by state, and obeys every term of the filter but those of the state. States
	// without jobs are missing.
	States map[state.State]Count
	// All is the sum of States. Matching obeys the terms of the state too.
	All, Matching Count
}

// Suggestion is a key of filters, or a value of a key with the number of jobs that have it.
type Suggestion struct {
	Key   jobfilter.Key
	Value string
	Count Count
}

var (
	// ErrCursor is returned for a cursor that no page of this order has returned.
	ErrCursor = errors.New("the cursor does not belong to this list")
	// ErrSort is returned for an unknown order.
	ErrSort = errors.New("unknown order")
)

package jobindex

import (
	"errors"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/jobfilter"
)

// Query selects jobs.
type Query struct {
	Filter jobfilter.Filter
	// Mine are the names of the person, for the key jobfilter.Mine.
	Mine []string
	// Sees reports whether the jobs of a namespace may be selected; nil means all. It is
	// called at most once for each pair of a cluster's name and a namespace, and must not
	// use the index.
	Sees func(cluster, namespace string) bool
	// Since reports whether the jobs of a type ("jobs.batch") in a namespace may be selected, and
	// those submitted from which time on. It is called at most once for each combination with jobs,
	// and must not use the index. A job must pass both; nil means all.
	Since func(cluster, clusterUID, typ, namespace string) (time.Time, bool)
	// SeesPods reports whether what the pods of a namespace show may be counted; nil means all.
	// The index does not use it.
	SeesPods func(cluster, namespace string) bool
	// Sort is the key of the order: submitted, since, waited, ran, gpus, tries, name,
	// state, queue, owner or namespace; with "-" before it for the opposite order.
	// Default: "-submitted". Jobs with equal keys are ordered by ID. States are in the
	// order of the life of a job.
	Sort string
	// Limit is the maximum number of rows of a page: default 50, at most 500.
	Limit int
	// After and Before are cursors: the page after or before a row. At most one is set.
	After, Before string
	// At is the instant of rows and counts; zero means now. Jobs that were submitted later
	// do not exist.
	At time.Time
	// Brief omits the labels and lives of the rows of Each and During, which makes them
	// ten times faster. View.Complete adds them to single rows.
	Brief bool
	// Unlabeled omits the labels of the rows of Each and During, which makes them three
	// times faster.
	Unlabeled bool
	// NewestFirst makes Each and During begin with the newest job.
	NewestFirst bool
	// From and To select jobs that existed between them: jobs that were submitted before
	// To, and did not end before From. Zero means no bound.
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

// Exact is the largest number that a Count counts exactly.
const Exact = 10_000

// Count is a number that is exact up to 10,000.
type Count struct {
	N    int
	More bool // N is 10,000, but the number is larger
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
	// States counts by state, and applies every term of the filter except those of the
	// state. States without jobs are missing.
	States map[job.State]Count
	// All is the sum of States. Matching also applies the terms of the state.
	All, Matching Count
}

// Suggestion is a key of filters, or a value of a key with the number of jobs that have it.
type Suggestion struct {
	Key   jobfilter.Key
	Value string
	Count Count
}

var (
	// ErrCursor is the error for a cursor that does not come from a page of this order.
	ErrCursor = errors.New("the cursor does not belong to this list")
	// ErrSort is the error for an unknown order.
	ErrSort = errors.New("unknown order")
)

package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/state"
)

// jobQuery selects jobs, in the database or in the cluster.
type jobQuery struct {
	namespace string // "": all
	submitter string
	queue     string
	types     string // words, separated by commas
	labels    string
	cluster   string // of the database
	states    []state.State
	since     time.Time
	limit     int // 0: all
	after     history.Cursor
}

// jobList is what a source knows about the jobs of a query.
type jobList struct {
	jobs []history.Job
	next history.Cursor // of a further page; "": there are no more jobs
	more bool           // jobs were left out because of the limit
	open map[string]int // all open jobs by state, if more is set and they are counted
}

// jobLister is where jobs are read from.
type jobLister interface {
	list(ctx context.Context, q jobQuery, now time.Time) (jobList, error)
	// changed returns a channel that gets a value when the list may have changed, until ctx
	// ends.
	changed(ctx context.Context, q jobQuery) <-chan struct{}
	// close frees the source. The contexts of its calls must have ended.
	close()
}

// jobOrders are the values of --sort.
var jobOrders = map[string]func(x, y *history.Job) int{
	"submitted": func(x, y *history.Job) int { return y.Submitted.Compare(x.Submitted) },
	"name": func(x, y *history.Job) int {
		return cmp.Or(strings.Compare(x.Namespace, y.Namespace), strings.Compare(x.Name, y.Name))
	},
	"state":  func(x, y *history.Job) int { return slices.Index(order, x.State) - slices.Index(order, y.State) },
	"waited": func(x, y *history.Job) int { return cmp.Compare(y.WaitedSeconds, x.WaitedSeconds) },
	"ran":    func(x, y *history.Job) int { return cmp.Compare(y.RanSeconds, x.RanSeconds) },
	"gpus":   func(x, y *history.Job) int { return cmp.Compare(y.GPUs, x.GPUs) },
	"queue":  func(x, y *history.Job) int { return strings.Compare(x.Queue, y.Queue) },
	"owner":  func(x, y *history.Job) int { return strings.Compare(x.Submitter, y.Submitter) },
	"tries":  func(x, y *history.Job) int { return cmp.Compare(y.Tries, x.Tries) },
}

const jobOrderNames = "submitted, name, state, waited, ran, gpus, queue, owner or tries"

// sortJobs sorts jobs by a column. Without one it leaves them as the source lists them.
func sortJobs(jobs []history.Job, by string) error {
	if by == "" {
		return nil
	}
	compare := jobOrders[strings.ToLower(by)]
	if compare == nil {
		return fmt.Errorf("--sort is %q; use %s", by, jobOrderNames)
	}
	slices.SortStableFunc(jobs, func(x, y history.Job) int { return compare(&x, &y) })
	return nil
}

// jobStates parses --state. Words may have any case.
func jobStates(words []string) (states []state.State, err error) {
	for _, word := range words {
		i := slices.IndexFunc(order, func(s string) bool { return s != "" && strings.EqualFold(s, strings.TrimSpace(word)) })
		if i < 0 {
			return nil, fmt.Errorf("--state: unknown state %q; the states are %s", word, strings.Join(order[:len(order)-1], ", "))
		}
		states = append(states, state.State(order[i]))
	}
	return states, nil
}

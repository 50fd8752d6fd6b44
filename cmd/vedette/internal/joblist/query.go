package joblist

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// Query selects jobs, in the database or in the cluster.
type Query struct {
	Namespace string // "": all
	Submitter string
	Queue     string
	Types     string // words, separated by commas
	Labels    labels.Selector
	Cluster   string // of the database
	States    []job.State
	Since     time.Time
	Limit     int // 0: all
	After     history.Cursor
}

// List is what a source knows about the jobs of a query.
type List struct {
	Jobs []history.Job
	Next history.Cursor // of a further page; "": there are no more jobs
	More bool           // jobs were left out because of the limit
	Open map[string]int // all open jobs by state, if more is set and they are counted
}

// Source is where jobs are read from.
type Source interface {
	List(ctx context.Context, q Query, now time.Time) (List, error)
	// changed returns a channel that gets a value when the list may have changed, until ctx
	// ends.
	changed(ctx context.Context, q Query) <-chan struct{}
	// Close frees the source. The contexts of its calls must have ended.
	Close()
}

// orders are the values of --sort.
var orders = map[string]func(x, y *history.Job) int{
	"submitted": func(x, y *history.Job) int { return y.Submitted.Compare(x.Submitted) },
	"name": func(x, y *history.Job) int {
		return cmp.Or(strings.Compare(x.Namespace, y.Namespace), strings.Compare(x.Name, y.Name))
	},
	"state": func(x, y *history.Job) int {
		return slices.Index(listing.StateOrder, x.State) - slices.Index(listing.StateOrder, y.State)
	},
	"waited": func(x, y *history.Job) int { return cmp.Compare(y.WaitedSeconds, x.WaitedSeconds) },
	"ran":    func(x, y *history.Job) int { return cmp.Compare(y.RanSeconds, x.RanSeconds) },
	"gpus":   func(x, y *history.Job) int { return cmp.Compare(y.GPUs, x.GPUs) },
	"queue":  func(x, y *history.Job) int { return strings.Compare(x.Queue, y.Queue) },
	"owner":  func(x, y *history.Job) int { return strings.Compare(x.Submitter, y.Submitter) },
	"tries":  func(x, y *history.Job) int { return cmp.Compare(y.Tries, x.Tries) },
}

// Orders are the names of the orders that Sort accepts, for help texts.
const Orders = "submitted, name, state, waited, ran, gpus, queue, owner or tries"

// Sort sorts jobs by a column. Without one it leaves them as the source lists them.
func Sort(jobs []history.Job, by string) error {
	if by == "" {
		return nil
	}
	compare := orders[strings.ToLower(by)]
	if compare == nil {
		return fmt.Errorf("--sort is %q; use %s", by, Orders)
	}
	slices.SortStableFunc(jobs, func(x, y history.Job) int { return compare(&x, &y) })
	return nil
}

package insight

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
)

// source reads recorded objects.
type source struct{ history *history.History }

// errTooMany reports more objects than the limit.
var errTooMany = errors.New("too many objects")

// objects calls each for the existing objects that match a filter. It reads at most most
// rows, and then returns errTooMany.
func (s source) objects(ctx context.Context, f history.Filter, most int, each func(*history.Object)) error {
	read := 0
	list := func(ctx context.Context, p history.Paging) (history.Page[history.Object], error) {
		return s.history.ListObjects(ctx, f, p)
	}
	for o, err := range history.All(ctx, history.Paging{Limit: 1000}, list) {
		if err != nil {
			return err
		}
		if read++; read > most {
			return errTooMany
		}
		if o.Presence == history.Present {
			each(&o)
		}
	}
	return nil
}

// recorded returns the types with records in any cluster.
func (s source) recorded(ctx context.Context) (map[string]bool, error) {
	types, err := s.history.Types(ctx)
	all := map[string]bool{}
	for _, t := range types {
		all[t.String()] = true
	}
	return all, err
}

// typeOf splits "workloads.kueue.x-k8s.io".
func typeOf(name string) history.Type {
	resource, group := job.SplitType(name)
	return history.Type{Group: group, Resource: resource}
}

// blind returns since when a type is unobservable in a cluster; zero if it is observable.
func (s source) blind(ctx context.Context, cluster string, of history.Type) (since time.Time, err error) {
	page, err := s.history.ListGaps(ctx, history.GapFilter{Cluster: cluster, Types: []history.Type{of}, Open: true}, history.Paging{Limit: 100})
	for _, g := range slices.Backward(page.Items) {
		if g.Ended.IsZero() {
			since = g.Began
		}
	}
	return since, err
}

package facts

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/wire"
)

// Maximum reads for one notice.
const (
	maxTransitions = 200
	maxBodies      = 24 // of pods
)

// source reads the history, in bounded pieces.
type source struct{ history *history.History }

// body returns the body of an object at a version, else at the last version, or nil if
// neither exists.
func (s source) body(ctx context.Context, object int64, version wire.Version) ([]byte, error) {
	body, _, err := s.history.Body(ctx, object, version)
	if missing(err) && version != 0 {
		body, _, err = s.history.Body(ctx, object, 0)
	}
	if missing(err) {
		return nil, nil
	}
	return body, err
}

func missing(err error) bool {
	return errors.Is(err, history.ErrUnknown) || errors.Is(err, history.ErrNoBody)
}

// life reads the last transitions up to the version of a notice.
func (s source) life(ctx context.Context, n *message.Notice, of *feed.Object) (lifeOf, error) {
	var all []history.Transition
	whole := true
	list := func(ctx context.Context, p history.Paging) (history.Page[history.Transition], error) {
		return s.history.Transitions(ctx, of.ID, p)
	}
	for t, err := range history.All(ctx, history.Paging{Limit: maxTransitions}, list) {
		if err != nil {
			return lifeOf{}, err
		}
		if n.Version != 0 && uint64(t.Version) > n.Version {
			continue
		}
		if len(all) == maxTransitions {
			whole = false
			break
		}
		all = append(all, t)
	}
	slices.Reverse(all)
	return newLife(all, of.Created, momentOf(n), whole), nil
}

// momentOf returns the time of a notice.
func momentOf(n *message.Notice) time.Time {
	if n.Happened.IsZero() {
		return n.Seen
	}
	return n.Happened
}

// maxGaps is the maximum number of gaps in a strip.
const maxGaps = 20

// gaps returns the intervals of a job's life in which it was not watched.
func (s source) gaps(ctx context.Context, of *feed.Object, from, to time.Time) (all []job.Interval, err error) {
	page, err := s.history.ListGaps(ctx, history.GapFilter{
		Cluster: of.ClusterUID, Types: []history.Type{of.Type}, Namespace: of.Namespace, Open: true, Since: from, Until: to,
	}, history.Paging{Limit: maxGaps})
	for i := range page.Items {
		all = append(all, page.Items[i].Interval(to))
	}
	return all, err
}

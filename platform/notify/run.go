package notify

import (
	"context"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// runOf returns the transition that began the current run of states that count for a
// timer, or may count. It returns false if the current state does not.
func runOf(ctx context.Context, h *history.History, timer *rule.Timer, o feed.Object) (start feed.Transition, counts bool, err error) {
	list := func(ctx context.Context, p history.Paging) (history.Page[history.Transition], error) {
		return h.Transitions(ctx, o.ID, p)
	}
	for one, err := range history.All(ctx, history.Paging{Limit: 20}, list) {
		if err != nil {
			return start, false, err
		}
		t := feedTransition(o, &one)
		in := inputOf(&t, "")
		if !timer.MayCount(&in) {
			break
		}
		if start, counts = t, true; timer.Starts(&in) {
			break
		}
	}
	return start, counts, nil
}

// entered returns the transition that began the current state of an object.
func entered(ctx context.Context, h *history.History, o feed.Object) (t feed.Transition, found bool, err error) {
	page, err := h.Transitions(ctx, o.ID, history.Paging{Limit: 1})
	if err != nil || len(page.Items) == 0 {
		return t, false, err
	}
	return feedTransition(o, &page.Items[0]), true, nil
}

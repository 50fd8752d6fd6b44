package notify

import (
	"context"
	"errors"
	"strings"
	"sync"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
)

// owners finds the people and channels that jobs name. It belongs to one batch. The
// goroutines of the batch may use it concurrently.
type owners struct {
	setup   *setup
	history *history.History
	asks    bool // a condition reads the owner

	mu    sync.Mutex
	known map[int64][]string
}

func newOwners(s *setup, h *history.History) *owners {
	o := &owners{setup: s, history: h, known: map[int64][]string{}}
	for _, r := range s.file.Rules.Rules() {
		o.asks = o.asks || r.When != nil && strings.Contains(r.When.String(), "owner")
	}
	return o
}

// cheap returns the owners of a job if that needs no database query or if a condition
// reads them.
func (o *owners) cheap(ctx context.Context, object *feed.Object) ([]string, error) {
	if o.setup.file.NeedsAnnotations() && !o.asks {
		return nil, nil
	}
	return o.of(ctx, object)
}

// of returns the owners of a job. If it returns an error, it also returns the owners that
// it found without the annotations.
func (o *owners) of(ctx context.Context, object *feed.Object) ([]string, error) {
	o.mu.Lock()
	names, ok := o.known[object.ID]
	o.mu.Unlock()
	if ok {
		return names, nil
	}
	var failed error
	names = o.setup.file.Owners(object.Labels, func() map[string]string {
		job, err := bodyAt(ctx, o.history, object.ID, 0)
		switch {
		case err == nil:
			return job.Annotations()
		case !errors.Is(err, history.ErrNoBody) && !errors.Is(err, history.ErrUnknown):
			failed = err
		}
		return nil
	}, object.Submitter)
	if failed == nil {
		o.mu.Lock()
		o.known[object.ID] = names
		o.mu.Unlock()
	}
	return names, failed
}

// first returns the first owner, "" if there is none.
func first(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return names[0]
}

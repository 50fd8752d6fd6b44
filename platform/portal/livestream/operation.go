package livestream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// farAhead is the maximum number of positions that a browser may be ahead of this portal, because
// another replica may have read the feed earlier. A larger difference means that the database was
// replaced.
const farAhead = 10_000

var errPerson = errors.New("the person has reached the maximum number of streams")

type streamInput struct {
	After       string `query:"after" doc:"the position to continue after"`
	LastEventID string `header:"Last-Event-ID" doc:"like after, from a browser that reconnects"`
}

// Register adds the operation that streams the changes.
func (h *Hub) Register(a huma.API) {
	web.Stream(a, api.PathStream, "stream", "Follow the changes of all jobs", h.open,
		web.Describe("Server-sent events: changes, beat, reset, rights. The ID of an event is a position in the feed."))
}

// open begins a stream.
//
// Errors: problems: the history is loading; there are too many streams; the sight of the person is
// unknown.
func (h *Hub) open(ctx context.Context, _ *streamInput) (*api.Changes, web.Follow, error) {
	if _, _, started := h.state(); !started {
		done := 0.0
		if h.cfg.Done != nil {
			done = h.cfg.Done()
		}
		return nil, nil, web.Loading(done)
	}
	r := web.Request(ctx)
	after, resume, err := web.After(r)
	if err != nil {
		return nil, nil, err
	}
	sight, err := h.cfg.Sight(ctx)
	if err != nil {
		return nil, nil, err
	}
	if h.browsers.Load() >= int64(h.cfg.MaxBrowsers) {
		p := web.TooMany(30 * time.Second)
		p.Status, p.Detail = http.StatusServiceUnavailable, "The portal has reached its maximum number of open streams. Try again in 30 s."
		return nil, nil, p
	}
	now := time.Now()
	b := &browser{hub: h, ask: h.cfg.Sight, sight: sight, seen: now, check: now.Add(sightEvery)}
	reason := b.place(after, resume)
	person := ""
	if h.cfg.Person != nil {
		person = h.cfg.Person(ctx)
	}
	if h.persons.full(person, h.cfg.MaxOfPerson) {
		p := web.TooMany(30 * time.Second)
		p.Detail = fmt.Sprintf("You have %d open streams, the maximum for one person. Close some pages.", h.cfg.MaxOfPerson)
		return nil, nil, p
	}
	return nil, func(ctx context.Context, e *web.Events) error {
		if !h.persons.enter(person, h.cfg.MaxOfPerson) {
			return errPerson
		}
		defer h.persons.leave(person)
		h.browsers.Add(1)
		defer h.browsers.Add(-1)
		if h.cfg.Expires != nil {
			if at := h.cfg.Expires(ctx); !at.IsZero() {
				var cancel context.CancelFunc
				ctx, cancel = context.WithDeadline(ctx, at)
				defer cancel()
			}
		}
		b.w = e
		if reason != "" {
			if err := b.reset(reason); err != nil {
				return err
			}
		}
		return b.run(ctx)
	}, nil
}

// place moves a browser to the entries after a position. It returns the reason of a reset if the
// log does not reach back that far.
func (b *browser) place(after int64, resume bool) (reason string) {
	b.next, b.position, b.epoch = b.hub.end()
	if !resume {
		return ""
	}
	next, ok := b.hub.begin(after)
	switch {
	case !ok:
		return "expired"
	case after > b.position+farAhead && after > b.hub.cfg.Position()+farAhead:
		return "restored"
	}
	b.next, b.after, b.position = next, after, after
	return ""
}

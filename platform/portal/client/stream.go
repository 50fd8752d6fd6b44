package client

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// Limits of a stream.
const (
	quietFor = 30 * time.Second // a portal sends a beat every 5 s
	minWait  = time.Second
	maxWait  = 30 * time.Second
)

// Event is an event of the stream. One of the pointers is set, or Rights.
type Event struct {
	Changes *api.Changes
	Beat    *api.Beat
	// Reset requires the caller to load everything again. So does Rights, because the sight of
	// the person has changed.
	Reset  *api.Reset
	Rights bool
	// Position is the last position that the stream has reported.
	Position int64
}

// Stream returns the changes of jobs after a position, until the loop ends. It reconnects after a
// cut, so that no change is lost or repeated. The loop may be slow: if it falls behind, the portal
// sends a reset.
//
// Errors: one error ends the sequence: *api.Problem if the portal permanently refuses the
// stream; the cause of ctx.
func (c *Client) Stream(ctx context.Context, q url.Values, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		wait, rights := minWait, ""
		for {
			before := after
			stopped, err := c.streamOnce(ctx, q, &after, func(e Event) bool {
				if e.Beat == nil || e.Beat.Rights == "" {
					return yield(e, nil)
				}
				other := rights != "" && rights != e.Beat.Rights // changed while the connection was cut
				rights = e.Beat.Rights
				return yield(e, nil) && (!other || yield(Event{Rights: true, Position: e.Position}, nil))
			})
			if stopped {
				return
			}
			if after != before {
				wait = minWait
			}
			var p *api.Problem
			if errors.As(err, &p) {
				if p.Status < 500 && p.Status != http.StatusTooManyRequests {
					yield(Event{}, err)
					return
				}
				wait = max(wait, time.Duration(p.RetryAfter)*time.Second)
			}
			if pause.For(ctx, jittered(wait)) != nil {
				yield(Event{}, context.Cause(ctx))
				return
			}
			wait = min(2*wait, maxWait)
		}
	}
}

// jittered returns a duration plus up to a quarter of it.
func jittered(d time.Duration) time.Duration { return d + rand.N(d/4+1) }

// streamOnce reads one connection. stopped means that the loop has ended.
func (c *Client) streamOnce(ctx context.Context, q url.Values, after *int64, each func(Event) bool) (stopped bool, err error) {
	sent := url.Values{}
	maps.Copy(sent, q)
	sent.Set("after", strconv.FormatInt(*after, 10))
	var broken error
	err = c.events(ctx, api.PathStream, sent, func(f frame) bool {
		var e Event
		var known bool
		if e, known, broken = eventOf(f); broken != nil {
			return false
		}
		if id, err := strconv.ParseInt(f.id, 10, 64); err == nil && id >= 0 {
			*after = id
		}
		if e.Reset != nil {
			*after = e.Reset.Position
		}
		if e.Position = *after; known && !each(e) {
			stopped = true
		}
		return !stopped
	})
	return stopped, cmp.Or(broken, err)
}

// eventOf decodes an event. known is false for an event type that this client does not know.
//
// Errors: an event that is not JSON. The stream requests it again.
func eventOf(f frame) (e Event, known bool, err error) {
	var to any
	switch f.event {
	case "changes":
		e.Changes = new(api.Changes)
		to = e.Changes
	case "beat":
		e.Beat = new(api.Beat)
		to = e.Beat
	case "reset":
		e.Reset = new(api.Reset)
		to = e.Reset
	case "rights":
		return Event{Rights: true}, true, nil
	default:
		return e, false, nil
	}
	if err := json.Unmarshal([]byte(f.data), to); err != nil {
		return Event{}, false, fmt.Errorf("read an event of the stream: %w", err)
	}
	return e, true, nil
}

// events reads the server-sent events of a path until each returns false, or the connection ends
// or is silent.
func (c *Client) events(ctx context.Context, path string, q url.Values, each func(frame) bool) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r, err := c.request(ctx, http.MethodGet, path, q, nil)
	if err != nil {
		return err
	}
	r.Header.Set("Accept", "text/event-stream")
	quiet := time.AfterFunc(quietFor, func() { cancel(fmt.Errorf("the portal at %s was silent for %v", c.base, quietFor)) })
	defer quiet.Stop()
	answer, err := c.http.Do(r)
	if err != nil {
		return unreachable(c.base, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return problemOf(c.base, answer)
	}
	in := newFrames(answer.Body)
	for {
		f, err := in.next()
		if err != nil {
			return unreachable(c.base, err)
		}
		quiet.Reset(quietFor)
		if !each(f) {
			return nil
		}
	}
}

package notify_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/notify"
	"github.com/vedette-io/vedette/record/feed"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/state"
)

const failures = channels + `
rules:
- {name: my failures, enter: [Failed], to: [hook]}
- {name: ends of ml, enter: [Failed, Succeeded], when: 'new.labels.team == "ml"', to: [hook, chat], now: true}
- {name: all, enter: [Failed], existing: true, to: [chat]}
`

// TestRules: each transition gives one delivery for each rule and receiver. Transitions
// before the first start, objects that existed before their type was recorded, and
// corrections give none. Late transitions are marked as late.
func TestRules(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		h.write(job{uid: "old", version: 1, to: state.Failed})
		p := h.plan(failures)
		h.want()
		h.write(job{uid: "a", version: 2, to: state.Running, labels: "team=ml"}, job{uid: "a", version: 3, to: state.Failed})
		h.write(job{uid: "b", version: 4, to: state.Succeeded}, job{uid: "c", version: 5, to: state.Succeeded, labels: "team=ml"})
		p.settle()
		seen := []string{"a/3/Failed/my-failures/hook", "a/3/Failed/ends-of-ml/hook", "a/3/Failed/ends-of-ml/chat", "a/3/Failed/all/chat", "c/5/Succeeded/ends-of-ml/hook", "c/5/Succeeded/ends-of-ml/chat"}
		for _, d := range h.deliveries() {
			if d.Late {
				t.Errorf("%s is marked as late", d.Key)
			}
		}
		h.want(seen...)
		h.write(job{uid: "d", version: 6, to: state.Failed, source: feed.Listed}, job{uid: "e", version: 7, to: state.Failed, kind: feed.Corrected})
		h.write(job{uid: "f", version: 8, to: state.Failed, source: feed.Relisted}, job{uid: "g", version: 9, to: state.Failed, kind: feed.Late}, job{uid: "h", version: 10, to: state.Failed, source: feed.Inferred})
		p.settle()
		seen = append(seen, "d/6/Failed/all/chat", "f/8/Failed/my-failures/hook", "g/9/Failed/my-failures/hook", "h/10/Failed/my-failures/hook", digestAt(h, 5*time.Minute, "chat"))
		h.want(seen...) // f is the fifth message for the chat within a minute
		for _, d := range h.deliveries()[7:10] {
			if !d.Late {
				t.Errorf("%s is not marked as late", d.Key)
			}
		}
		if s := p.Stats(); s.Transitions != 9 || s.Corrected != 1 || s.RuleErrors != 0 {
			t.Errorf("got %+v, want 9 transitions, 1 correction and no errors", s)
		}
	})
}

// digestAt returns the key of a digest whose window has the given length and is open now.
func digestAt(h *history, length time.Duration, receiver string) string {
	from := h.now().Truncate(length)
	return "digest/" + from.Format(time.RFC3339) + "/" + length.String() + "/" + receiver
}

// TestRestart: one planner restarts, then two run at the same time. No delivery is created
// twice, and none is missed.
func TestRestart(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		const text = channels + "rules:\n- {name: r, enter: [Failed], to: [hook]}\n"
		first := h.plan(text)
		h.write(job{uid: "a", version: 1, to: state.Failed})
		first.settle()
		first.stop()
		h.write(job{uid: "b", version: 2, to: state.Failed})
		second, third := h.plan(text), h.plan(text, func(c *notify.Config) { c.Name = "third" })
		for i, uid := range []string{"c", "d", "e", "f", "g", "h"} {
			h.write(job{uid: uid, version: 3 + i, to: state.Failed})
		}
		second.settle()
		third.settle()
		h.want("a/1/Failed/r/hook", "b/2/Failed/r/hook", "c/3/Failed/r/hook", "d/4/Failed/r/hook", "e/5/Failed/r/hook", "f/6/Failed/r/hook", "g/7/Failed/r/hook", "h/8/Failed/r/hook")
	})
}

// TestDamaged: if the body of a job is damaged, its message lacks the facts. No other
// message is delayed.
func TestDamaged(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + "rules:\n- {name: r, enter: [Failed], to: [hook]}\n- {name: stuck, no-progress: {after: 1h, signal: status step}, to: [hook]}\n")
	h.write(job{uid: "a", version: 1, to: state.Running, body: `{"status":{"step":1}}`}, job{uid: "b", version: 2, to: state.Running, body: `{"status":{"step":1}}`})
	p.settle()
	h.tx(func(tx *sqldb.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE revisions SET data = ? WHERE version = 1", []byte("{damaged}"))
		return err
	})
	h.add(time.Hour)
	p.settle()
	h.write(job{uid: "a", version: 3, to: state.Failed}, job{uid: "c", version: 4, to: state.Failed})
	p.settle()
	h.want("b/2/no-progress/stuck/hook", "a/3/Failed/r/hook", "c/4/Failed/r/hook")
}

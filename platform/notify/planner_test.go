package notify_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
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
		h.write(newJob{uid: "old", version: 1, to: job.Failed})
		p := h.plan(failures)
		h.want()
		h.write(newJob{uid: "a", version: 2, to: job.Running, labels: "team=ml"}, newJob{uid: "a", version: 3, to: job.Failed})
		h.write(newJob{uid: "b", version: 4, to: job.Succeeded}, newJob{uid: "c", version: 5, to: job.Succeeded, labels: "team=ml"})
		p.settle()
		seen := []string{"a/3/Failed/my-failures/hook", "a/3/Failed/ends-of-ml/hook", "a/3/Failed/ends-of-ml/chat", "a/3/Failed/all/chat", "c/5/Succeeded/ends-of-ml/hook", "c/5/Succeeded/ends-of-ml/chat"}
		for _, d := range h.deliveries() {
			if d.Late {
				t.Errorf("%s is marked as late", d.Key)
			}
		}
		h.want(seen...)
		h.write(newJob{uid: "d", version: 6, to: job.Failed, source: feed.Listed}, newJob{uid: "e", version: 7, to: job.Failed, kind: feed.Corrected})
		h.write(newJob{uid: "f", version: 8, to: job.Failed, source: feed.Relisted}, newJob{uid: "g", version: 9, to: job.Failed, kind: feed.Late}, newJob{uid: "h", version: 10, to: job.Failed, source: feed.Inferred})
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
		h.write(newJob{uid: "a", version: 1, to: job.Failed})
		first.settle()
		first.stop()
		h.write(newJob{uid: "b", version: 2, to: job.Failed})
		second, third := h.plan(text), h.plan(text, func(c *notify.Config) { c.Name = "third" })
		for i, uid := range []string{"c", "d", "e", "f", "g", "h"} {
			h.write(newJob{uid: uid, version: 3 + i, to: job.Failed})
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
	h.write(newJob{uid: "a", version: 1, to: job.Running, body: `{"status":{"step":1}}`}, newJob{uid: "b", version: 2, to: job.Running, body: `{"status":{"step":1}}`})
	p.settle()
	h.tx(func(tx *sqldb.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE revisions SET data = ? WHERE version = 1", []byte("{damaged}"))
		return err
	})
	h.add(time.Hour)
	p.settle()
	h.write(newJob{uid: "a", version: 3, to: job.Failed}, newJob{uid: "c", version: 4, to: job.Failed})
	p.settle()
	h.want("b/2/no-progress/stuck/hook", "a/3/Failed/r/hook", "c/4/Failed/r/hook")
}

package notify_test

import (
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestAlertsWaitForData: while no recorder confirms a type, alerts about its jobs are held, also
// those of escalations. Other channels get their messages. An alert whose state was left
// meanwhile is superseded; the others are sent when a recorder confirms the type, as late.
func TestAlertsWaitForData(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		h.heartbeat(0, 0, 0)
		p := h.plan(`
channels:
  hook: {type: webhook, url: {env: U}, secret: {env: S}}
  pager: {type: pagerduty, key: {env: K}}
  second: {type: opsgenie, key: {env: K}}
rules:
- {name: r, enter: [Failed], to: [hook], escalate: {after: 10m, to: [second]}}
- {name: page, enter: [Failed], to: [pager], escalate: {after: 30m, to: [hook]}}
`)
		h.write(newJob{uid: "a", version: 1, to: job.Failed})
		p.settle()
		h.wantStates("a/1/Failed/r/hook waiting", "a/1/Failed/page/pager waiting")
		h.add(11 * time.Minute) // the heartbeat is old
		p.settle()
		const escalated = "escalation/gpu-west/a/1/Failed/r/hook/second"
		h.write(newJob{uid: "b", version: 2, to: job.Failed}, newJob{uid: "c", version: 3, to: job.Failed})
		p.settle()
		want := []string{"a/1/Failed/r/hook waiting", "a/1/Failed/page/pager waiting", escalated + " held", "b/2/Failed/page/pager held", "c/3/Failed/page/pager held", "b/2/Failed/r/hook waiting", "c/3/Failed/r/hook waiting"}
		slices.Sort(want)
		for range 3 {
			got := h.states()
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Fatalf("without a recorder\n got %q\nwant %q", got, want)
			}
			h.add(3 * time.Minute)
			p.settle()
		}
		h.write(newJob{uid: "c", version: 4, to: job.Running})
		p.settle()
		h.heartbeat(0, 0, 0)
		for range 4 { // the heartbeat never gets old
			h.add(4 * time.Second)
			h.heartbeat(0, 0, 0)
			p.settle()
		}
		for key, state := range map[string]delivery.State{
			escalated: delivery.Waiting, "gpu-west/b/2/Failed/page/pager": delivery.Waiting, "gpu-west/c/3/Failed/page/pager": delivery.Superseded,
		} {
			d, err := delivery.Find(t.Context(), h.DB, key)
			if err != nil || d.State != state || state == delivery.Waiting && !d.Late {
				t.Errorf("%s: got %s, late %v and error %v; want %s and late", key, d.State, d.Late, err, state)
			}
		}
		b, err := delivery.Find(t.Context(), h.DB, "gpu-west/b/2/Failed/page/pager")
		if wait := b.EscalateAt.Sub(h.now()); err != nil || wait > 31*time.Minute || wait < 25*time.Minute {
			t.Errorf("the escalation of b is in %v, error %v; want in 30 minutes", wait, err)
		}
	})
}

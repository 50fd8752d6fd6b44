package notify_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestPreview: for the same transitions, a preview counts the deliveries that the planner
// has created, by rule and channel. It also works on a read-only connection.
func TestPreview(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		const text = channels + `
quiet-hours: {from: "22:00", to: "07:00"}
rules:
- {name: failures, enter: [Failed], to: [hook, chat]}
- {name: new, enter: [Running], to: [chat], existing: true}
- {name: flapping, enter: [Restarting], to: [hook], now: true, urgent: true, flap: {changes: 2, within: 2h}}
- {name: digest, enter: [Succeeded], to: [chat-ops], digest: 2h}
- {name: slow, waits: 40m, to: [hook], urgent: true}
- {name: soon, near-deadline: 40m, to: [hook]}
`
		h := newHistory(t, url)
		begin := h.now()
		p := h.plan(text)
		random := testinput.Rand(t)
		states := []job.State{job.Queued, job.Running, job.Restarting, job.Failed, job.Succeeded}
		now := map[string]job.State{}
		for i := range 40 {
			uid := fmt.Sprint("job-", random.IntN(4))
			to := states[random.IntN(len(states))]
			if to == now[uid] {
				continue
			}
			source := feed.Watched
			if i%9 == 0 {
				source = feed.Listed
			}
			now[uid] = to
			h.write(newJob{uid: uid, version: i + 1, to: to, source: source})
			p.settle()
			h.add(time.Duration(random.IntN(40)) * time.Minute / 2)
			p.settle()
		}
		want := map[string]int{}
		for _, d := range h.deliveries() {
			if d.Kind != "Digest" {
				want[d.Rule+" "+d.Channel]++
			}
		}
		items := h.count("SELECT COUNT(*) FROM digest_items")
		digests := h.count("SELECT COUNT(*) FROM deliveries WHERE kind = 'Digest'")
		read, err := sqldb.Read(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer read.Close()
		f, err := notify.Preview(t.Context(), read, fileOf(t, text), begin, h.now(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		collected, opened := 0, 0
		for _, r := range f.Receivers {
			if r.Messages > 0 {
				got[r.Rule+" "+r.Channel] = r.Messages
			}
			collected, opened = collected+r.Collected, opened+r.Digests
			if len(r.Samples) == 0 || r.Samples[0].Name == "" {
				t.Errorf("%s has no sample", r.Rule)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" || collected != items || opened != digests || items == 0 {
			t.Errorf("collected %d of %d in %d digests of %d\n%s", collected, items, opened, digests, diff)
		}
		if diff := cmp.Diff([]string{"soon"}, f.Skipped); diff != "" || f.Transitions != h.count("SELECT COUNT(*) FROM transitions") {
			t.Errorf("got %d transitions, want all; skipped rules (-want +got):\n%s", f.Transitions, diff)
		}
	})
}

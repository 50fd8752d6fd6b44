package notify_test

import (
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestMutes: a muted message is not created. A mute of a job ends with the job, whose last
// message is still muted.
func TestMutes(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + "rules:\n- {name: r, enter: [Running, Failed], to: [hook]}\n- {name: d, enter: [Running], to: [chat]}\n")
	h.write(newJob{uid: "a", version: 1, to: job.Queued}, newJob{uid: "b", version: 2, to: job.Queued})
	p.settle()
	mute := func(m delivery.Mute) {
		if err := delivery.AddMute(t.Context(), h.DB, m); err != nil {
			t.Fatal(err)
		}
	}
	mute(delivery.Mute{Channel: "hook", Object: 1})
	mute(delivery.Mute{Channel: "chat", Digests: true, Until: h.now().Add(time.Hour)})
	h.write(newJob{uid: "a", version: 3, to: job.Running}, newJob{uid: "b", version: 4, to: job.Running})
	p.settle()
	h.want("b/4/Running/r/hook")
	h.write(newJob{uid: "a", version: 5, to: job.Failed})
	p.settle()
	h.want("b/4/Running/r/hook")
	h.write(newJob{uid: "a", version: 6, to: job.Running}) // the mute has ended with the job
	p.settle()
	h.want("b/4/Running/r/hook", "a/6/Running/r/hook")
	h.add(time.Hour)
	h.write(newJob{uid: "b", version: 7, to: job.Queued}, newJob{uid: "b", version: 8, to: job.Running})
	p.settle()
	h.want("b/4/Running/r/hook", "a/6/Running/r/hook", "b/8/Running/r/hook", digestAt(h, time.Hour, "chat"))
	if s := p.Stats(); s.Muted != 5 {
		t.Errorf("got %d muted, want 5", s.Muted)
	}
}

// TestPrunedSubscriptions: subscriptions to jobs that ended long ago are removed; others stay.
func TestPrunedSubscriptions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		h.write(newJob{uid: "ended", version: 1, to: job.Failed}, newJob{uid: "runs", version: 2, to: job.Running})
		h.add(time.Hour)
		h.write(newJob{uid: "late", version: 3, to: job.Succeeded})
		for _, uid := range []string{"ended", "runs", "late", "unknown", ""} {
			if _, err := delivery.Subscribe(t.Context(), h.DB, delivery.Subscription{Person: "ann", UID: uid, Channel: "chat", CreatedBy: "ann"}, "", 0); err != nil {
				t.Fatal(err)
			}
		}
		p, err := delivery.Prune(t.Context(), h.DB, h.now().Add(-30*time.Minute))
		if err != nil || p.Subscriptions != 1 {
			t.Errorf("removed %d subscriptions, %v; want 1", p.Subscriptions, err)
		}
		if n := h.count("SELECT COUNT(*) FROM subscriptions WHERE uid <> 'ended'"); n != 4 {
			t.Errorf("%d subscriptions are left, want 4", n)
		}
	})
}

// TestSubscriptions: a verified subscription gets the transitions of its jobs, unless a
// rule already sends to the same receiver or the subscription is muted.
func TestSubscriptions(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + "rules:\n- {name: r, enter: [Failed], to: [hook]}\n")
	subscribe := func(s delivery.Subscription, code string) int64 {
		id, err := delivery.Subscribe(t.Context(), h.DB, s, code, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	subscribe(delivery.Subscription{Person: "ann", UID: "a", Channel: "hook", CreatedBy: "ann"}, "")
	subscribe(delivery.Subscription{Person: "bob", Labels: "team=ml", States: "Running, Failed", Channel: "chat", Address: "bob", CreatedBy: "bob"}, "")
	subscribe(delivery.Subscription{Person: "eve", Labels: "team=ml", Channel: "chat", Address: "eve", CreatedBy: "eve"}, "123456") // not verified
	muted := subscribe(delivery.Subscription{Person: "dan", Type: "jobs.batch", Namespace: "ml", Name: "job-b", Channel: "chat", Address: "dan", CreatedBy: "dan"}, "")
	if err := delivery.MuteSubscription(t.Context(), h.DB, muted, "dan", h.now().Add(time.Hour), "dan"); err != nil {
		t.Fatal(err)
	}
	h.add(2 * time.Second)
	h.write(newJob{uid: "a", version: 1, to: job.Queued}, newJob{uid: "b", version: 2, to: job.Queued, labels: "team=ml"})
	h.write(newJob{uid: "b", version: 3, to: job.Running}, newJob{uid: "a", version: 4, to: job.Failed}, newJob{uid: "c", version: 5, to: job.Failed})
	p.settle()
	h.want("a/1/Queued/subscription/hook", "b/3/Running/subscription/chat:bob", "a/4/Failed/r/hook", "c/5/Failed/r/hook")
	if d := h.deliveries()[1]; d.Role != "subscriber" || d.Person != "bob" || d.Receiver != "bob" {
		t.Errorf("got %+v, want subscriber bob", d)
	}
	h.add(2 * time.Hour)
	h.write(newJob{uid: "b", version: 6, to: job.Succeeded})
	p.settle()
	h.want("a/1/Queued/subscription/hook", "b/3/Running/subscription/chat:bob", "a/4/Failed/r/hook", "c/5/Failed/r/hook", "b/6/Succeeded/subscription/chat:dan")
}

// TestLatest: a later message of the rule replaces an unsent one.
func TestLatest(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + "rules:\n- {name: r, enter: [Queued, Running], to: [hook], latest: true}\n")
	h.write(newJob{uid: "a", version: 1, to: job.Queued}, newJob{uid: "b", version: 2, to: job.Queued})
	p.settle()
	h.write(newJob{uid: "a", version: 3, to: job.Running})
	p.settle()
	var states []delivery.State
	for _, d := range h.deliveries() {
		states = append(states, d.State)
	}
	if len(states) != 3 || states[0] != delivery.Superseded || states[1] != delivery.Waiting || states[2] != delivery.Waiting {
		t.Errorf("got states %v, want superseded, waiting, waiting", states)
	}
}

// TestReload: new rules apply from the next transition. Existing deliveries of removed
// rules and channels stay, and Health reports the missing channels.
func TestReload(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + "rules:\n- {name: r, enter: [Failed], to: [hook]}\n")
	h.write(newJob{uid: "a", version: 1, to: job.Failed})
	p.settle()
	p.SetConfig(fileOf(t, "channels:\n  other: {type: webhook, url: {env: U}, secret: {env: S}}\nrules:\n- {name: s, enter: [Failed], to: [other]}\n"))
	h.write(newJob{uid: "b", version: 2, to: job.Failed})
	p.settle()
	h.want("a/1/Failed/r/hook", "b/2/Failed/s/other")
	health, err := p.Health(t.Context())
	if err != nil || !health.Cursor || health.Behind != 0 || len(health.Faults) != 2 ||
		health.Faults[0] != "channel other (notify.yaml:2): the test sends nothing; its messages wait" ||
		health.Faults[1] != "1 messages wait for channel hook, which the file no longer has" {
		t.Errorf("got error %v and %+v, want a cursor, nothing behind, and two faults", err, health)
	}
}

// TestNoMessageAboutOnesOwnAct: the person who cancelled a job, under any of their names,
// gets no message that it was aborted or deleted. Everybody else does.
func TestNoMessageAboutOnesOwnAct(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(`
people:
  liwei: {feishu: ou_liwei, prefers: feishu, also: [wei@example.com]}
  ann: {feishu: ou_ann, prefers: feishu}
channels:
  feishu: {type: feishu, url: {env: U}, secret: {env: S}}
  ops: {type: webhook, url: {env: U}, secret: {env: S}}
owner: [submitter]
rules:
- {name: r, enter: [Running, Aborted, Deleted], now: true, to: [owner, ops]}
`)
	body := func(by string) string {
		return `{"metadata":{"annotations":{"vedette.io/cancelled-by":"` + by + `"}}}`
	}
	for i, by := range []string{"wei@example.com", "ann"} {
		uid, v := string(rune('a'+i)), 10*i
		h.write(newJob{uid: uid, version: v + 1, to: job.Running, submitter: "liwei", body: body(by)})
		h.write(newJob{uid: uid, version: v + 2, to: job.Aborted, submitter: "liwei", reason: "Cancelled", body: body(by)})
	}
	h.write(newJob{uid: "c", version: 31, to: job.Deleted, submitter: "liwei", reason: "Cancelled", body: body("liwei")})
	h.write(newJob{uid: "d", version: 41, to: job.Aborted, submitter: "liwei", reason: "Terminating", body: body("liwei")}) // resumed, then deleted by somebody
	p.settle()
	h.want("a/1/Running/r/feishu:ou_liwei", "a/1/Running/r/ops", "a/2/Aborted/r/ops",
		"b/11/Running/r/feishu:ou_liwei", "b/11/Running/r/ops", "b/12/Aborted/r/feishu:ou_liwei", "b/12/Aborted/r/ops",
		"c/0/Deleted/r/ops", "d/41/Aborted/r/feishu:ou_liwei", "d/41/Aborted/r/ops")
	if s := p.Stats(); s.Own != 2 {
		t.Errorf("got Own = %d, want 2", s.Own)
	}
}

package notify_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestEscalation: another receiver gets one message when nobody acknowledged the first
// one. There is no escalation if the message was acknowledged or the job left the state.
func TestEscalation(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		const text = channels + "rules:\n- {name: r, enter: [Failed], to: [chat], escalate: {after: 10m, to: [hook]}}\n"
		p := h.plan(text)
		h.write(newJob{uid: "a", version: 1, to: job.Failed}, newJob{uid: "acked", version: 2, to: job.Failed}, newJob{uid: "left", version: 3, to: job.Failed})
		p.settle()
		h.want("a/1/Failed/r/chat", "acked/2/Failed/r/chat", "left/3/Failed/r/chat")
		h.add(5 * time.Minute)
		if n, err := delivery.Ack(t.Context(), h.DB, h.deliveries()[1].Object, "ann"); n != 1 || err != nil {
			t.Fatalf("acknowledged %d, error %v; want 1", n, err)
		}
		h.write(newJob{uid: "left", version: 4, to: job.Running})
		p.settle()
		h.want("a/1/Failed/r/chat", "acked/2/Failed/r/chat", "left/3/Failed/r/chat")
		p.stop()
		h.add(5 * time.Minute)
		p, q := h.plan(text), h.plan(text) // two replicas, after a restart
		p.settle()
		q.settle()
		h.add(time.Hour)
		p.settle()
		h.want("a/1/Failed/r/chat", "acked/2/Failed/r/chat", "left/3/Failed/r/chat", "escalation/gpu-west/a/1/Failed/r/chat/hook")
		var n message.Notice
		d := h.deliveries()[3]
		if err := json.Unmarshal(d.Event, &n); err != nil || n.Kind != message.Escalation || n.Escalated.Notice.Kind != message.Failed || n.Escalated.Channel != "chat" || n.Escalated.Age != 10*time.Minute {
			t.Errorf("got error %v and %s, want the escalation of Failed by chat after 10 minutes", err, d.Event)
		}
		if s := p.Stats().Escalated + q.Stats().Escalated; s != 1 {
			t.Errorf("got %d escalations, want 1", s)
		}
	})
}

// TestResolve: leaving a state closes the alerts about it once. Alerts of other channels
// stay open.
func TestResolve(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + "  pager: {type: pagerduty, key: {env: K}}\nrules:\n- {name: r, enter: [Failed, Running], to: [pager, hook]}\n- {name: slow, waits: 10m, to: [pager]}\n")
	h.write(newJob{uid: "a", version: 1, to: job.Submitted})
	p.settle()
	h.add(11 * time.Minute)
	p.settle()
	h.write(newJob{uid: "a", version: 2, to: job.Queued}) // still waits
	p.settle()
	h.want("a/1/waits/slow/pager")
	h.write(newJob{uid: "a", version: 3, to: job.Running})
	p.settle()
	h.want("a/1/waits/slow/pager", "a/3/Running/r/pager", "a/3/Running/r/hook", "a/1/waits/slow/pager/resolved")
	h.write(newJob{uid: "a", version: 4, to: job.Failed})
	p.settle()
	h.want("a/1/waits/slow/pager", "a/3/Running/r/pager", "a/3/Running/r/hook", "a/1/waits/slow/pager/resolved",
		"a/4/Failed/r/pager", "a/4/Failed/r/hook", "a/3/Running/r/pager/resolved")
	var n message.Notice
	if err := json.Unmarshal(h.deliveries()[6].Event, &n); err != nil || !n.Resolve || n.To != job.Running {
		t.Errorf("got error %v and %+v, want it resolved by Running", err, n)
	}
}

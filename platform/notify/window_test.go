package notify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// digests returns the keys of digests with their states and items.
func (h *history) digests() (all []string) {
	h.t.Helper()
	for _, d := range h.deliveries() {
		if d.Kind == "Digest" {
			all = append(all, fmt.Sprintf("%s %s: %s", strings.TrimPrefix(d.Key, "digest/"), d.State, strings.Join(h.items(d), ", ")))
		}
	}
	return all
}

func (h *history) wantDigests(want ...string) {
	h.t.Helper()
	if got := h.digests(); !slices.Equal(got, want) {
		h.t.Errorf("digests\n got %q\nwant %q", got, want)
	}
}

// TestDigest: a digest collects the messages of its window for a receiver and is sent
// after its end. The next window has another digest. Kinds of channels that prefer digests
// get one for messages that are not urgent.
func TestDigest(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		p := h.plan(channels + `
rules:
- {name: hourly, enter: [Succeeded], to: [hook], digest: 1h}
- {name: ends, enter: [Succeeded], to: [chat]}
digest: 30m
`)
		day := h.now().Format("2006-01-02T")
		h.write(newJob{uid: "a", version: 1, to: job.Succeeded})
		p.settle()
		h.add(20 * time.Minute)
		h.write(newJob{uid: "b", version: 2, to: job.Succeeded})
		p.settle()
		hourly, half := day+"10:00:00Z/1h0m0s/hook ", day+"10:00:00Z/30m0s/chat "
		h.wantDigests(hourly+"held: Succeeded 1, Succeeded 2", half+"held: Succeeded 1, Succeeded 2")
		h.add(10 * time.Minute)
		p.settle()
		h.wantDigests(hourly+"held: Succeeded 1, Succeeded 2", half+"waiting: Succeeded 1, Succeeded 2")
		h.write(newJob{uid: "c", version: 3, to: job.Succeeded})
		p.settle()
		h.add(30 * time.Minute)
		p.settle()
		h.wantDigests(hourly+"waiting: Succeeded 1, Succeeded 2, Succeeded 3", half+"waiting: Succeeded 1, Succeeded 2", day+"10:30:00Z/30m0s/chat behind: Succeeded 3")
	})
}

// TestClosedDigest: a replica with a fast clock has closed a digest; items of another
// replica go into the digest of the next window.
func TestClosedDigest(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + "rules:\n- {name: r, enter: [Failed], to: [hook], digest: 1h}\n")
	day := h.now().Format("2006-01-02T")
	h.write(newJob{uid: "a", version: 1, to: job.Failed})
	p.settle()
	h.tx(func(tx *sqldb.Tx) error {
		_, err := delivery.CloseDigests(t.Context(), tx, h.now().Add(time.Hour))
		return err
	})
	h.write(newJob{uid: "b", version: 2, to: job.Failed})
	p.settle()
	h.wantDigests(day+"10:00:00Z/1h0m0s/hook waiting: Failed 1", day+"11:00:00Z/1h0m0s/hook held: Failed 2")
}

// TestStorm: the fifth message for a receiver within a minute opens a digest, and later
// messages join it until its end. Channels of programs get each message.
func TestStorm(t *testing.T) {
	h := newHistory(t, sqlite(t))
	const text = channels + "rules:\n- {name: r, enter: [Failed], to: [chat, hook]}\n"
	begin := h.now()
	p := h.plan(text)
	version := 0
	fail := func(n int) {
		for range n {
			version++
			h.write(newJob{uid: fmt.Sprint(version), version: version, to: job.Failed})
		}
		p.settle()
	}
	singles := func(want int) {
		t.Helper()
		got := 0
		for _, d := range h.deliveries() {
			if d.Kind == "Failed" && d.Channel == "chat" {
				got++
			}
		}
		if got != want {
			t.Errorf("got %d single messages, want %d", got, want)
		}
	}
	fail(4)
	singles(4)
	fail(3)
	singles(4)
	h.add(2 * time.Minute) // the digest is still open
	fail(1)
	singles(4)
	h.wantDigests(h.now().Format("2006-01-02T") + "10:00:00Z/5m0s/chat held: Failed 5, Failed 6, Failed 7, Failed 8")
	h.add(3 * time.Minute)
	fail(4)
	singles(8)
	if n := len(h.deliveries()); n != 12+8+1 {
		t.Errorf("got %d deliveries, want 21", n)
	}
	f, err := notify.Preview(t.Context(), h.DB, fileOf(t, text), begin, h.now().Add(time.Second), nil)
	if err != nil || len(f.Receivers) != 2 || f.Receivers[0].Messages != 8 || f.Receivers[0].Collected != 4 || f.Receivers[0].Digests != 1 || f.Receivers[1].Messages != 12 {
		t.Errorf("got error %v and preview %+v, want 8 messages and a digest of 4, and 12 messages", err, f)
	}
}

// TestQuiet: messages in quiet hours are held until their end, unless the rule is urgent.
// A message that can be acknowledged stays separate.
func TestQuiet(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + `
quiet-hours: {from: "22:00", to: "07:00"}
time-zone: UTC
rules:
- {name: r, enter: [Failed], to: [chat]}
- {name: now, enter: [Failed], to: [hook], urgent: true}
- {name: ack, enter: [Failed], to: [chat-ops], escalate: {after: 10m, to: [hook]}}
`)
	day, next := h.now().Format("2006-01-02T"), h.now().Add(24*time.Hour).Format("2006-01-02T")
	h.add(12*time.Hour + time.Minute)
	h.write(newJob{uid: "a", version: 1, to: job.Failed})
	p.settle()
	h.want("a/1/Failed/now/hook", "a/1/Failed/ack/chat-ops", "digest/"+day+"22:00:00Z/9h0m0s/chat")
	all := h.deliveries()
	if ack := all[1]; ack.State != delivery.Held || ack.NextAt.UTC().Format(time.RFC3339) != next+"07:00:00Z" || ack.EscalateAt.Sub(ack.NextAt) != 10*time.Minute {
		t.Errorf("got %+v, want it held until 07:00, escalation 10 minutes later", ack)
	}
	h.add(8 * time.Hour)
	h.write(newJob{uid: "b", version: 2, to: job.Failed})
	p.settle()
	h.wantDigests(day + "22:00:00Z/9h0m0s/chat held: Failed 1, Failed 2")
	h.add(time.Hour)
	p.settle()
	h.wantDigests(day + "22:00:00Z/9h0m0s/chat waiting: Failed 1, Failed 2")
	if ack := h.deliveries()[1]; ack.State != delivery.Waiting {
		t.Errorf("the held message is %v", ack.State)
	}
}

// TestFlap: messages about an object beyond the limit of a window go into a digest.
func TestFlap(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + "rules:\n- {name: r, enter: [Restarting], to: [hook], now: true, flap: {changes: 2, within: 10m}}\n")
	for i := range 4 {
		h.write(newJob{uid: "a", version: 2*i + 1, to: job.Running}, newJob{uid: "a", version: 2*i + 2, to: job.Restarting})
		p.settle()
		h.add(time.Minute)
	}
	h.add(10 * time.Minute)
	h.write(newJob{uid: "a", version: 11, to: job.Running}, newJob{uid: "a", version: 12, to: job.Restarting})
	p.settle()
	got := h.keys()
	if len(got) != 4 || got[0] != "a/2/Restarting/r/hook" || got[1] != "a/4/Restarting/r/hook" || got[3] != "a/12/Restarting/r/hook" {
		t.Errorf("got deliveries %q, want 4: three restarts and a digest", got)
	}
	if got := h.digests(); len(got) != 1 || !strings.HasSuffix(got[0], ": Restarted 1, Restarted 1") {
		t.Errorf("got digests %q, want one of two restarts", got)
	}
}

// sqlite returns the URL of a new database.
func sqlite(t *testing.T) string { return "sqlite:" + t.TempDir() + "/history.db" }

package notify_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestWaits: a timer fires once for each wait, at its time, also after a restart. A wait
// continues from Submitted to Queued. A job that starts before the time fires nothing.
func TestWaits(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		const text = channels + "rules:\n- {name: slow, waits: 30m, to: [hook]}\n"
		p := h.plan(text)
		h.write(newJob{uid: "a", version: 1, to: job.Submitted}, newJob{uid: "b", version: 2, to: job.Submitted})
		p.settle()
		h.add(20 * time.Minute)
		h.write(newJob{uid: "a", version: 3, to: job.Queued}, newJob{uid: "b", version: 4, to: job.Running})
		p.settle()
		h.add(9 * time.Minute)
		p.settle()
		h.want()
		h.add(time.Minute)
		p.settle()
		h.want("a/1/waits/slow/hook")
		h.add(time.Hour)
		p.settle()
		p.stop()
		p = h.plan(text)
		h.want("a/1/waits/slow/hook")
		// Retention deletes the delivery while the job still waits.
		h.tx(func(tx *sqldb.Tx) error {
			_, err := tx.Exec(t.Context(), "DELETE FROM deliveries")
			return err
		})
		h.add(25 * time.Hour)
		p.settle()
		h.add(25 * time.Hour)
		p.settle()
		h.want()
		// The job waits again.
		h.write(newJob{uid: "a", version: 5, to: job.Running}, newJob{uid: "a", version: 6, to: job.Queued})
		p.settle()
		p.stop()
		h.add(31 * time.Minute)
		p = h.plan(text)
		p.settle()
		h.want("a/6/waits/slow/hook")
		h.add(26 * time.Hour)
		h.write(newJob{uid: "a", version: 7, to: job.Running})
		p.settle()
		h.add(26 * time.Hour)
		p.settle()
		if n := h.count("SELECT COUNT(*) FROM notify_timers"); n != 0 {
			t.Errorf("%d timers are left", n)
		}
	})
}

// heartbeat replaces the heartbeat of the recorder: the times since it stored all, since it
// renewed the row, and since it heard of the type.
func (h *history) heartbeat(committed, renewed, heard time.Duration) {
	h.t.Helper()
	at := func(ago time.Duration) int64 { return h.now().Add(-ago).UnixMicro() }
	h.tx(func(tx *sqldb.Tx) error {
		_, err := tx.Exec(h.t.Context(), "DELETE FROM recorders")
		if err == nil {
			_, err = tx.Exec(h.t.Context(), "DELETE FROM recorder_scopes")
		}
		if err == nil {
			err = tx.Insert(h.t.Context(), "recorders", []string{"id", "cluster_id", "name", "committed_at", "renewed_at"}, [][]any{{int64(1), int64(1), "r", at(committed), at(renewed)}})
		}
		if err != nil {
			return err
		}
		columns := []string{"recorder_id", "resource_id", "namespace", "selector_hash", "selectors", "uid_range", "behind_at", "heard_at"}
		return tx.Insert(h.t.Context(), "recorder_scopes", columns, [][]any{{int64(1), int64(1), "", int64(0), int64(0), int16(0), int64(0), at(heard)}})
	})
}

// TestTimersWaitForData: a timer does not fire as long as no recorder confirms the state of the
// job, and fires when one does.
func TestTimersWaitForData(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		p := h.plan(channels + "rules:\n- {name: slow, waits: 30m, to: [hook]}\n")
		h.write(newJob{uid: "a", version: 1, to: job.Queued})
		h.heartbeat(0, 0, 0) // old when the timer is due
		p.settle()
		h.add(40 * time.Minute)
		for name, wait := range map[string]func(){
			"no recorder runs":    func() { h.heartbeat(time.Minute, time.Minute, 0) },
			"it is behind":        func() { h.heartbeat(time.Minute, 0, 0) },
			"its watch is silent": func() { h.heartbeat(0, 0, 10*time.Minute) },
		} {
			wait()
			h.add(time.Second)
			p.settle()
			if got := h.keys(); len(got) != 0 {
				t.Errorf("%s: got %q, want no message", name, got)
			}
			h.add(time.Minute)
		}
		h.heartbeat(0, 0, 0)
		h.add(time.Second)
		p.settle()
		h.want("a/1/waits/slow/hook")
	})
}

// TestEarlierWait: the timer of an ended wait is removed when it is due, even if the job
// waits again.
func TestEarlierWait(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + "rules:\n- {name: slow, waits: 30m, to: [hook]}\n")
	h.write(newJob{uid: "a", version: 1, to: job.Queued})
	h.add(10 * time.Minute)
	h.write(newJob{uid: "a", version: 2, to: job.Running}, newJob{uid: "a", version: 3, to: job.Queued})
	p.settle()
	if n := h.count("SELECT COUNT(*) FROM notify_timers"); n != 2 {
		t.Errorf("got %d timers, want 2", n)
	}
	h.add(20 * time.Minute)
	p.settle()
	if n := h.count("SELECT COUNT(*) FROM notify_timers WHERE version = 3 AND fired = 0"); n != 1 || h.count("SELECT COUNT(*) FROM notify_timers") != 1 {
		t.Errorf("%d timers of the second wait", n)
	}
	h.add(10 * time.Minute)
	p.settle()
	h.want("a/3/waits/slow/hook")
}

// TestOlderFile: a notifier with an older file leaves the timers of newer rules alone, and a
// rule that no file has had for the time that deliveries are kept begins as a new one.
func TestOlderFile(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		const older = channels + "rules:\n- {name: other, runs: 1h, to: [hook]}\n"
		const newer = channels + "rules:\n- {name: slow, waits: 30m, to: [hook]}\n- {name: other, runs: 1h, to: [hook]}\n"
		p := h.plan(newer)
		h.write(newJob{uid: "a", version: 1, to: job.Queued})
		p.settle()
		p.stop()
		p = h.plan(older)
		h.add(40 * time.Minute)
		p.settle()
		h.want()
		p.stop()
		p = h.plan(newer)
		p.settle()
		h.want("a/1/waits/slow/hook")
		p.stop()
		p = h.plan(older)
		h.add(32 * 24 * time.Hour)
		p.settle()
		if n, m := h.count("SELECT COUNT(*) FROM notify_timers"), h.count("SELECT COUNT(*) FROM notify_marks WHERE name LIKE 'timer/%slow%'"); n != 0 || m != 0 {
			t.Errorf("%d timers and %d marks of a removed rule are left", n, m)
		}
	})
}

// TestPlannedByOlderFile: a job that enters a state while a notifier with an older file plans gets
// the timers of the rules that the file lacks when a notifier with a newer file plans again, also if
// they are overdue by then. A state from before the rule was new has no message, and none comes
// twice.
func TestPlannedByOlderFile(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		h := newHistory(t, url)
		const older = channels + "rules:\n- {name: other, runs: 1h, to: [hook]}\n"
		const newer = channels + "rules:\n- {name: slow, waits: 30m, to: [hook]}\n- {name: other, runs: 1h, to: [hook]}\n"
		h.write(newJob{uid: "old", version: 1, to: job.Queued})
		h.add(40 * time.Minute)
		p := h.plan(newer)
		p.stop()
		h.add(time.Minute)
		p = h.plan(older)
		h.write(newJob{uid: "a", version: 2, to: job.Queued})
		p.settle()
		h.add(40 * time.Minute)
		h.write(newJob{uid: "b", version: 3, to: job.Queued})
		p.settle()
		p.stop()
		p = h.plan(newer)
		p.settle()
		h.want("a/2/waits/slow/hook")
		h.add(40 * time.Minute)
		p.settle()
		h.want("a/2/waits/slow/hook", "b/3/waits/slow/hook")
		p.SetConfig(fileOf(t, older)) // a reload is the same
		h.write(newJob{uid: "c", version: 4, to: job.Queued})
		p.settle()
		h.add(40 * time.Minute)
		p.SetConfig(fileOf(t, newer))
		p.settle()
		p.settle()
		h.want("a/2/waits/slow/hook", "b/3/waits/slow/hook", "c/4/waits/slow/hook")
	})
}

// TestUnlikeFiles: notifiers with different files say so, until they have the same.
func TestUnlikeFiles(t *testing.T) {
	h := newHistory(t, sqlite(t))
	const one, other = channels + "rules:\n- {name: r, enter: [Failed], to: [hook]}\n", channels + "rules:\n- {name: s, enter: [Failed], to: [hook]}\n"
	first := h.plan(one, func(c *notify.Config) { c.Name = "first" })
	second := h.plan(other, func(c *notify.Config) { c.Name = "second" })
	fault := func(want int) {
		t.Helper()
		patience.Until(t, "the comparison of files", func() string {
			health, err := first.Health(t.Context())
			if err != nil {
				return err.Error()
			}
			n := 0
			for _, f := range health.Faults {
				if strings.Contains(f, "different files") && strings.Contains(f, "first has ") && strings.Contains(f, "second has ") {
					n++
				}
			}
			if n != want {
				return fmt.Sprintf("%d faults: %q", n, health.Faults)
			}
			return ""
		})
	}
	fault(1)
	second.stop()
	fault(0)
}

// count returns the number that a query selects.
func (h *history) count(query string) (n int) {
	h.t.Helper()
	if err := h.QueryRow(h.t.Context(), query).Scan(&n); err != nil {
		h.t.Fatal(err)
	}
	return n
}

// TestNewTimer: a new rule sends nothing for overdue timers, unless it covers existing
// objects; timers that become due later fire. A rule with a shortened time fires for
// objects that are overdue by the new time, and never twice.
func TestNewTimer(t *testing.T) {
	h := newHistory(t, sqlite(t))
	h.write(newJob{uid: "a", version: 1, to: job.Running})
	h.add(50 * time.Minute)
	h.write(newJob{uid: "b", version: 2, to: job.Running}, newJob{uid: "c", version: 3, to: job.Queued})
	h.add(20 * time.Minute)
	rules := func(after string) string {
		return channels + "rules:\n- {name: long, runs: " + after + ", to: [hook]}\n- {name: old, runs: 1h, to: [chat-ops], existing: true, now: true}\n"
	}
	p := h.plan(rules("1h"))
	p.settle()
	h.want("a/1/runs/old/chat-ops")
	h.add(39 * time.Minute)
	p.settle()
	h.want("a/1/runs/old/chat-ops")
	h.add(2 * time.Minute)
	p.settle()
	h.want("a/1/runs/old/chat-ops", "b/2/runs/long/hook", "b/2/runs/old/chat-ops")
	h.write(newJob{uid: "d", version: 4, to: job.Running})
	p.settle()
	h.add(30 * time.Minute)
	p.SetConfig(fileOf(t, rules("20m")))
	p.settle()
	p.settle()
	// This rule sent no message about a, and a is overdue by the new definition.
	h.want("a/1/runs/old/chat-ops", "b/2/runs/long/hook", "b/2/runs/old/chat-ops", "a/1/runs/long/hook", "d/4/runs/long/hook")
	p.SetConfig(fileOf(t, rules("90m")))
	h.add(10 * time.Hour)
	p.settle()
	h.want("a/1/runs/old/chat-ops", "b/2/runs/long/hook", "b/2/runs/old/chat-ops", "a/1/runs/long/hook", "d/4/runs/long/hook", "d/4/runs/old/chat-ops")
}

// TestUsual: a wait is too long if it exceeds the time that nine in ten jobs of the queue
// waited.
func TestUsual(t *testing.T) {
	h := newHistory(t, sqlite(t))
	start := h.now()
	for i := range 20 {
		uid := fmt.Sprint("before-", i)
		h.write(newJob{uid: uid, version: 2*i + 1, to: job.Queued, queue: "gpu", at: start.Add(-5 * time.Hour)},
			newJob{uid: uid, version: 2*i + 2, to: job.Running, queue: "gpu", at: start.Add(-5*time.Hour + time.Duration(i+1)*time.Minute)})
	}
	p := h.plan(channels+"rules:\n- {name: slow, waits: usual, to: [hook]}\n", func(c *notify.Config) {})
	h.write(newJob{uid: "a", version: 100, to: job.Queued, queue: "gpu"}, newJob{uid: "b", version: 101, to: job.Queued, queue: "other"})
	p.settle()
	h.add(17 * time.Minute)
	p.settle()
	h.want()
	h.add(15 * time.Minute) // of 20 waits, 18 took at most 18 minutes
	p.settle()
	h.want("a/100/waits/slow/hook")
}

// TestDeadline: a job is near its deadline when the given time is left, counted from its
// start. A job without a deadline has no timer.
func TestDeadline(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + "rules:\n- {name: soon, near-deadline: 10m, to: [hook]}\n")
	started := h.now().Add(5 * time.Minute).Format(time.RFC3339)
	h.write(newJob{uid: "a", version: 1, to: job.Queued, body: `{"spec":{"activeDeadlineSeconds":3600}}`}, newJob{uid: "b", version: 2, to: job.Running, body: `{"spec":{}}`})
	p.settle()
	h.add(5 * time.Minute)
	h.write(newJob{uid: "a", version: 3, to: job.Running, body: `{"spec":{"activeDeadlineSeconds":3600},"status":{"startTime":"` + started + `"}}`})
	p.settle()
	h.add(49 * time.Minute)
	p.settle()
	h.want()
	if n := h.count("SELECT COUNT(*) FROM notify_timers"); n != 1 {
		t.Errorf("got %d timers, want 1", n)
	}
	h.add(time.Minute)
	p.settle()
	h.want("a/1/near-deadline/soon/hook")
}

// TestProgress: a running job makes no progress if none of its signals changes for the
// given time.
func TestProgress(t *testing.T) {
	h := newHistory(t, sqlite(t))
	p := h.plan(channels + "rules:\n- {name: stuck, no-progress: {after: 30m, signal: [annotation step, status succeeded]}, to: [hook]}\n")
	body := func(step, succeeded int) string {
		return fmt.Sprintf(`{"metadata":{"annotations":{"step":"%d"}},"status":{"succeeded":%d}}`, step, succeeded)
	}
	version := 0
	revision := func(step, succeeded int) {
		version++
		h.write(newJob{uid: "a", version: version, to: job.Running, body: body(step, succeeded)})
		p.settle()
	}
	revision(1, 0)
	h.add(20 * time.Minute)
	revision(2, 0)
	h.add(20 * time.Minute)
	revision(2, 1)
	h.add(10 * time.Minute)
	revision(2, 1) // another change, and no signal
	h.add(19 * time.Minute)
	p.settle()
	h.want()
	h.add(time.Minute)
	p.settle()
	h.want("a/1/no-progress/stuck/hook")
	revision(3, 1)
	h.add(2 * time.Hour)
	p.settle()
	h.want("a/1/no-progress/stuck/hook") // once for each run
}

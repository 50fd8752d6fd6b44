package delivery_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// TestTimers: a timer exists once, is due in the order of times, moves, and stays after it
// has fired. A fired timer is not moved to an earlier time.
func TestTimers(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		timer := func(key string, minutes int) delivery.Timer {
			return delivery.Timer{Key: key, Kind: "waits", Due: start.Add(time.Duration(minutes) * time.Minute), Object: 7, Version: 1<<63 + 5, Rule: "r"}
		}
		write := func(f func(tx *sqldb.Tx) error) { d.tx(t, f) }
		due := func(minutes int) (all []delivery.Timer, text string) {
			all, err := delivery.DueTimers(t.Context(), d, start.Add(time.Duration(minutes)*time.Minute), []string{"r", "s"}, 10)
			if err != nil {
				t.Fatal(err)
			}
			for _, one := range all {
				if one.Object != 7 || one.Version != 1<<63+5 || one.Rule != "r" || one.Kind != "waits" {
					t.Errorf("got timer %+v, want object 7, its version, rule r and kind waits", one)
				}
				text += fmt.Sprintf("%d %v, ", int(one.Due.Sub(start).Minutes()), one.Fired)
			}
			return all, text
		}
		want := func(minutes int, want string) []delivery.Timer {
			t.Helper()
			all, got := due(minutes)
			if got != want {
				t.Errorf("due after %d minutes: got %q, want %q", minutes, got, want)
			}
			return all
		}
		write(func(tx *sqldb.Tx) error {
			return delivery.SetTimers(t.Context(), tx, []delivery.Timer{timer("a", 9), timer("b", 4)})
		})
		write(func(tx *sqldb.Tx) error {
			return delivery.SetTimers(t.Context(), tx, []delivery.Timer{timer("a", 1), timer("c", 6)})
		})
		want(3, "")
		all := want(9, "4 false, 6 false, 9 false, ")
		fired := all[0]
		fired.Due, fired.Fired = start.Add(20*time.Minute), true
		write(func(tx *sqldb.Tx) error {
			if err := delivery.MoveTimers(t.Context(), tx, []delivery.Timer{fired}); err != nil {
				return err
			}
			return delivery.AdvanceTimers(t.Context(), tx, []delivery.Timer{timer("a", 2), timer("b", 2), timer("c", 8)})
		})
		all = want(30, "2 false, 6 false, 20 true, ")
		write(func(tx *sqldb.Tx) error { return delivery.RemoveTimers(t.Context(), tx, all[:2]) })
		want(30, "20 true, ")
	})
}

// TestForgetTimers: timers of unknown rules are neither due nor removed before their time, and
// are removed with the marks of their rules.
func TestForgetTimers(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		var all []delivery.Timer
		for i := range 6 {
			all = append(all, delivery.Timer{Key: fmt.Sprint(i), Kind: "waits", Due: start.Add(time.Duration(i) * time.Hour), Object: int64(i), Version: 1, Rule: map[bool]string{true: "known", false: "other"}[i%2 == 0]})
		}
		d.tx(t, func(tx *sqldb.Tx) error {
			for _, rule := range []string{"known", "other"} {
				if err := delivery.SetMark(t.Context(), tx, delivery.TimerMark(rule), "done"); err != nil {
					return err
				}
			}
			return delivery.SetTimers(t.Context(), tx, all)
		})
		due := func(rules ...string) string {
			var text strings.Builder
			some, err := delivery.DueTimers(t.Context(), d, start.Add(24*time.Hour), rules, 10)
			for i := range some {
				fmt.Fprint(&text, some[i].Object)
			}
			if err != nil {
				t.Error(err)
			}
			return text.String()
		}
		forget := func(before time.Time, limit, want int, known ...string) {
			t.Helper()
			d.tx(t, func(tx *sqldb.Tx) error {
				n, err := delivery.ForgetTimers(t.Context(), tx, before, known, limit)
				if n != want {
					t.Errorf("removed %d timers, want %d", n, want)
				}
				return err
			})
		}
		if got := due("known") + " " + due() + " " + due("known", "other"); got != "024  012345" {
			t.Errorf("due: %q", got)
		}
		forget(start.Add(time.Hour), 10, 0, "known")
		if got, err := delivery.Mark(t.Context(), d, delivery.TimerMark("other")); err != nil || got != "done" {
			t.Errorf("the mark is %q, %v", got, err)
		}
		forget(start.Add(4*time.Hour), 1, 1, "known")
		forget(start.Add(4*time.Hour), 10, 1, "known")
		if got := due("known", "other"); got != "0245" {
			t.Errorf("due: %q", got)
		}
		for rule, want := range map[string]string{"known": "done", "other": ""} {
			if got, err := delivery.Mark(t.Context(), d, delivery.TimerMark(rule)); err != nil || got != want {
				t.Errorf("the mark of %s is %q, %v; want %q", rule, got, err, want)
			}
		}
		forget(start.Add(24*time.Hour), 10, 4)
	})
}

// TestReportedFiles: each notifier has one report, and old ones are removed.
func TestReportedFiles(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		report := func(name, hash string, minutes int) {
			at := start.Add(time.Duration(minutes) * time.Minute)
			d.tx(t, func(tx *sqldb.Tx) error {
				return delivery.ReportFile(t.Context(), tx, delivery.ReportedFile{Notifier: name, Hash: hash, At: at}, at.Add(-3*time.Minute))
			})
		}
		want := func(want string) {
			t.Helper()
			all, err := delivery.ReportedFiles(t.Context(), d)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, f := range all {
				fmt.Fprintf(&got, "%s %s %v, ", f.Notifier, f.Hash, f.At.Sub(start))
			}
			if got.String() != want {
				t.Errorf("got %q, want %q", got.String(), want)
			}
		}
		report("b", "2", 0)
		report("a", "1", 1)
		report("a", "3", 2)
		want("a 3 2m0s, b 2 0s, ")
		report("a", "3", 4)
		want("a 3 4m0s, ")
		d.tx(t, func(tx *sqldb.Tx) error { return delivery.RemoveReport(t.Context(), tx, "a") })
		want("")
	})
}

// TestMarks: a mark has the content that was last committed.
func TestMarks(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		for _, content := range []string{"", "first", "second"} {
			if content != "" {
				d.tx(t, func(tx *sqldb.Tx) error { return delivery.SetMark(t.Context(), tx, "m", content) })
			}
			_ = d.Transact(t.Context(), func(tx *sqldb.Tx) error {
				if err := delivery.SetMark(t.Context(), tx, "m", "never"); err != nil {
					t.Error(err)
				}
				return fmt.Errorf("roll back")
			})
			if got, err := delivery.Mark(t.Context(), d, "m"); err != nil || got != content {
				t.Errorf("got %q, %v; want %q", got, err, content)
			}
		}
	})
}

package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/notify/delivery"
	"github.com/vedette-io/vedette/record/sqldb"
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
			all, err := delivery.DueTimers(t.Context(), d, start.Add(time.Duration(minutes)*time.Minute), 10)
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

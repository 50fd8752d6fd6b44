package feed_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

// copied creates the table to which consumers copy transitions. A transition that is
// handled twice is in it twice.
func (d *database) copied() {
	d.Helper()
	d.Exec("CREATE TABLE copied (position BIGINT NOT NULL, name VARCHAR(20) NOT NULL)")
}

// copyAll inserts transitions into the table of copied.
func copyAll(ctx context.Context, tx *sqldb.Tx, some []feed.Transition) error {
	rows := make([][]any, len(some))
	for i, t := range some {
		rows[i] = []any{int64(t.Position), nameOf(t)}
	}
	return tx.Insert(ctx, "copied", []string{"position", "name"}, rows)
}

// start runs a consumer, with partitions or without. stop ends it, and fails the test if Run
// returned an error.
func (d *database) start(c interface {
	Run(ctx context.Context, db *sqldb.DB) error
},
) (stop func()) {
	ctx, cancel := context.WithCancel(d.Context())
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx, d.DB) }()
	return func() {
		d.Helper()
		cancel()
		if err := <-done; err != nil {
			d.Error(err)
		}
	}
}

// TestConsume: everything is handled in order, also what comes later, and a second
// consumer with the same name continues.
func TestConsume(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		began := time.Now()
		d.copied()
		d.write(change("a", 1), change("b", 2))
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- feed.Consume(ctx, d.DB, "copy", copyAll) }()
		d.Until("SELECT name FROM copied ORDER BY position", "a/1", "b/2")
		d.write(change("a", 4))
		d.Until("SELECT name FROM copied ORDER BY position", "a/1", "b/2", "a/4")
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		d.write(change("a", 5))
		stop := d.start(feed.Consumer{Name: "copy", Handle: copyAll})
		d.Until("SELECT name FROM copied ORDER BY position", "a/1", "b/2", "a/4", "a/5")
		stop()
		all, err := feed.Cursors(t.Context(), d.DB)
		if err != nil || len(all) != 1 || all[0].Name != "copy" || all[0].Position != 4 || all[0].Behind != 0 || all[0].Expired || all[0].Owner == "" || all[0].SeenAt.Before(began.Add(-time.Second)) {
			t.Errorf("got cursors %+v and error %v, want copy at position 4, not expired, seen just now", all, err)
		}
	})
}

// TestStartNow: a cursor that starts now gets what is committed after it was created.
func TestStartNow(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.copied()
		d.write(change("a", 1))
		stop := d.start(feed.Consumer{Name: "copy", Start: feed.Now, Handle: copyAll})
		d.Until("SELECT position FROM feed_cursors", "1")
		d.write(change("a", 2))
		d.Until("SELECT name FROM copied", "a/2")
		stop()
	})
}

// TestReplicas: several consumers of one cursor handle each transition once, in order,
// although transactions fail and consumers end in the middle.
func TestReplicas(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		const transitions = 300
		d.copied()
		running, stop := context.WithCancel(t.Context())
		var work sync.WaitGroup
		var calls atomic.Int64
		crash := errors.New("crash")
		for range 3 {
			work.Go(func() {
				for running.Err() == nil {
					ctx, kill := context.WithCancel(running)
					err := feed.Consumer{Name: "copy", Batch: 7, Logger: slog.New(slog.DiscardHandler), Handle: func(ctx context.Context, tx *sqldb.Tx, some []feed.Transition) error {
						if err := copyAll(ctx, tx, some); err != nil {
							return err
						}
						switch calls.Add(1) % 5 {
						case 1:
							return crash // the transaction is rolled back
						case 3:
							kill() // the commit fails
						}
						return nil
					}}.Run(ctx, d.DB)
					kill()
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		for v := range wire.Version(transitions) {
			d.write(change("a", v+1))
		}
		d.Until("SELECT COUNT(*) FROM copied", fmt.Sprint(transitions))
		stop()
		work.Wait()
		for i, line := range d.Rows("SELECT position, name FROM copied ORDER BY position") {
			if want := fmt.Sprintf("%d a/%d", i+1, i+1); line != want {
				t.Fatalf("got copies %s, want %s", line, want)
			}
		}
	})
}

// TestPrepare checks that Prepare receives the transitions that Handle receives next.
func TestPrepare(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.copied()
		d.write(change("a", 1), change("a", 2), change("a", 3))
		var prepared []feed.Transition
		failed := false
		stop := d.start(feed.Consumer{
			Name: "copy", Batch: 2,
			Prepare: func(_ context.Context, some []feed.Transition) error {
				if prepared = some; !failed {
					failed = true
					return errors.New("not yet")
				}
				return nil
			},
			Handle: func(ctx context.Context, tx *sqldb.Tx, some []feed.Transition) error {
				if !slices.EqualFunc(prepared, some, func(x, y feed.Transition) bool { return x.Position == y.Position }) {
					t.Errorf("handled %v after preparing %v", some, prepared)
				}
				return copyAll(ctx, tx, some)
			},
		})
		d.Until("SELECT name FROM copied ORDER BY position", "a/1", "a/2", "a/3")
		stop()
	})
}

// TestEvery: Handle is called without transitions, by one of the replicas at a time.
func TestEvery(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.Exec("CREATE TABLE ticks (id BIGINT NOT NULL PRIMARY KEY, n BIGINT NOT NULL)")
		d.Exec("INSERT INTO ticks (id, n) VALUES (1, 0)")
		const every = 200 * time.Millisecond
		began := time.Now()
		var stops []func()
		for range 3 {
			stops = append(stops, d.start(feed.Consumer{Name: "tick", Every: every, Handle: func(ctx context.Context, tx *sqldb.Tx, some []feed.Transition) error {
				if len(some) > 0 {
					t.Errorf("got %d transitions, want none", len(some))
				}
				_, err := tx.Exec(ctx, "UPDATE ticks SET n = n + 1 WHERE id = 1")
				return err
			}}))
		}
		d.Until("SELECT id FROM ticks WHERE n >= 6", "1")
		took := time.Since(began)
		for _, stop := range stops {
			stop()
		}
		if took < 3*every { // the first calls of all replicas may coincide
			t.Errorf("got 6 calls of 3 replicas within %v", took)
		}
	})
}

// TestExpired checks that an expired cursor is an error with a remedy, and that a reset
// cursor continues.
func TestExpired(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.copied()
		d.write(change("a", 1))
		stop := d.start(feed.Consumer{Name: "copy", Handle: copyAll})
		d.Until("SELECT name FROM copied", "a/1")
		stop()
		d.write(change("a", 2))
		d.Exec("UPDATE feed_cursors SET expired_at = 1")
		err := feed.Consume(patience.Context(t, "the consumer ends"), d.DB, "copy", copyAll)
		if !errors.Is(err, feed.ErrExpired) || !strings.Contains(fmt.Sprint(err), `cursor "copy"`) || !strings.Contains(fmt.Sprint(err), "feed.Reset") {
			t.Errorf("got %v, want ErrExpired with the cursor and the remedy", err)
		}
		if all, err := feed.Cursors(t.Context(), d.DB); err != nil || len(all) != 1 || !all[0].Expired || all[0].Behind != 1 {
			t.Errorf("got cursors %+v and error %v, want one, expired, 1 behind", all, err)
		}
		if err := feed.Reset(t.Context(), d.DB, "copy", feed.Now); err != nil {
			t.Fatal(err)
		}
		stop = d.start(feed.Consumer{Name: "copy", Handle: copyAll})
		d.write(change("a", 3))
		d.Until("SELECT name FROM copied ORDER BY position", "a/1", "a/3")
		d.Exec("DELETE FROM copied")
		if err := feed.Reset(t.Context(), d.DB, "copy", feed.Oldest); err != nil { // while the consumer runs
			t.Fatal(err)
		}
		d.Until("SELECT name FROM copied ORDER BY position", "a/1", "a/2", "a/3")
		stop()
	})
}

// TestRemove: a consumer whose cursor is removed ends.
func TestRemove(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.copied()
		d.write(change("a", 1))
		ctx := patience.Context(t, "the consumer ends")
		done := make(chan error, 1)
		go func() { done <- feed.Consume(ctx, d.DB, "copy", copyAll) }()
		d.Until("SELECT name FROM copied", "a/1")
		if err := feed.Remove(t.Context(), d.DB, "copy"); err != nil {
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, feed.ErrNoCursor) {
			t.Errorf("got error %v, want %v", err, feed.ErrNoCursor)
		}
		for _, err := range []error{feed.Remove(t.Context(), d.DB, "copy"), feed.Reset(t.Context(), d.DB, "copy", feed.Now)} {
			if !errors.Is(err, feed.ErrNoCursor) {
				t.Errorf("got error %v, want %v", err, feed.ErrNoCursor)
			}
		}
	})
}

// TestConsumerFaults: a fault is logged once, and the consumer continues after it.
func TestConsumerFaults(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(change("a", 1))
		log, failures := &lines{}, 0
		stop := d.start(feed.Consumer{Name: "copy", Logger: slog.New(slog.NewTextHandler(log, nil)), Handle: func(context.Context, *sqldb.Tx, []feed.Transition) error {
			if failures++; failures < 4 {
				return errors.New("the planner has failed")
			}
			return nil
		}})
		d.Until("SELECT position FROM feed_cursors", "1")
		patience.Until(t, "the end of the fault is logged", func() string { return log.lacks("consuming the feed again") })
		stop()
		if n := log.count("the planner has failed"); n != 1 || failures != 4 {
			t.Errorf("got %d lines about %d failures: %s", n, failures, &log.text)
		}
	})
}

// TestBadConsumers checks that invalid consumers are refused.
func TestBadConsumers(t *testing.T) {
	for _, c := range []feed.Consumer{{}, {Name: "x"}, {Name: strings.Repeat("x", 101), Handle: copyAll}, {Name: "x", Handle: copyAll, Batch: -1}, {Name: "x", Handle: copyAll, Every: -1}} {
		if err := c.Run(t.Context(), nil); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// TestDatabaseRestored: consumers whose database was restored from a copy continue at the cursor of the copy, and
// miss nothing that comes later.
func TestDatabaseRestored(t *testing.T) {
	for name, c := range map[string]feed.Consumer{
		"free":      {Name: "copy", Handle: copyAll},
		"in turns":  {Name: "copy", Handle: copyAll, Lease: time.Second},
		"every":     {Name: "copy", Handle: copyAll, Every: time.Second},
		"one a row": {Name: "copy", Handle: copyAll, Batch: 1},
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(t *testing.T, d *database) {
				d.copied()
				defer d.start(c)()
				d.write(change("a", 1), change("b", 2))
				d.Until("SELECT name FROM copied ORDER BY position", "a/1", "b/2")
				restore := dbtest.Backup(t, d.url, d.SQL())
				d.write(change("a", 4), change("b", 5), change("c", 6))
				d.Until("SELECT name FROM copied ORDER BY position", "a/1", "b/2", "a/4", "b/5", "c/6")
				restore()
				d.write(change("d", 7))
				d.Until("SELECT name FROM copied ORDER BY position", "a/1", "b/2", "d/7")
				d.write(change("a", 8), change("b", 9), change("d", 10), change("b", 12))
				d.Until("SELECT name FROM copied ORDER BY position", "a/1", "b/2", "d/7", "a/8", "b/9", "d/10", "b/12")
			})
		})
	}
}

// TestDecided: entries about the status of a job reach the consumers that ask for them, with the status.
func TestDecided(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.write(change("a", 1))
		d.Exec("UPDATE jobs SET state = 'Restarting', reason = 'CrashLoopBackOff', message = 'back-off 40s', since = 7000000")
		d.Exec(fmt.Sprintf("INSERT INTO feed_outbox (object_id, version, kind) SELECT id, version, %d FROM objects", feed.Decided))
		d.write(change("b", 2))
		for name, decided := range map[string]bool{"all": true, "transitions": false} {
			got := make(chan string, 10)
			stop := d.start(feed.Consumer{Name: name, Decided: decided, Handle: func(_ context.Context, _ *sqldb.Tx, some []feed.Transition) error {
				for i := range some {
					s := some[i].Object.Status
					got <- fmt.Sprintf("%d %v %s %s, is %s: %s (%s) since %d", some[i].Position, some[i].Kind, nameOf(some[i]), some[i].To, s.State, s.Reason, s.Message, s.At.Unix())
				}
				return nil
			}})
			const status = ", is Restarting: CrashLoopBackOff (back-off 40s) since 7"
			want := []string{"1 new a/1 Running" + status, "2 decided a/1 " + status}
			if !decided {
				want = want[:1]
			}
			for _, w := range want {
				if g := patience.Receive(t, "entry", got); g != w {
					t.Errorf("%s: got %q, want %q", name, g, w)
				}
			}
			if g := patience.Receive(t, "entry", got); !strings.HasPrefix(g, "3 new b/2") {
				t.Errorf("%s: got %q, want the transition after it", name, g)
			}
			stop()
		}
	})
}

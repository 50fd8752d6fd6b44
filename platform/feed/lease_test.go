package feed_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// nothing is a Handle without writes.
func nothing(context.Context, *sqldb.Tx, []feed.Transition) error { return nil }

// TestLeasePreparesOnce checks that only the holder of a cursor prepares transitions, and
// that another replica takes the cursor when the holder stops, without waiting for the end of the
// lease.
func TestLeasePreparesOnce(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		var mu sync.Mutex
		prepared := map[string]int{}
		by := map[int]int{}
		replica := func(i int) feed.Consumer {
			return feed.Consumer{Name: "out", Owner: fmt.Sprint("replica ", i), Lease: time.Hour, Handle: nothing, Prepare: func(_ context.Context, some []feed.Transition) error {
				mu.Lock()
				defer mu.Unlock()
				for _, tr := range some {
					prepared[nameOf(tr)]++
					by[i]++
				}
				return nil
			}}
		}
		stop := []func(){d.start(replica(0))}
		d.write(change("a", 1))
		d.Until("SELECT position FROM feed_cursors", "1")
		stop = append(stop, d.start(replica(1)), d.start(replica(2)))
		for v := range wire.Version(40) {
			d.write(change("a", v+2))
		}
		d.Until("SELECT position, owner FROM feed_cursors", "41 replica 0")
		stop[0]() // releases the cursor
		d.write(change("a", 100))
		d.Until("SELECT position FROM feed_cursors", "42")
		stop[1]()
		stop[2]()
		mu.Lock()
		defer mu.Unlock()
		if len(prepared) != 42 || by[0] != 41 {
			t.Errorf("%d transitions were prepared, by replica %v; want 42, and 41 of them by replica 0", len(prepared), by)
		}
		for name, n := range prepared {
			if n != 1 {
				t.Errorf("%s was prepared %d times", name, n)
			}
		}
	})
}

// TestLeaseOfStopped checks that another replica takes the cursor of a holder that hangs,
// that the work of the holder is cancelled, and that the holder then moves nothing.
func TestLeaseOfStopped(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.copied()
		hung, woken := make(chan struct{}), make(chan error, 1)
		var calls atomic.Int64
		d.write(change("a", 1))
		holder := feed.Consumer{Name: "out", Owner: "holder", Lease: time.Second, Logger: slog.New(slog.DiscardHandler), Handle: copyAll, Prepare: func(ctx context.Context, _ []feed.Transition) error {
			if calls.Add(1) > 1 {
				return nil
			}
			d.Exec("UPDATE feed_cursors SET token = token + 1, owner = 'operator', seen_at = 1") // the lease is gone, and the holder does not know
			close(hung)
			<-ctx.Done()
			woken <- context.Cause(ctx)
			return nil // ignores the end of its context
		}}
		stopHolder := d.start(holder)
		<-hung
		stop := d.start(feed.Consumer{Name: "out", Owner: "other", Lease: time.Second, Handle: copyAll})
		d.Until("SELECT name FROM copied", "a/1")
		d.Until("SELECT owner FROM feed_cursors", "other")
		if err := <-woken; err == nil || !strings.Contains(err.Error(), "lease") {
			t.Errorf("the work of the holder ended with %v, want the end of its lease", err)
		}
		d.write(change("a", 2))
		d.Until("SELECT name FROM copied ORDER BY position", "a/1", "a/2")
		stop()
		stopHolder()
		if got := d.Rows("SELECT name FROM copied ORDER BY position"); len(got) != 2 {
			t.Errorf("got copies %q, want a/1 and a/2 once", got)
		}
	})
}

// TestLeaseIsRenewed checks that a holder with slow work keeps its cursor.
func TestLeaseIsRenewed(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		const lease = 3 * time.Second
		d.write(change("a", 1))
		started, finish := make(chan struct{}), make(chan struct{})
		stopHolder := d.start(feed.Consumer{Name: "out", Owner: "holder", Lease: lease, Handle: nothing, Prepare: func(ctx context.Context, _ []feed.Transition) error {
			close(started)
			select {
			case <-finish:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}})
		<-started
		var others atomic.Int64
		stop := d.start(feed.Consumer{Name: "out", Owner: "other", Lease: lease, Handle: nothing, Prepare: func(context.Context, []feed.Transition) error {
			others.Add(1)
			return nil
		}})
		seen := func() int { return number(d.Rows("SELECT seen_at FROM feed_cursors")[0]) }
		began := seen()
		patience.Until(t, "the holder renews its lease until it is older than one", func() string {
			if age := time.Duration(seen()-began) * time.Microsecond; age <= lease {
				return fmt.Sprintf("it has renewed it for %v", age)
			}
			return ""
		})
		close(finish)
		d.Until("SELECT position, owner FROM feed_cursors", "1 holder")
		if n := others.Load(); n != 0 {
			t.Errorf("another replica prepared %d times beside the holder", n)
		}
		stopHolder()
		stop()
	})
}

// TestLeaseAfterReset checks that a holder continues at once where an operator has moved
// its cursor.
func TestLeaseAfterReset(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.copied()
		d.write(change("a", 1))
		stop := d.start(feed.Consumer{Name: "out", Lease: time.Hour, Handle: copyAll})
		d.Until("SELECT name FROM copied", "a/1")
		if err := feed.Reset(t.Context(), d.DB, "out", feed.Oldest); err != nil {
			t.Fatal(err)
		}
		d.Until("SELECT name FROM copied", "a/1", "a/1")
		stop()
	})
}

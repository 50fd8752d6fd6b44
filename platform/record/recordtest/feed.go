package recordtest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
)

var feedTests = []test{
	{"of two updates with one condition, one takes effect", compareAndSet},
	{"entries that commit late are read", lateEntries},
	{"replicas handle each transition once", feedReplicas},
}

// compareAndSet: the second of two transactions that change a row from one value waits,
// and then finds another value. Sequencers and cursors rely on it.
func compareAndSet(t *testing.T, d *database) {
	d.migrate()
	const update = "UPDATE feed_head SET position = position + 1 WHERE id = 1 AND position = ?"
	second := make(chan int64, 1)
	d.within(func(ctx context.Context, tx *sqldb.Tx) error {
		first, err := tx.Exec(ctx, update, 0)
		if err != nil || first != 1 {
			t.Errorf("the first changes %d rows, %v", first, err)
		}
		begun := make(chan struct{})
		go func() {
			changed := int64(-1)
			close(begun)
			err := d.Transact(ctx, func(other *sqldb.Tx) (err error) {
				changed, err = other.Exec(ctx, update, 0)
				return err
			})
			if err != nil { // it may also be aborted
				changed = 0
			}
			second <- changed
		}()
		<-begun
		pause(t, 100*time.Millisecond)
		return err
	})
	if n := patience.Receive(t, "the second transaction", second); n != 0 {
		t.Errorf("the second changes %d rows", n)
	}
	if n := d.number("SELECT position FROM feed_head"); n != 1 {
		t.Errorf("the position is %d", n)
	}
}

// lateEntries: an entry whose transaction commits after a later entry gets a position.
func lateEntries(t *testing.T, d *database) {
	d.migrate()
	entry := func(ctx context.Context, tx *sqldb.Tx, object int64) error {
		return tx.Insert(ctx, "feed_outbox", []string{"object_id", "version", "kind"}, [][]any{{object, int64(1), int16(1)}})
	}
	later := make(chan error, 1)
	d.within(func(ctx context.Context, tx *sqldb.Tx) error {
		if err := entry(ctx, tx, 1); err != nil {
			return err
		}
		go func() {
			later <- d.Transact(t.Context(), func(tx *sqldb.Tx) error { return entry(t.Context(), tx, 2) })
		}()
		pause(t, 100*time.Millisecond) // the other one commits first, or waits for this one
		_, err := feed.Head(ctx, d.DB)
		return err
	})
	if err := patience.Receive(t, "the later transaction", later); err != nil {
		t.Fatal(err)
	}
	if head, err := feed.Head(t.Context(), d.DB); err != nil || head != 2 {
		t.Errorf("the head is %d, %v", head, err)
	}
	if n := d.number("SELECT COUNT(*) FROM feed f JOIN feed g ON g.object_id > f.object_id"); n != 1 {
		t.Errorf("the feed has %q", d.texts("SELECT object_id FROM feed ORDER BY position"))
	}
}

// feedReplicas: two consumers of one cursor handle the transitions of two recorders, each
// once, with writes of their own.
func feedReplicas(t *testing.T, d *database) {
	c := newCluster(t, d)
	stopOne, stopTwo := c.record("one"), c.record("two")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var consumers sync.WaitGroup
	var mu sync.Mutex
	var got []string // of transactions, committed or not
	for range 2 {
		consumers.Go(func() {
			err := feed.Consume(ctx, d.DB, "copy", func(ctx context.Context, tx *sqldb.Tx, some []feed.Transition) error {
				mu.Lock()
				defer mu.Unlock()
				for _, tr := range some {
					got = append(got, fmt.Sprintf("%s %s>%s", tr.Object.Name, tr.From, tr.To))
					row := []any{fmt.Sprintf("%s/%v/%v", tr.Object.Name, tr.Version, tr.Withdrawn), "", int64(tr.Position)}
					if err := tx.Insert(ctx, "clusters", clusterColumns, [][]any{row}); err != nil { // its UIDs are unique
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	for _, name := range []string{"a", "b", "c"} {
		c.create(pod(name, "x"))
		c.phase(name, "Running")
		c.phase(name, "Failed")
	}
	c.remove("b")
	c.covered("one")
	c.covered("two")
	c.until("everything is handled", func() bool {
		return c.number("SELECT COUNT(*) FROM feed_outbox") == 0 && c.number("SELECT COUNT(*) FROM feed_head h JOIN feed_cursors c ON c.position = h.position") == 1
	})
	cancel()
	consumers.Wait()
	stopOne()
	stopTwo()
	want := c.changes(history.Filter{}, history.OldestFirst)
	if n := c.number("SELECT COUNT(*) FROM clusters WHERE name = ''"); int(n) != len(want) || len(want) == 0 {
		t.Errorf("%d transitions were handled, of %d", n, len(want))
	}
	mu.Lock()
	defer mu.Unlock()
	for _, change := range want {
		if !slices.Contains(got, change) {
			t.Errorf("%s was not handled: %q", change, got)
		}
	}
}

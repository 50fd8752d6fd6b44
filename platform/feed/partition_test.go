package feed_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

// TestShareIsEven checks that replicas reach an even division of the partitions, whoever
// held them before, that no partition stays without a holder, and that the moves end.
func TestShareIsEven(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		replicas := []string{"a", "b", "c", "d", "e"}[:rapid.IntRange(1, 5).Draw(t, "replicas")]
		owners := rapid.SliceOfN(rapid.SampledFrom(append([]string{""}, replicas...)), 1, 16).Draw(t, "owners")
		var order []string
		for range len(owners) + 2 {
			order = append(order, rapid.Permutation(replicas).Draw(t, "order")...)
		}
		held, moves := feed.Share(owners, order)
		least, most := len(owners), 0
		for _, r := range replicas {
			least, most = min(least, held[r]), max(most, held[r])
		}
		if held[""] > 0 || most-least > 1 {
			t.Errorf("from %q the replicas hold %v, want an even division", owners, held)
		}
		if _, again := feed.Share(owners, append(order, order...)); again != moves {
			t.Errorf("from %q partitions move without end: %d times, then %d", owners, moves, again)
		}
	})
}

// byObject fails the test unless the copies have each transition of some objects once, in
// the order of their versions.
func (d *database) byObject(objects, versions int) {
	d.Helper()
	all := map[string][]string{}
	for _, name := range d.Rows("SELECT name FROM copied ORDER BY at") {
		uid, version, _ := strings.Cut(name, "/")
		all[uid] = append(all[uid], version)
	}
	for i := range objects {
		uid := fmt.Sprint("o", i)
		if got := all[uid]; len(got) != versions || !slices.IsSortedFunc(got, func(a, b string) int { return number(a) - number(b) }) {
			d.Errorf("%s has the copies %q, want %d in order", uid, got, versions)
		}
	}
}

// TestPartitions checks that replicas which come, stop and hang handle each transition once,
// in order for each object, and that they share the partitions.
func TestPartitions(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		const objects, versions = 40, 12
		d.Exec("CREATE TABLE copied (at BIGINT NOT NULL, name VARCHAR(20) NOT NULL)")
		var mu sync.Mutex
		by := map[string]map[feed.Partition]bool{}
		at := int64(0)
		replica := func(owner string, hang <-chan struct{}) feed.PartitionedConsumer {
			return feed.PartitionedConsumer{Name: "copy", Owner: owner, Lease: time.Second, Logger: slog.New(slog.DiscardHandler), Consumer: func(p feed.Partition) feed.Consumer {
				return feed.Consumer{
					Batch: 3,
					Prepare: func(ctx context.Context, _ []feed.Transition) error {
						select {
						case <-hang: // nil: never
							d.Exec("UPDATE feed_cursors SET token = token + 1, owner = 'ghost', seen_at = 1 WHERE owner LIKE 'b/%'")
							<-ctx.Done()
							return nil // ignores the end of its lease
						default:
						}
						return nil
					},
					Handle: func(ctx context.Context, tx *sqldb.Tx, some []feed.Transition) error {
						rows := make([][]any, len(some))
						mu.Lock()
						for i, tr := range some {
							at++
							rows[i] = []any{at, nameOf(tr)}
						}
						if by[owner] == nil {
							by[owner] = map[feed.Partition]bool{}
						}
						by[owner][p] = true
						mu.Unlock()
						return tx.Insert(ctx, "copied", []string{"at", "name"}, rows)
					},
				}
			}}
		}
		hang := make(chan struct{}, 1)
		create := d.start(replica("a", nil))
		d.Until("SELECT position FROM feed_cursors", "0")
		create()
		if err := feed.Divide(t.Context(), d.DB, "copy", 4); err != nil {
			t.Fatal(err)
		}
		stop := []func(){d.start(replica("a", nil)), d.start(replica("b", hang)), d.start(replica("c", nil))}
		d.Until("SELECT COUNT(*), COUNT(DISTINCT owner) FROM feed_cursors WHERE owner <> ''", "4 3")
		for v := range versions {
			var all []modeltest.Revision
			for i := range objects {
				all = append(all, change(fmt.Sprint("o", i), wire.Version(v+1)))
			}
			for some := range slices.Chunk(all, 10) {
				d.write(some...)
			}
			if v != 5 { // while one hangs, the others go ahead
				d.Until("SELECT COUNT(*) FROM copied", fmt.Sprint(objects*(v+1)))
			}
			switch v {
			case 4:
				hang <- struct{}{}
			case 7:
				stop[0]()
			case 9:
				stop = append(stop, d.start(replica("d", nil)))
				d.Until("SELECT COUNT(DISTINCT owner) FROM feed_cursors WHERE owner <> ''", "3")
			}
		}
		for _, f := range stop[1:] {
			f()
		}
		d.byObject(objects, versions)
		mu.Lock()
		defer mu.Unlock()
		if len(by["a"]) == 0 || len(by["b"]) == 0 || len(by["c"]) == 0 || len(by["d"]) == 0 {
			t.Errorf("got partitions by replica %v, want some of each", by)
		}
	})
}

// TestDivide divides and unites a cursor at random while consumers handle some transitions
// of some partitions: each transition is handled once, in order for each object.
func TestDivide(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.Exec("CREATE TABLE copied (at BIGINT NOT NULL, name VARCHAR(20) NOT NULL)")
		modeltest.Check(t, func(t *rapid.T) {
			d.Clear()
			d.Exec("DELETE FROM copied")
			at, refuse := int64(0), -1
			consumer := feed.Consumer{Name: "copy", Batch: 5, Handle: func(ctx context.Context, tx *sqldb.Tx, some []feed.Transition) error {
				if refuse--; refuse == 0 {
					return errCrash
				}
				rows := make([][]any, len(some))
				for i, tr := range some {
					at++
					rows[i] = []any{at, nameOf(tr)}
				}
				return tx.Insert(ctx, "copied", []string{"at", "name"}, rows)
			}}
			step := func() {
				if err := feed.StepPartitions(d.Context(), d.DB, consumer); err != nil && !errors.Is(err, errCrash) {
					t.Fatal(err)
				}
			}
			step()
			const objects = 12
			versions := rapid.IntRange(1, 6).Draw(t, "versions")
			for v := range versions {
				var all []modeltest.Revision
				for i := range objects {
					all = append(all, change(fmt.Sprint("o", i), wire.Version(v+1)))
				}
				d.write(all...)
				for range rapid.IntRange(0, 3).Draw(t, "steps") {
					refuse = rapid.IntRange(0, 4).Draw(t, "crash")
					step()
				}
				n := rapid.SampledFrom([]int{1, 2, 3, 4, 6, 64}).Draw(t, "partitions")
				if err := feed.Divide(d.Context(), d.DB, "copy", n); err != nil && !errors.Is(err, feed.ErrUneven) {
					t.Fatal(err)
				}
			}
			refuse = -1
			for behind := true; behind; {
				step()
				all, err := feed.Cursors(d.Context(), d.DB)
				if err != nil {
					t.Fatal(err)
				}
				sum, found := feed.Summary(all, "copy")
				behind = sum.Behind > 0
				if !found || sum.Name != "copy" {
					t.Fatalf("got the summary %+v of %+v", sum, all)
				}
			}
			d.byObject(objects, versions)
			if err := feed.Divide(d.Context(), d.DB, "copy", 1); err != nil {
				t.Fatal(err)
			}
			if got := d.Rows("SELECT name FROM feed_cursors"); !slices.Equal(got, []string{"copy"}) {
				t.Fatalf("got cursors %q, want copy alone", got)
			}
		})
	})
}

// TestDivideWhileRunning checks that running consumers follow a division by somebody else,
// and that a cursor that is removed ends them.
func TestDivideWhileRunning(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.copied()
		done := make(chan error, 1)
		go func() {
			done <- feed.PartitionedConsumer{Name: "copy", Lease: time.Second, Consumer: func(feed.Partition) feed.Consumer { return feed.Consumer{Handle: copyAll} }}.Run(t.Context(), d.DB)
		}()
		write := func(version wire.Version) {
			d.write(change("a", version), change("b", version), change("c", version))
		}
		write(1)
		d.Until("SELECT COUNT(*) FROM copied", "3")
		for i, n := range []int{3, 6, 1} {
			d.Until("SELECT MIN(position), MAX(position) FROM feed_cursors", fmt.Sprintf("%d %d", 3*(i+1), 3*(i+1)))
			if err := feed.Divide(t.Context(), d.DB, "copy", n); err != nil {
				t.Fatal(err)
			}
			write(wire.Version(i + 2))
			d.Until("SELECT COUNT(*) FROM copied", fmt.Sprint(3*(i+2)))
		}
		if err := feed.Divide(t.Context(), d.DB, "copy", 2); err != nil {
			t.Fatal(err)
		}
		plain := feed.Consumer{Name: "copy", Handle: copyAll}
		if err := plain.Run(t.Context(), d.DB); !errors.Is(err, feed.ErrDivided) {
			t.Errorf("a consumer without partitions ended with %v", err)
		}
		plain.Name = "copy/1-of-2"
		if err := plain.Run(t.Context(), d.DB); err == nil || !strings.Contains(err.Error(), "PartitionedConsumer") {
			t.Errorf("a consumer with the name of a partition ended with %v", err)
		}
		for _, bad := range []feed.PartitionedConsumer{
			{},
			{Name: "x"},
			{Name: "x/1-of-2", Consumer: func(feed.Partition) feed.Consumer { return plain }},
			{Name: strings.Repeat("x", 92), Consumer: func(feed.Partition) feed.Consumer { return plain }},
			{Name: "x", Lease: time.Millisecond, Consumer: func(feed.Partition) feed.Consumer { return plain }},
		} {
			if err := bad.Run(t.Context(), d.DB); err == nil {
				t.Errorf("%+v was accepted", bad)
			}
		}
		for _, n := range []int{0, -1, 65} {
			if err := feed.Divide(t.Context(), d.DB, "copy", n); err == nil {
				t.Errorf("%d partitions were accepted", n)
			}
		}
		if err := feed.Divide(t.Context(), d.DB, "other", 2); !errors.Is(err, feed.ErrNoCursor) {
			t.Errorf("an unknown cursor: got error %v", err)
		}
		if err := feed.Reset(t.Context(), d.DB, "copy", feed.Oldest); err != nil {
			t.Fatal(err)
		}
		d.Until("SELECT COUNT(*) FROM copied", "24")
		if err := feed.Remove(t.Context(), d.DB, "copy"); err != nil {
			t.Fatal(err)
		}
		if err := <-done; !errors.Is(err, feed.ErrNoCursor) {
			t.Errorf("after the removal of the cursor the consumer ended with %v", err)
		}
	})
}

// TestPartitionsAreFilled checks that objects are spread over the partitions, also if their
// IDs increase in steps, as on a cluster of databases.
func TestPartitionsAreFilled(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		for _, step := range []int{1, 2, 3, 4, 64} {
			d.Clear()
			const n = 6400
			rows := make([]string, n)
			for i := range rows {
				rows[i] = fmt.Sprintf("(%d, %d, 1, 1, 1)", i+1, (i+1)*step)
			}
			d.Exec("INSERT INTO feed (position, object_id, version, kind, recorded_at) VALUES " + strings.Join(rows, ", "))
			for _, of := range []int{2, 3, 4, 8, 64} {
				sum := 0
				for i := range of {
					got, err := feed.CountPartition(t.Context(), d.DB, feed.Partition{Index: i, Of: of})
					if err != nil {
						t.Fatal(err)
					}
					if sum += got; got < n/of/2 || got > n/of*2 {
						t.Errorf("partition %d of %d has %d of %d objects, whose IDs are multiples of %d", i+1, of, got, n, step)
					}
				}
				if sum != n {
					t.Errorf("%d partitions have %d of %d objects", of, sum, n)
				}
			}
		}
	})
}

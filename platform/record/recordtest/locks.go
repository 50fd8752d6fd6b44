package recordtest

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/sqldb"
)

var lockTests = []test{
	{"rows are read by their keys", lockReads},
	{"a transaction that waited sees the commit", lockWaits},
	{"rows are locked in order", lockOrder},
	{"a named lock has one holder", tryLock},
	{"a named lock is exclusive", tryLockAtOnce},
}

// locked returns the versions of objects, whose rows it locks.
func locked(ctx context.Context, tx *sqldb.Tx, uids ...string) (map[string]int64, error) {
	found := map[string]int64{}
	selected := sqldb.Selection{
		Columns: "uid, version", Table: "objects", Index: "objects_uid", Where: "cluster_id = ? AND resource_id = ?", Args: []any{1, 1}, Key: "uid", Keys: uids,
	}
	return found, tx.LockRows(ctx, selected, func(rows *sql.Rows) error {
		var uid string
		var version int64
		err := rows.Scan(&uid, &version)
		found[uid] = version
		return err
	})
}

// lockReads: keys without a row are omitted, and so are rows of other types and clusters.
func lockReads(t *testing.T, d *database) {
	d.migrate()
	d.createObjects("a", "c", "e")
	other := newObject("c")
	other[1] = int64(2)
	d.within(func(ctx context.Context, tx *sqldb.Tx) error {
		return tx.Insert(ctx, "objects", objectColumns, [][]any{other})
	})
	d.exec("UPDATE objects SET version = 5 WHERE resource_id = 2")
	d.within(func(ctx context.Context, tx *sqldb.Tx) error {
		found, err := locked(ctx, tx, "a", "b", "c", "d")
		if err == nil && (len(found) != 2 || found["c"] != 0) {
			t.Errorf("%v", found)
		}
		return err
	})
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprintf("m-%03d", i))
	}
	d.createObjects(many...)
	d.within(func(ctx context.Context, tx *sqldb.Tx) error {
		found, err := locked(ctx, tx, many...)
		if len(found) != len(many) {
			t.Errorf("%d of %d rows", len(found), len(many))
		}
		return err
	})
}

// lockWaits: a transaction waits for the lock of another one, and then reads the committed
// values.
func lockWaits(t *testing.T, d *database) {
	d.migrate()
	d.createObjects("a", "b")
	type answer struct {
		version int64
		err     error
	}
	second := make(chan answer, 1)
	d.within(func(ctx context.Context, tx *sqldb.Tx) error {
		if _, err := locked(ctx, tx, "a", "b"); err != nil {
			return err
		}
		short, cancel := context.WithTimeout(ctx, 300*time.Millisecond)
		defer cancel()
		err := d.Transact(short, func(tx *sqldb.Tx) error {
			_, err := locked(short, tx, "b")
			return err
		})
		if err == nil {
			t.Error("a transaction does not wait for the lock")
		}
		begins := make(chan struct{})
		go func() {
			var a answer
			close(begins)
			a.err = d.Transact(t.Context(), func(tx *sqldb.Tx) error {
				found, err := locked(t.Context(), tx, "b")
				a.version = found["b"]
				return err
			})
			second <- a
		}()
		<-begins
		_, err = tx.Exec(ctx, "UPDATE objects SET version = 7")
		return err
	})
	if a := patience.Receive(t, "a lock that was released", second); a.err != nil || a.version != 7 {
		t.Errorf("%+v, want version 7", a)
	}
}

// lockOrder: transactions that lock some of the same rows do not deadlock, and lose no
// update.
func lockOrder(t *testing.T, d *database) {
	d.migrate()
	uids := []string{"a", "b", "c", "d", "e", "f"}
	shuffled, random := slices.Clone(uids), testinput.Rand(t)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	d.createObjects(shuffled...) // the order of the keys differs from that of the rows
	var added atomic.Int64
	var all sync.WaitGroup
	for range 4 {
		rounds := make([][]string, 25)
		for i := range rounds {
			rounds[i] = slices.DeleteFunc(slices.Clone(uids), func(string) bool { return random.IntN(2) == 0 })
		}
		all.Go(func() {
			for _, some := range rounds {
				if len(some) == 0 {
					continue
				}
				err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
					found, err := locked(t.Context(), tx, some...)
					for _, uid := range some {
						if err == nil {
							// Use the whole key: a scan would lock other rows.
							_, err = tx.Exec(t.Context(), "UPDATE objects SET version = ? WHERE cluster_id = 1 AND resource_id = 1 AND uid = ?", found[uid]+1, uid)
						}
					}
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				added.Add(int64(len(some)))
			}
		})
	}
	all.Wait()
	if sum := d.number("SELECT SUM(version) FROM objects"); sum != added.Load() {
		t.Errorf("%d updates of %d are there", sum, added.Load())
	}
}

func tryLock(t *testing.T, d *database) {
	take := func(name string) (unlock func() error, ours bool) {
		t.Helper()
		unlock, ours, err := d.TryLock(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		return unlock, ours
	}
	first, ours := take(sqldb.RetentionLock)
	if !ours {
		t.Fatal("somebody has the lock of a new database")
	}
	if _, ours := take(sqldb.RetentionLock); ours {
		t.Error("two have the lock")
	}
	other, ours := take(sqldb.MigrationLock)
	if !ours {
		t.Error("another name is the same lock")
	}
	for _, unlock := range []func() error{other, first} {
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}
	again, ours := take(sqldb.RetentionLock)
	if !ours {
		t.Fatal("the lock was not released")
	}
	if err := again(); err != nil {
		t.Error(err)
	}
}

// tryLockAtOnce: only one of many concurrent callers holds the lock at a time.
func tryLockAtOnce(t *testing.T, d *database) {
	var holders, most, times atomic.Int64
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			for range 20 {
				unlock, ours, err := d.TryLock(t.Context(), sqldb.RetentionLock)
				if err != nil {
					t.Error(err)
					return
				}
				if !ours {
					continue
				}
				times.Add(1)
				if n := holders.Add(1); n > most.Load() {
					most.Store(n)
				}
				pause(t, time.Millisecond)
				holders.Add(-1)
				if err := unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if most.Load() != 1 || times.Load() == 0 {
		t.Errorf("%d had the lock at once; it was taken %d times", most.Load(), times.Load())
	}
}

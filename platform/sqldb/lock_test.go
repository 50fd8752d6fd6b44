package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	neturl "net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestTryLock checks that one process at a time holds a lock, for its name and its
// database.
func TestTryLock(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		one, two := opened(t, url), opened(t, url)
		other := opened(t, dbtest.Empty(t, strings.Split(t.Name(), "/")[1]))
		try := func(d *sqldb.DB, name string) (unlock func() error, ours bool) {
			t.Helper()
			unlock, ours, err := d.TryLock(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			return unlock, ours
		}
		unlock, ours := try(one, sqldb.RetentionLock)
		if !ours {
			t.Fatal("cannot take a free lock")
		}
		for range 3 {
			for _, d := range []*sqldb.DB{one, two} {
				if _, ours := try(d, sqldb.RetentionLock); ours {
					t.Fatal("took a lock that is held")
				}
			}
		}
		for d, name := range map[*sqldb.DB]string{two: sqldb.MigrationLock, other: sqldb.RetentionLock} {
			unlock, ours := try(d, name)
			if !ours {
				t.Fatalf("%s of %s is not independent", name, d)
			}
			if err := unlock(); err != nil {
				t.Error(err)
			}
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
		unlock, ours = try(two, sqldb.RetentionLock)
		if !ours {
			t.Fatal("cannot take a released lock")
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
		if file, ok := sqldb.FileOf(url); ok {
			names, err := filepath.Glob(file + "*.lock")
			if want := []string{file + ".lock", file + ".retention.lock"}; err != nil || !slices.Equal(names, want) {
				t.Errorf("got lock files %q, want %q, the names that all versions use", names, want)
			}
		}
	})
}

// TestLockOfLongName checks the locks of databases with the longest name of their server, and
// that a name whose case differs is another one.
func TestLockOfLongName(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		if kind == "sqlite" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			longest, quote := strings.Repeat("n", 63), "`" // 64 characters with the last one
			if dbtest.Family(kind) == "postgres" {
				longest, quote = strings.Repeat("n", 62), `"`
			}
			server := dbtest.Of(t, kind)
			var first []func() error
			for _, name := range []string{longest + "x", longest + "X"} {
				server.Exec(t, "CREATE DATABASE "+quote+name+quote)
				url := fmt.Sprintf(server.URL, neturl.PathEscape(name))
				d, other := opened(t, url), opened(t, url)
				if _, err := d.Migrate(t.Context()); err != nil {
					t.Fatal(err)
				}
				for _, lock := range []string{sqldb.MigrationLock, sqldb.RetentionLock, sqldb.KeptLogsLock} {
					unlock, ours, err := d.TryLock(t.Context(), lock)
					if err != nil || !ours {
						t.Fatalf("%s: got the lock: %v, error %v; want true", lock, ours, err)
					}
					first = append(first, unlock)
					if _, ours, err := other.TryLock(t.Context(), lock); ours || err != nil {
						t.Errorf("%s: got a lock that is held: %v, error %v", lock, ours, err)
					}
				}
			}
			for _, unlock := range first {
				if err := unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestLockEndsWithProcess checks that a lock ends with its connection, and that unlock
// reports the loss.
func TestLockEndsWithProcess(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		if kind == "sqlite" { // a file lock ends when unlock closes the file
			continue
		}
		t.Run(kind, func(t *testing.T) {
			url := dbtest.Empty(t, kind)
			d, err := sqldb.Open(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			lost, ours, err := d.TryLock(t.Context(), "some")
			if err != nil || !ours {
				t.Fatalf("got the lock: %v, error %v; want true", ours, err)
			}
			server := dbtest.Of(t, kind)
			server.Kill()
			if err := server.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := lost(); err == nil {
				t.Error("unlock does not report that the lock was lost")
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			unlock, ours, err := opened(t, url).TryLock(t.Context(), "some")
			if err != nil || !ours {
				t.Fatalf("got the lock after the session ended: %v, error %v; want true", ours, err)
			}
			if err := unlock(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMigrateEmptyTogether checks that one of several processes that migrate an empty
// database at once does so while the others wait.
func TestMigrateEmptyTogether(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		var (
			wait    sync.WaitGroup
			mu      sync.Mutex
			applied int
		)
		for range 4 {
			d := opened(t, url)
			wait.Go(func() {
				steps, err := d.Migrate(t.Context())
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				applied += len(steps)
			})
		}
		wait.Wait()
		steps, err := opened(t, url).Migrations(t.Context())
		if err != nil || len(steps) != applied || !steps[len(steps)-1].Applied {
			t.Errorf("got %d applied steps: %+v, %v", applied, steps, err)
		}
	})
}

// TestMigrateWaits checks that Migrate waits for the lock until its context ends, and needs
// no lock without missing steps.
func TestMigrateWaits(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		holder, d := opened(t, url), opened(t, url)
		unlock, ours, err := holder.TryLock(t.Context(), sqldb.MigrationLock)
		if err != nil || !ours {
			t.Fatalf("got the lock: %v, error %v; want true", ours, err)
		}
		cause := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, cause) // an input: the limit of the wait
		defer cancel()
		if _, err := d.Migrate(ctx); !errors.Is(err, cause) {
			t.Errorf("Migrate did not wait: %v", err)
		}
		counted := &attempts{Driver: driverOf(t, url)}
		other := openedWith(t, counted, url)
		done := make(chan error, 1)
		go func() {
			_, err := other.Migrate(t.Context())
			done <- err
		}()
		patience.Until(t, "Migrate has attempted to get the lock twice", func() string {
			select {
			case err := <-done:
				t.Fatalf("Migrate did not wait: %v", err)
			default:
			}
			if n := counted.n.Load(); n < 2 {
				return fmt.Sprintf("%d attempts", n)
			}
			return ""
		})
		if err := unlock(); err != nil {
			t.Error(err)
		}
		if err := patience.Receive(t, "the end of Migrate", done); err != nil {
			t.Error(err)
		}
		unlock, ours, err = holder.TryLock(t.Context(), sqldb.MigrationLock)
		if err != nil || !ours {
			t.Fatalf("got the lock again: %v, error %v; want true", ours, err)
		}
		if steps, err := d.Migrate(patience.Context(t, "nothing to migrate")); err != nil || len(steps) != 0 {
			t.Errorf("got %+v, %v without missing steps", steps, err)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
	})
}

// attempts counts the attempts to get a lock.
type attempts struct {
	sqldb.Driver
	n atomic.Int64
}

func (a *attempts) TryLock(ctx context.Context, db *sql.DB, address sqldb.Address, name string) (unlock func() error, ours bool, err error) {
	a.n.Add(1)
	return a.Driver.TryLock(ctx, db, address, name)
}

// limited limits the time for which Migrate waits.
type limited struct{ sqldb.Driver }

func (l limited) Dialect() sqldb.Dialect {
	d := l.Driver.Dialect()
	d.MigrationWait = 300 * time.Millisecond
	return d
}

// TestMigrationWait checks that a dialect may limit the time for which Migrate waits, and
// that MySQL's dialect does.
func TestMigrationWait(t *testing.T) {
	if got := sqldb.MySQL().Dialect().MigrationWait; got != 10*time.Minute {
		t.Errorf("got a wait of %v", got)
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		unlock, ours, err := opened(t, url).TryLock(t.Context(), sqldb.MigrationLock)
		if err != nil || !ours {
			t.Fatalf("got the lock: %v, error %v; want true", ours, err)
		}
		defer func() {
			if err := unlock(); err != nil {
				t.Error(err)
			}
		}()
		driver, err := sqldb.DriverOf(url)
		if err != nil {
			t.Fatal(err)
		}
		d, err := sqldb.OpenWith(t.Context(), limited{driver}, url)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if _, err := d.Migrate(patience.Context(t, "the end of the wait")); err == nil || !strings.Contains(err.Error(), "another process has been migrating it for") {
			t.Errorf("Migrate: got error %v, want one with %q", err, "another process has been migrating it for")
		}
	})
}

// TestLockOfFile checks that an obstacle to a lock file is an error, and does not count as
// a lock of another process.
func TestLockOfFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/h.db.retention.lock", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, ours, err := opened(t, "sqlite:"+dir+"/h.db").TryLock(t.Context(), sqldb.RetentionLock); ours || err == nil {
		t.Errorf("got the lock: %v, error %v; want false and an error", ours, err)
	}
}

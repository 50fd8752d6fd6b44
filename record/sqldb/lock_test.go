package sqldb_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record/sqldb"
)

// TestTryLock: a lock belongs to one process, for its name and its database.
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
			t.Fatal("nobody has it, and it cannot be taken")
		}
		for range 3 {
			for _, d := range []*sqldb.DB{one, two} {
				if _, ours := try(d, sqldb.RetentionLock); ours {
					t.Fatal("it is taken twice")
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
			t.Fatal("it was released, and cannot be taken")
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
		if file, ok := sqldb.FileOf(url); ok {
			names, err := filepath.Glob(file + "*.lock")
			if want := []string{file + ".lock", file + ".retention.lock"}; err != nil || !slices.Equal(names, want) {
				t.Errorf("the files of the locks are %q, want %q, as every version names them", names, want)
			}
		}
	})
}

// TestLockEndsWithProcess: a lock ends with its connection, and unlock reports that.
func TestLockEndsWithProcess(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		if kind == "sqlite" { // the lock of a file ends with the file, which unlock closes
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
				t.Fatal(ours, err)
			}
			server := dbtest.Of(t, kind)
			server.Kill()
			if err := server.Start(t.Context()); err != nil {
				t.Fatal(err)
			}
			if err := lost(); err == nil {
				t.Error("unlock does not say that the lock was lost")
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			unlock, ours, err := opened(t, url).TryLock(t.Context(), "some")
			if err != nil || !ours {
				t.Fatal(ours, err)
			}
			if err := unlock(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestMigrateEmptyTogether: of several processes that migrate an empty database at once,
// one does it and the others wait.
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
			t.Errorf("%d steps were applied: %+v, %v", applied, steps, err)
		}
	})
}

// TestMigrateWaits: Migrate waits for the lock until its context ends, and not for it if
// there is nothing to do.
func TestMigrateWaits(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		holder, d := opened(t, url), opened(t, url)
		unlock, ours, err := holder.TryLock(t.Context(), sqldb.MigrationLock)
		if err != nil || !ours {
			t.Fatal(ours, err)
		}
		cause := errors.New("enough")
		ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, cause)
		defer cancel()
		if _, err := d.Migrate(ctx); !errors.Is(err, cause) {
			t.Errorf("it did not wait: %v", err)
		}
		done := make(chan error, 1)
		go func() {
			_, err := d.Migrate(t.Context())
			done <- err
		}()
		select {
		case err := <-done:
			t.Errorf("it did not wait: %v", err)
			done <- nil
		case <-time.After(200 * time.Millisecond):
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
		if err := <-done; err != nil {
			t.Error(err)
		}
		unlock, ours, err = holder.TryLock(t.Context(), sqldb.MigrationLock)
		if err != nil || !ours {
			t.Fatal(ours, err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if steps, err := d.Migrate(ctx); err != nil || len(steps) != 0 {
			t.Errorf("there is nothing to migrate: %+v, %v", steps, err)
		}
		if err := unlock(); err != nil {
			t.Error(err)
		}
	})
}

// limited bounds how long Migrate waits.
type limited struct{ sqldb.Driver }

func (l limited) Dialect() sqldb.Dialect {
	d := l.Driver.Dialect()
	d.MigrationWait = 300 * time.Millisecond
	return d
}

// TestMigrationWait: a dialect may bound how long Migrate waits; MySQL's does.
func TestMigrationWait(t *testing.T) {
	if got := sqldb.MySQL().Dialect().MigrationWait; got != 10*time.Minute {
		t.Errorf("it waits for %v", got)
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		unlock, ours, err := opened(t, url).TryLock(t.Context(), sqldb.MigrationLock)
		if err != nil || !ours {
			t.Fatal(ours, err)
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
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		if _, err := d.Migrate(ctx); err == nil || !strings.Contains(err.Error(), "another process has been migrating it for") {
			t.Errorf("%v", err)
		}
	})
}

// TestLockOfFile: what is in the way of a lock file is an error, not a lock of another.
func TestLockOfFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/h.db.retention.lock", 0o700); err != nil {
		t.Fatal(err)
	}
	if _, ours, err := opened(t, "sqlite:"+dir+"/h.db").TryLock(t.Context(), sqldb.RetentionLock); ours || err == nil {
		t.Errorf("%v, %v", ours, err)
	}
}

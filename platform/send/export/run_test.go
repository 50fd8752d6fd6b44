package export_test

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/send/export"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/historytest"
	"github.com/vedette-io/vedette/wire"
)

// perDay is the number of versions of a day: a version is a second.
const perDay = 86_400

// fixture is a database with transitions, and a folder for files.
type fixture struct {
	*historytest.Database
	dir string
	now time.Time
}

// newFixture writes transitions of three days: 3, 0, 1500 and 1.
func newFixture(t *testing.T, url string) *fixture {
	t.Helper()
	f := &fixture{Database: historytest.Open(t, url), dir: filepath.Join(t.TempDir(), "history")}
	f.now = historytest.Seen(4 * perDay)
	var all []historytest.Revision
	all = append(all, revision("a", 100, job.Queued), revision("a", 101, job.Running), revision("b", 102, job.Queued))
	for i := range wire.Version(1500) {
		all = append(all, revision(fmt.Sprint("c", i), 2*perDay+i, job.Queued))
	}
	all = append(all, revision("a", 3*perDay+7, job.Failed))
	for part := range slices.Chunk(all, 500) {
		if err := f.Write(t.Context(), part); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func revision(uid string, version wire.Version, s job.State) historytest.Revision {
	return historytest.Revision{UID: uid, Version: version, State: s, Body: "{}"}
}

// export exports, and returns the days as "date rows outcome".
func (f *fixture) export(t *testing.T, c export.Config) string {
	t.Helper()
	c.DB, c.Store = f.DB, export.Folder(f.dir)
	if c.Now.IsZero() {
		c.Now = f.now
	}
	days, err := export.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, d := range days {
		lines = append(lines, fmt.Sprintf("%s %d %v", d.Date.Format(time.DateOnly), d.Rows, d.Outcome))
		if n := len(f.rows(t, d.Name)); int64(n) != d.Rows {
			t.Errorf("%s has %d rows, want %d", d.Name, n, d.Rows)
		}
	}
	return strings.Join(lines, ", ")
}

func (f *fixture) rows(t *testing.T, name string) []export.Row {
	t.Helper()
	rows, err := parquet.ReadFile[export.Row](filepath.Join(f.dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// names returns the names of all files, with hidden ones.
func (f *fixture) names(t *testing.T) (names []string) {
	t.Helper()
	err := filepath.WalkDir(f.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(f.dir)+"/"))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// TestRun checks the files of an export and of repetitions.
func TestRun(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		f := newFixture(t, url)
		first := "2023-11-14 3 written, 2023-11-16 1500 written, 2023-11-17 1 written"
		if got := f.export(t, export.Config{}); got != first {
			t.Fatalf("got  %s\nwant %s", got, first)
		}
		rows := f.rows(t, "day=2023-11-14/transitions.parquet")
		if r := rows[1]; r.ID != "a.101" || r.Cluster != "a" || r.ClusterUID != "uid-a" || r.Resource != "jobs" || r.Group != "batch" || r.Name != "job-a" || r.Version != 101 ||
			r.From != "Queued" || r.To != "Running" || r.Source != "watch" || !r.Happened.Equal(historytest.Seen(101)) || !r.Seen.Equal(historytest.Seen(101)) || r.Created != nil {
			t.Errorf("got %+v", r)
		}
		// A day is final when it was exported more than 24 hours after its end.
		f.now = historytest.Seen(3*perDay + perDay/2) // on the 18th
		if got := f.export(t, export.Config{Replace: true}); got != first {
			t.Errorf("with Replace: got  %s\nwant %s", got, first)
		}
		for _, want := range []string{"2023-11-14 3 final, 2023-11-16 1500 final, 2023-11-17 1 written", "2023-11-14 3 final, 2023-11-16 1500 final, 2023-11-17 1 final"} {
			f.now = historytest.Seen(4*perDay + perDay/2)
			if got := f.export(t, export.Config{}); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		}
		// A day is exported as a whole, wherever the limits are in it.
		if got, want := f.export(t, export.Config{Since: historytest.Seen(2*perDay + 2000), Until: historytest.Seen(2*perDay + 2001), Replace: true}), "2023-11-16 1500 written"; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got := f.names(t); len(got) != 3 {
			t.Errorf("got files %q, want 3", got)
		}
	})
}

// TestRetention checks that a file outlives its rows in the database, unless the caller wants
// otherwise.
func TestRetention(t *testing.T) {
	f := newFixture(t, dbtest.First(t))
	f.now = historytest.Seen(2*perDay + 7200)
	if got, want := f.export(t, export.Config{}), "2023-11-14 3 written, 2023-11-16 1500 written"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	f.Exec("DELETE FROM transitions WHERE version = 101 OR version > 173000")
	if got, want := f.export(t, export.Config{}), "2023-11-14 3 final, 2023-11-16 1500 kept"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := f.export(t, export.Config{Replace: true}), "2023-11-14 2 written, 2023-11-16 201 written"; got != want {
		t.Errorf("with Replace: got  %s\nwant %s", got, want)
	}
	if len(f.names(t)) != 2 {
		t.Errorf("got files %q, want 2", f.names(t))
	}
}

// faulty is a store whose writers fail.
type faulty struct {
	export.Folder
	write, commit error
}

type faultyWriter struct {
	export.Writer
	*faulty
}

func (f *faulty) Create(ctx context.Context, name string) (export.Writer, error) {
	w, err := f.Folder.Create(ctx, name)
	return faultyWriter{w, f}, err
}

func (w faultyWriter) Write(p []byte) (int, error) {
	if w.write != nil {
		return 0, w.write
	}
	return w.Writer.Write(p)
}

func (w faultyWriter) Commit(ctx context.Context) error {
	if w.commit != nil {
		return w.commit
	}
	return w.Writer.Commit(ctx)
}

// TestFaults checks that a fault leaves the files as they were, and no parts.
func TestFaults(t *testing.T) {
	f := newFixture(t, dbtest.First(t))
	f.now = historytest.Seen(3*perDay + 8)
	full := errors.New("the disk is full")
	for _, s := range []*faulty{{write: full}, {commit: full}} {
		s.Folder = export.Folder(f.dir)
		days, err := export.Run(t.Context(), export.Config{DB: f.DB, Store: s, Now: f.now})
		if !errors.Is(err, full) || !strings.HasPrefix(err.Error(), "2023-11-14: ") || len(days) != 0 {
			t.Errorf("got %v, %v", days, err)
		}
		if got := f.names(t); len(got) != 0 {
			t.Errorf("got files %q", got)
		}
	}
	f.export(t, export.Config{})
	old, err := os.ReadFile(filepath.Join(f.dir, "day=2023-11-17/transitions.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	days, err := export.Run(t.Context(), export.Config{DB: f.DB, Store: &faulty{Folder: export.Folder(f.dir), commit: full}, Now: f.now})
	if !errors.Is(err, full) || len(days) != 1 {
		t.Errorf("got %v, %v, want a fault at the second day", days, err)
	}
	now, err := os.ReadFile(filepath.Join(f.dir, "day=2023-11-17/transitions.parquet"))
	if err != nil || !slices.Equal(old, now) || len(f.names(t)) != 3 {
		t.Errorf("the fault changed the files: %v, %q", err, f.names(t))
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := export.Run(ctx, export.Config{DB: f.DB, Store: export.Folder(f.dir), Now: f.now}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
}

// TestForeignFile checks that files of others are neither read nor replaced.
func TestForeignFile(t *testing.T) {
	f := newFixture(t, dbtest.First(t))
	path := filepath.Join(f.dir, "day=2023-11-14", "transitions.parquet")
	for want, write := range map[string]func() error{
		"is not a Parquet file":       func() error { return os.WriteFile(path, []byte("hello"), 0o600) },
		"is not an export of Vedette": func() error { return parquet.WriteFile(path, []struct{ A int }{{1}}) },
		"it is not a file":            func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		if err := errors.Join(os.RemoveAll(path), os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, nil, 0o600), write()); err != nil {
			t.Fatal(err)
		}
		_, err := export.Run(t.Context(), export.Config{DB: f.DB, Store: export.Folder(f.dir), Now: f.now, Replace: true})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// discard is a file that is not kept.
type discard struct{ n int64 }

func (d *discard) Write(p []byte) (int, error) { d.n += int64(len(p)); return len(p), nil }
func (*discard) Commit(context.Context) error  { return nil }
func (*discard) Discard()                      {}

// TestMemory checks that the memory of a file does not depend on its number of rows, with long
// messages.
func TestMemory(t *testing.T) {
	w := export.NewRowWriter(&discard{}, time.Unix(1, 0))
	var most uint64
	message := make([]byte, 3<<10)
	chance := testinput.Rand(t)
	for i := range 40_000 { // 160 MB of text that cannot be compressed
		for j := 0; j < len(message); j += 8 {
			binary.LittleEndian.PutUint64(message[j:], chance.Uint64())
		}
		r := export.Row{ID: fmt.Sprint("uid.", i), Version: int64(i), Message: base64.StdEncoding.EncodeToString(message), Labels: map[string]string{"app": "train"}}
		if err := w.Add(r); err != nil {
			t.Fatal(err)
		}
		if i%1000 == 0 {
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if most > 5*export.GroupText {
		t.Errorf("a file needed %d MB, want at most %d", most>>20, 5*export.GroupText>>20)
	}
}

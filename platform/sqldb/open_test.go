package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	neturl "net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestInspect inspects a database before and after it has a schema, and checks that nothing
// changes.
func TestInspect(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		began := time.Now()
		if _, isFile := sqldb.FileOf(url); isFile {
			if _, err := sqldb.Inspect(t.Context(), url); !errors.Is(err, sqldb.ErrAbsent) {
				t.Fatalf("Inspect: got error %v, want %v", err, sqldb.ErrAbsent)
			}
			if _, err := sqldb.Read(t.Context(), url); !errors.Is(err, sqldb.ErrAbsent) {
				t.Fatalf("Read: got error %v, want %v", err, sqldb.ErrAbsent)
			}
		} else {
			d, err := sqldb.Inspect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			for range 2 { // the first inspection creates nothing that the second one would find
				steps, err := d.Migrations(t.Context())
				if err != nil || len(steps) == 0 || steps[0].Applied {
					t.Errorf("before the migration: got %+v and error %v, want the first step not applied", steps, err)
				}
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
			if _, err := sqldb.Read(t.Context(), url); !errors.Is(err, sqldb.ErrNoSchema) {
				t.Errorf("Read: got error %v, want %v", err, sqldb.ErrNoSchema)
			}
		}
		migrated(t, url)
		d, err := sqldb.Inspect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		steps, err := d.Migrations(t.Context())
		if err != nil || !steps[0].Applied || steps[0].At.Before(began.Add(-time.Second)) || steps[0].At.Sub(began) > time.Hour {
			t.Errorf("after the migration: got %+v and error %v, want the first step applied now", steps, err)
		}
		before := time.Now() // the query may take long on a busy machine
		if at, err := d.Clock(t.Context()); err != nil || at.Before(before.Add(-time.Second)) || at.After(time.Now().Add(time.Second)) {
			t.Errorf("clock: got %v and error %v, want the time of this machine", at, err)
		}
		if at := d.Now(); at.Before(before.Add(-time.Second)) || at.After(time.Now().Add(time.Second)) {
			t.Errorf("now: got %v, want the time of this machine", at)
		}
		version, err := d.Version(t.Context())
		want := map[string]string{"sqlite": "SQLite", "postgres": "PostgreSQL", "mysql": "MariaDB"}[strings.Split(url, ":")[0]]
		if strings.HasSuffix(t.Name(), "/mysql") {
			want = "MySQL"
		}
		if name, number, _ := strings.Cut(version, " "); err != nil || name != want || strings.Count(number, ".") == 0 || strings.ContainsAny(number, " -") {
			t.Errorf("version: got %s and error %v, want %s and a number", version, err, want)
		}
		history, err := sqldb.Read(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		if err := history.Close(); err != nil {
			t.Error(err)
		}
	})
}

// TestInspectLeavesNothing checks that Inspect changes neither a file nor its directory.
func TestInspectLeavesNothing(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	if err := migrated(t, url).Close(); err != nil {
		t.Fatal(err)
	}
	file, _ := sqldb.FileOf(url)
	list := func() string {
		var names []string
		err := filepath.WalkDir(filepath.Dir(file), func(path string, e fs.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				text, _ := os.ReadFile(path)
				names = append(names, path, string(text))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(names, "\n")
	}
	before := list()
	d, err := sqldb.Inspect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Migrations(t.Context()); err != nil {
		t.Error(err)
	}
	write := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
		return tx.Insert(t.Context(), "clusters", []string{"uid", "name", "seen_at"}, [][]any{{"a", "", int64(0)}})
	})
	if write == nil || !strings.Contains(write.Error(), "is read-only") {
		t.Errorf("wrote to an inspected file: %v", write)
	}
	if during := list(); during != before {
		t.Error("the directory changed during the inspection")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if list() != before {
		t.Error("the directory changed after the inspection")
	}
}

// TestReadOfReadOnlyFile checks that Read opens a file without write access.
func TestReadOfReadOnlyFile(t *testing.T) {
	url := "sqlite:" + filepath.Join(t.TempDir(), "h.db")
	if err := migrated(t, url).Close(); err != nil {
		t.Fatal(err)
	}
	file, _ := sqldb.FileOf(url)
	if err := os.Chmod(file, 0o400); err != nil {
		t.Fatal(err)
	}
	d, err := sqldb.Read(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if n := number(t, d, "SELECT COUNT(*) FROM objects"); n != 0 {
		t.Errorf("got %v, want 0", n)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestHide(t *testing.T) {
	for url, want := range map[string]string{
		"postgres://me:geheim@db:5432/h?sslmode=disable&password=geheim": "postgres://me@db:5432/h?sslmode=disable",
		"postgres://me@db/h?sslpassword=geheim&sslmode=require":          "postgres://me@db/h?sslmode=require",
		"mysql://me:geheim@db/h":                                         "mysql://me@db/h",
		"mysql://:geheim@db/h":                                           "mysql://db/h",
		"postgres://me:geheim%zz@h/d":                                    "postgres:…",
		"oracle://me:geheim@h/d":                                         "oracle:…",
		"mysql://me:geheim@h":                                            "mysql:…",
		"sqlite:a/b.db":                                                  "sqlite:a/b.db",
		"geheim":                                                         "…",
		"host=db password=geheim:x":                                      "…",
	} {
		if got := sqldb.Hide(url); got != want {
			t.Errorf("%s: %s, want %s", url, got, want)
		}
	}
}

func TestFileOf(t *testing.T) {
	for url, want := range map[string]string{
		"sqlite:a/b.db": "a/b.db", "sqlite:///a/b.db": "/a/b.db", "sqlite3:b.db": "b.db", "file:b.db": "b.db",
		"postgres://me@db/h": "", "mysql://me@db/h": "", "sqlite:": "", "sqlite:b.db?mode=ro": "", "b.db": "",
	} {
		if got, ok := sqldb.FileOf(url); got != want && ok || ok != (want != "") {
			t.Errorf("%s: %q, %v, want %q", url, got, ok, want)
		}
	}
}

// TestRefusals checks that an error of a connection is one line with a remedy and without a
// password.
func TestRefusals(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		var cases map[string]string
		u, err := neturl.Parse(url)
		if err != nil {
			t.Fatal(err)
		}
		switch u.Scheme {
		case "sqlite":
			cases = map[string]string{"sqlite:/nowhere/h.db": "the directory /nowhere does not exist", "sqlite:" + t.TempDir(): "is a directory"}
		case "postgres":
			cases = map[string]string{
				"postgres://nobody:geheim@" + u.Host + "/postgres?sslmode=disable": "the server does not let this user connect",
				"postgres://vedette:geheim@" + u.Host + "/none?sslmode=disable":    "the database does not exist",
				"postgres://vedette:geheim@" + u.Host + "/none?sslmode=require":    "the server does not support TLS",
				"mysql://vedette:geheim@" + u.Host + "/none":                       "did not answer in time",
			}
		case "mysql":
			dbtest.Of(t, strings.Split(t.Name(), "/")[1]).Exec(t, "CREATE USER locked ACCOUNT LOCK", "CREATE USER limited WITH MAX_CONNECTIONS_PER_HOUR 1", "GRANT ALL ON *.* TO limited")
			opened(t, strings.Replace(url, "root@", "limited@", 1))
			cases = map[string]string{
				"mysql://locked:@" + u.Host + u.Path:                        "the account of the user is locked",
				"mysql://limited:@" + u.Host + u.Path:                       "the user has reached a limit of the account",
				"mysql://nobody:geheim@" + u.Host + "/h":                    "the server rejected the user or the password",
				"mysql://root@" + u.Host + "/none":                          "the database does not exist",
				"mysql://root@" + u.Host + "/none?tls=true":                 "the server does not support TLS",
				"mysql://root@" + u.Host + "/none?tls=false":                "the database does not exist",
				"postgres://nobody:geheim@" + u.Host + "/h?sslmode=disable": "check that this is the address of a PostgreSQL server",
			}
		}
		if strings.HasSuffix(t.Name(), "/pgbouncer") { // it lets every user connect in tests
			delete(cases, "postgres://nobody:geheim@"+u.Host+"/postgres?sslmode=disable")
		}
		if strings.HasSuffix(t.Name(), "/mysql") { // it makes a certificate for itself
			cases["mysql://root@"+u.Host+"/none?tls=true"] = "the certificate of the server contains no host name"
		}
		for url, want := range cases {
			ctx := patience.Context(t, url)
			if strings.Contains(want, "in time") { // neither side begins
				short, cancel := context.WithTimeout(ctx, time.Second) // an input: neither side begins, so the limit ends the call
				defer cancel()
				ctx = short
			}
			d, err := sqldb.Open(ctx, url)
			if err == nil {
				_ = d.Close()
				t.Errorf("%s: Open succeeded, want an error", url)
				continue
			}
			if text := err.Error(); !strings.Contains(text, want) || strings.ContainsAny(text, "\n\t") || strings.Contains(text, "geheim") {
				t.Errorf("%s: %s, want %s", url, text, want)
			}
			var said *sqldb.Error
			if !errors.As(err, &said) || said.Remedy == "" {
				t.Errorf("%s: no remedy", url)
			}
		}
	})
}

// wrapped is a driver of another package for a related database.
type wrapped struct {
	sqldb.Driver
	opened int
}

func (w *wrapped) Address(u *neturl.URL, getenv func(string) string) (sqldb.Address, error) {
	w.opened++
	own := *u
	own.Scheme = strings.TrimPrefix(u.Scheme, "own-")
	return w.Driver.Address(&own, getenv)
}

// TestOwnDriver checks that the driver of another package opens URLs with its scheme.
func TestOwnDriver(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		driver, err := sqldb.DriverOf(url)
		if err != nil {
			t.Fatal(err)
		}
		w, url := &wrapped{Driver: driver}, "own-"+url
		if _, err := sqldb.Open(t.Context(), url); err == nil || !strings.Contains(err.Error(), "are not supported") {
			t.Errorf("opened without the driver: %v", err)
		}
		if _, isFile := sqldb.FileOf(url[len("own-"):]); isFile {
			if _, err := sqldb.ReadWith(t.Context(), w, url); !errors.Is(err, sqldb.ErrAbsent) {
				t.Errorf("ReadWith: got error %v, want %v", err, sqldb.ErrAbsent)
			}
		} else if _, err := sqldb.ReadWith(t.Context(), w, url); !errors.Is(err, sqldb.ErrNoSchema) {
			t.Errorf("ReadWith: got error %v, want %v", err, sqldb.ErrNoSchema)
		}
		d, err := sqldb.OpenWith(t.Context(), w, url)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if _, err := d.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, open := range []func(context.Context, sqldb.Driver, string) (*sqldb.DB, error){sqldb.InspectWith, sqldb.ReadWith} {
			d, err := open(t.Context(), w, url)
			if err != nil {
				t.Fatal(err)
			}
			if n := number(t, d, "SELECT COUNT(*) FROM objects"); n != 0 {
				t.Errorf("got %v, want 0", n)
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
		if w.opened != 4 {
			t.Errorf("the driver parsed %d URLs", w.opened)
		}
	})
}

// TestPool checks that a server ends the transactions and the sessions of a vanished
// process.
func TestPool(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := opened(t, url)
		for setting, want := range map[string]map[string]string{
			"postgres": {"SELECT current_setting('idle_in_transaction_session_timeout')": "20s"},
			"mysql":    {"SELECT @@session.wait_timeout": "20", "SELECT @@session.collation_connection": "utf8mb4_bin"},
			"sqlite":   {"PRAGMA synchronous": "2", "PRAGMA journal_mode": "wal", "PRAGMA auto_vacuum": "2", "PRAGMA busy_timeout": "10000"},
		} {
			if !strings.HasPrefix(url, setting) {
				continue
			}
			for query, want := range want {
				var got string
				err := d.Transact(t.Context(), func(tx *sqldb.Tx) error { // a pooler has the settings in transactions only
					return tx.Query(t.Context(), query, nil, func(rows *sql.Rows) error { return rows.Scan(&got) })
				})
				if err != nil || got != want {
					t.Errorf("%s: %s, %v, want %s", query, got, err, want)
				}
			}
		}
	})
}

// TestBounded checks that a context for one unit of work ends after Timeout, and that idle
// connections survive if the caller calls done earlier.
func TestBounded(t *testing.T) {
	d := opened(t, dbtest.Empty(t, "sqlite"))
	if err := d.Query(t.Context(), "SELECT 1", nil, func(*sql.Rows) error { return nil }); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	bound, done := d.Bounded(ctx)
	if deadline, ok := bound.Deadline(); !ok || time.Until(deadline) > sqldb.Timeout {
		t.Errorf("got deadline %v (%v), want one within the timeout", deadline, ok)
	}
	done()
	if d.SQL().Stats().Idle != 1 {
		t.Error("done closed idle connections although the work did not time out")
	}
}

// TestPrivateFiles: other users of a machine cannot read a history, whatever the umask allows.
func TestPrivateFiles(t *testing.T) {
	folder := t.TempDir()
	d := migrated(t, "sqlite:"+filepath.Join(folder, "history.db"))
	if _, err := d.SQL().ExecContext(t.Context(), "INSERT INTO clusters (uid, name, seen_at) VALUES ('a', 'a', 1)"); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(folder)
	if err != nil || len(files) < 3 {
		t.Fatalf("got %v and error %v, want the file and those beside it", files, err)
	}
	for _, f := range files {
		if info, err := f.Info(); err != nil || oscompat.SharedBits(info) != 0 {
			t.Errorf("%s has the mode %v, %v", f.Name(), info.Mode(), err)
		}
	}
}

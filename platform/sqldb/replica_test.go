package sqldb_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// replicaLog is a log that a test reads.
type replicaLog struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *replicaLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

// lacks returns the log if it has no line with a text.
func (l *replicaLog) lacks(text string) (problem string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if strings.Contains(l.text.String(), text) {
		return ""
	}
	return fmt.Sprintf("got the log %q", l.text.String())
}

// openReplica opens a replica and compares it until the test ends.
func openReplica(t *testing.T, d *sqldb.DB, url string, most time.Duration) (*sqldb.Replica, *replicaLog) {
	t.Helper()
	log := &replicaLog{}
	logger := slog.New(slog.NewTextHandler(log, nil))
	r, err := sqldb.OpenReplica(d, url, most, func() *slog.Logger { return logger })
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.Run(ctx) })
	t.Cleanup(func() {
		stop()
		running.Wait()
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r, log
}

// texts returns the texts of a table, by Query.
func texts(t *testing.T, d *sqldb.DB) (all []string) {
	t.Helper()
	err := d.Query(t.Context(), "SELECT txt FROM written ORDER BY txt", nil, func(rows *sql.Rows) error {
		var text string
		err := rows.Scan(&text)
		all = append(all, text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// becomes waits until a view shows some texts.
func becomes(t *testing.T, d *sqldb.DB, want ...string) {
	t.Helper()
	patience.Until(t, fmt.Sprintf("the view shows %q", want), func() string {
		if got := texts(t, d); !slices.Equal(got, want) {
			return fmt.Sprintf("it shows %q", got)
		}
		return ""
	})
}

// TestReplicaOfServer uses two databases, of which the test keeps one behind the other: the
// view reads the replica while it is recent and has what was shown, and the database otherwise.
func TestReplicaOfServer(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		if kind == "sqlite" {
			continue
		}
		t.Run(kind, func(t *testing.T) {
			d, url := migrated(t, dbtest.Empty(t, kind)), dbtest.Empty(t, kind)
			copied := migrated(t, url)
			for name, one := range map[string]*sqldb.DB{"database": d, "replica": copied} {
				write(t, one, "CREATE TABLE written (txt VARCHAR(20) NOT NULL)")
				write(t, one, "INSERT INTO written VALUES (?)", name)
			}
			advance := func(one *sqldb.DB, position int) { write(t, one, "UPDATE feed_head SET position = ?", position) }
			r, log := openReplica(t, d, url, time.Second)
			shown := int64(0)
			view := r.View(func() int64 { return shown })
			becomes(t, view, "replica")
			if got := texts(t, d); !slices.Equal(got, []string{"database"}) {
				t.Errorf("the database itself has %q", got)
			}

			advance(d, 5)
			shown = 5 // a page has shown it: the replica is too old at once
			if got := texts(t, view); !slices.Equal(got, []string{"database"}) {
				t.Errorf("after a newer position was shown, the view has %q", got)
			}
			advance(copied, 5)
			if got := texts(t, view); !slices.Equal(got, []string{"replica"}) {
				t.Errorf("the replica has what was shown, and the view has %q", got)
			}

			advance(d, 6) // nobody has seen it
			becomes(t, view, "database")
			if s := r.Stats(); s.Age < time.Second || s.Answered == 0 || s.Passed == 0 {
				t.Errorf("got %+v, want an age of more than a second", s)
			}
			patience.Until(t, "the replica is called old", func() string { return log.lacks("more than 1s behind") })
			advance(copied, 6)
			becomes(t, view, "replica")

			hold := map[string]string{"postgres": "BEGIN; LOCK TABLE written IN ACCESS EXCLUSIVE MODE", "mariadb": "LOCK TABLES written WRITE"}[dbtest.Family(kind)]
			conn, err := copied.SQL().Conn(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conn.ExecContext(t.Context(), hold); err != nil {
				t.Fatal(err)
			}
			bounded, done := d.Bounded(t.Context())
			var hung []string
			err = view.Query(bounded, "SELECT txt FROM written", nil, func(rows *sql.Rows) error {
				hung = append(hung, "row")
				return nil
			})
			done()
			if err != nil || len(hung) != 1 {
				t.Errorf("while the replica hangs, the view has %q and error %v, want the row of the database", hung, err)
			}
			if _, err := conn.ExecContext(t.Context(), map[string]string{"postgres": "ROLLBACK", "mariadb": "UNLOCK TABLES"}[dbtest.Family(kind)]); err != nil {
				t.Fatal(err)
			}
			if err := conn.Close(); err != nil {
				t.Fatal(err)
			}
			becomes(t, view, "replica")

			write(t, copied, "DROP TABLE written") // a query that fails on the replica
			if got := texts(t, view); !slices.Equal(got, []string{"database"}) {
				t.Errorf("after a fault of the replica the view has %q", got)
			}
			if n := 0; view.QueryRow(t.Context(), "SELECT COUNT(*) FROM written").Scan(&n) != nil || n != 1 {
				t.Errorf("QueryRow does not use the database itself")
			}
			write(t, view, "INSERT INTO written VALUES ('more')")
			if got := texts(t, d); !slices.Equal(got, []string{"database", "more"}) {
				t.Errorf("a view writes to another database: %q", got)
			}
		})
	}
}

// copiedDatabase is a database that its server copies to a replica.
type copiedDatabase struct {
	*sqldb.DB
	replica       string // URL
	pause, resume func(context.Context) error
	kill          func() // ends the replica
}

func newCopiedDatabase(t *testing.T, kind string) *copiedDatabase {
	t.Helper()
	if dbtest.Family(kind) == "postgres" {
		pair, d := openPair(t)
		return &copiedDatabase{d, pair.StandbyURL("history"), pair.Pause, pair.Resume, pair.Standby.Kill}
	}
	pair := dbtest.StartMariaDBPair(t)
	url := pair.Primary.Empty(t)
	d, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	write(t, d, "CREATE TABLE written (n BIGINT)")
	return &copiedDatabase{d, fmt.Sprintf(pair.Replica.URL, url[strings.LastIndex(url, "/")+1:]), pair.Pause, pair.Resume, pair.Replica.Kill}
}

// TestReplicaOfReplication uses a standby of PostgreSQL and a replica of MariaDB, which stop
// and continue to apply commits, and are killed.
func TestReplicaOfReplication(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		if kind != "sqlite" {
			t.Run(kind, func(t *testing.T) { replicate(t, newCopiedDatabase(t, kind)) })
		}
	}
}

func replicate(t *testing.T, d *copiedDatabase) {
	t.Helper()
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	const age = 500 * time.Millisecond
	r, log := openReplica(t, d.DB, d.replica, age)
	view := r.View(nil)
	count := func() (n int) {
		t.Helper()
		err := view.Query(t.Context(), "SELECT COUNT(*) FROM written", nil, func(rows *sql.Rows) error { return rows.Scan(&n) })
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	until := func(what string, done func() bool) {
		t.Helper()
		patience.Until(t, what, func() string {
			if done() {
				return ""
			}
			return fmt.Sprintf("%+v", r.Stats())
		})
	}
	until("the replica answers", func() bool { count(); return r.Stats().Answered > 0 })
	if err := d.pause(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, d.DB, "INSERT INTO written VALUES (1)")
	write(t, d.DB, "UPDATE feed_head SET position = 1")
	until("the database answers", func() bool {
		before := r.Stats()
		n := count()
		if n == 0 && (before.Age < 0 || before.Age > age) {
			t.Fatalf("the view showed an old state: %+v", before)
		}
		return n == 1
	})
	if err := d.resume(t.Context()); err != nil {
		t.Fatal(err)
	}
	answered := r.Stats().Answered
	until("the replica answers again", func() bool { return count() == 1 && r.Stats().Answered > answered })
	d.kill()
	for range 20 {
		if count() != 1 {
			t.Fatal("the row is missing after the replica was killed")
		}
	}
	patience.Until(t, "the fault is logged", func() string { return log.lacks("the replica is unusable") })
}

// TestUnreachableReplica checks that a program starts without its replica.
func TestUnreachableReplica(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		if kind == "sqlite" {
			continue
		}
		d := migrated(t, dbtest.Empty(t, kind))
		write(t, d, "CREATE TABLE written (txt VARCHAR(20) NOT NULL)")
		write(t, d, "INSERT INTO written VALUES ('database')")
		url := map[string]string{"postgres": "postgres://u@127.0.0.1:1/d?sslmode=disable", "mariadb": "mysql://u@127.0.0.1:1/d"}[dbtest.Family(kind)]
		r, log := openReplica(t, d, url, time.Second)
		if got := texts(t, r.View(nil)); !slices.Equal(got, []string{"database"}) {
			t.Errorf("%s: the view has %q", kind, got)
		}
		patience.Until(t, "the fault is logged", func() string { return log.lacks("the replica is unusable") })
	}
}

// TestBadReplicas checks the errors of OpenReplica.
func TestBadReplicas(t *testing.T) {
	kind := dbtest.Kinds()[len(dbtest.Kinds())-1]
	d := migrated(t, dbtest.Empty(t, kind))
	for url, want := range map[string]string{
		"sqlite:" + t.TempDir() + "/h.db": "the replica is a file",
		"oracle://h/d":                    "oracle",
		"mysql://u@h1,h2/d":               "several hosts",
		"postgres://u@h1,h2/d":            "several hosts",
	} {
		if _, err := sqldb.OpenReplica(d, url, time.Second, slog.Default); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got error %v, want %q", url, err, want)
		}
	}
	other := map[string]string{"sqlite": "mysql://u@127.0.0.1:1/d", "postgres": "mysql://u@127.0.0.1:1/d", "mariadb": "postgres://u@127.0.0.1:1/d"}[dbtest.Family(kind)]
	if _, err := sqldb.OpenReplica(d, other, time.Second, slog.Default); err == nil || !strings.Contains(err.Error(), "copy of the same database") {
		t.Errorf("another product: got error %v", err)
	}
	if kind != "sqlite" {
		if _, err := sqldb.OpenReplica(d, fmt.Sprint(d), time.Millisecond, slog.Default); err == nil || !strings.Contains(err.Error(), "100ms") {
			t.Errorf("a short age: got error %v", err)
		}
	}
}

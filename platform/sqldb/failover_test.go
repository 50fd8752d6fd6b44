package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestPromotedStandby checks that writes continue on the promoted standby of a pair of PostgreSQL
// servers, with every row that was committed before, whichever host comes first in the URL.
func TestPromotedStandby(t *testing.T) {
	if !slices.Contains(dbtest.Kinds(), "postgres") {
		return
	}
	pair, d := openPair(t)
	for n := range 2 {
		write(t, d, "INSERT INTO written VALUES (?)", n)
		if err := pair.Failover(t.Context()); err != nil {
			t.Fatal(err)
		}
		write(t, d, "INSERT INTO written VALUES (?)", 100+n)
		if err := pair.Join(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	count := 0
	if err := d.QueryRow(t.Context(), "SELECT COUNT(*) FROM written").Scan(&count); err != nil || count < 4 {
		t.Errorf("got %d rows, %v, want 4", count, err)
	}
	if !strings.Contains(d.String(), ",127.0.0.1:") {
		t.Errorf("the database is shown as %s, want both hosts", d)
	}
}

// openPair opens a database on a pair of servers.
func openPair(t *testing.T) (*dbtest.PostgresPair, *sqldb.DB) {
	t.Helper()
	pair := dbtest.StartPostgresPair(t)
	if err := pair.Exec(t.Context(), "CREATE DATABASE history"); err != nil {
		t.Fatal(err)
	}
	d, err := sqldb.Open(t.Context(), pair.URL("history"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	write(t, d, "CREATE TABLE written (n BIGINT)")
	return pair, d
}

// TestDemotedPrimary checks that a pool leaves a server that no longer takes writes but keeps
// its connections.
func TestDemotedPrimary(t *testing.T) {
	if !slices.Contains(dbtest.Kinds(), "postgres") {
		return
	}
	pair, d := openPair(t)
	if err := pair.Demote(t.Context()); err != nil {
		t.Fatal(err)
	}
	write(t, d, "INSERT INTO written VALUES (1)")
}

// write repeats a statement until it succeeds.
func write(t *testing.T, d *sqldb.DB, statement string, args ...any) {
	t.Helper()
	patience.NoError(t, statement, func() error {
		return d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec(t.Context(), statement, args...)
			return err
		})
	})
}

// TestReadOnlyServer checks that a pool with several hosts passes over MariaDB servers that are
// away or read-only.
func TestReadOnlyServer(t *testing.T) {
	kind := dbtest.Selected("mariadb")
	if kind == "" {
		return
	}
	u, err := url.Parse(dbtest.Empty(t, kind))
	if err != nil {
		t.Fatal(err)
	}
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	dead := closed.Addr().String()
	if err := closed.Close(); err != nil {
		t.Fatal(err)
	}
	several := strings.Replace(u.String(), u.Host, dead+","+u.Host, 1)
	d, err := sqldb.Open(t.Context(), several)
	if err != nil {
		t.Fatalf("the first host is dead: %v", err)
	}
	defer d.Close()
	write(t, d, "CREATE TABLE written (n BIGINT)")
	admin := sqlOf(t, u)
	if _, err := admin.ExecContext(t.Context(), "SET GLOBAL read_only = 1"); err != nil {
		t.Fatal(err)
	}
	restore := func() {
		if _, err := admin.ExecContext(context.WithoutCancel(t.Context()), "SET GLOBAL read_only = 0"); err != nil {
			t.Error(err)
		}
	}
	defer restore()
	other, err := sqldb.Open(t.Context(), several)
	if err == nil {
		_ = other.Close()
		t.Fatal("a pool opened, but no host takes writes")
	}
	for _, want := range []string{"the server is read-only", u.Host} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	restore()
	write(t, d, "INSERT INTO written VALUES (1)")
}

// sqlOf opens a database without package sqldb.
func sqlOf(t *testing.T, u *url.URL) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", u.User.Username()+"@tcp("+u.Host+")/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return db
}

// TestUnreachableHosts checks that the error names each host.
func TestUnreachableHosts(t *testing.T) {
	_, err := sqldb.Open(t.Context(), "mysql://me:geheim@127.0.0.1:1,[::1]:2/h")
	var explained *sqldb.Error
	if err == nil || !errors.As(err, &explained) || strings.Contains(err.Error(), "geheim") {
		t.Fatalf("got %v", err)
	}
	t.Log(err)
}

package recordtest

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

var errorTests = []test{
	{"rejected data are distinguished from other errors", rejects},
	{"errors name the database", explains},
}

// rejects: an error about the data of a statement is marked as such, and no other error
// is.
func rejects(t *testing.T, d *database) {
	d.exec("CREATE TABLE checked (n BIGINT NOT NULL, CHECK (n > 0))")
	insert := func(ctx context.Context, table string, n int64) error {
		return d.Transact(ctx, func(tx *sqldb.Tx) error { return tx.Insert(ctx, table, []string{"n"}, [][]any{{n}}) })
	}
	if err := insert(t.Context(), "checked", 1); err != nil {
		t.Fatal(err)
	}
	if err := insert(t.Context(), "checked", -1); err == nil || !d.Rejects(err) {
		t.Errorf("a constraint: %v", err)
	}
	if err := insert(t.Context(), "missing", 1); err == nil || d.Rejects(err) {
		t.Errorf("no table: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := insert(ctx, "checked", -1); err == nil || d.Rejects(err) {
		t.Errorf("cancelled: %v", err)
	}
	if d.Rejects(nil) || d.Rejects(errUndo) {
		t.Error("errors of others are rejected data")
	}
	if n := d.number("SELECT COUNT(*) FROM checked"); n != 1 {
		t.Errorf("%d rows", n)
	}
}

// explains: an error of the database names the database, is one line, and can be found by
// errors.As.
func explains(t *testing.T, d *database) {
	inner := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
		_, err := tx.Exec(t.Context(), "UPDATE missing SET n = 1")
		return err
	})
	if inner == nil {
		t.Fatal("there is a table that is missing")
	}
	e := (*sqldb.Error)(nil)
	err := d.Explain(inner)
	if !errors.As(err, &e) || e.Database != d.String() || e.Err == nil {
		t.Errorf("%+v", err)
	}
	if text := err.Error(); strings.Contains(text, "\n") || !strings.Contains(text, d.String()) {
		t.Errorf("%q", text)
	}
	if d.Explain(nil) != nil {
		t.Error("nil is an error")
	}
	if err := d.Transact(t.Context(), func(*sqldb.Tx) error { return errUndo }); err != errUndo {
		t.Errorf("an error of the caller becomes %v", err)
	}
}

// RunSecrets tests that a driver hides secrets. address is a URL that contains secret and
// has no database.
func RunSecrets(t *testing.T, driver sqldb.Driver, address, secret string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil || !strings.Contains(address, secret) {
		t.Fatalf("the address is no URL that contains the secret: %v", err)
	}
	a, err := driver.Address(u, func(string) string { return "" })
	if err != nil {
		t.Fatal("the address is refused")
	}
	if strings.Contains(a.URL, secret) {
		t.Error("Address.URL contains the secret")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	d, err := sqldb.OpenWith(ctx, driver, address)
	if err == nil {
		_ = d.Close() // it should not have opened
		t.Fatal("a database answers there")
	}
	if strings.Contains(err.Error(), secret) {
		t.Error("the error of a connection contains the secret")
	}
	for _, broken := range []string{address + "%zz", strings.Replace(address, "://", "://%zz", 1), address + "&sslmode=none&tls=none"} {
		_, err := sqldb.OpenWith(ctx, driver, broken)
		if err == nil || strings.Contains(err.Error(), secret) {
			t.Error("the error of a malformed URL contains the secret, or there is none")
		}
	}
}

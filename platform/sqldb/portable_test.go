package sqldb_test

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"
	"testing"

	sqlitedriver "modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// portable is a driver as another package would write it: it has its own Dialect, and uses
// the building blocks of sqldb for everything else.
type portable struct{}

// portableScheme is the beginning of the URLs of the driver.
const portableScheme = "portable:"

func (portable) Dialect() sqldb.Dialect {
	d := sqldb.SQLite().Dialect() // for the migrations
	d.Name, d.Version = "Portable", "SELECT 'Portable 1.0'"
	d.PairsPrefix, d.IndexHint, d.OrderedJoin, d.NoIndexPrefix = "VALUES ", "", "", ""
	d.TableExists = "SELECT COUNT(*) FROM sqlite_master WHERE type = 'table' AND name = $1"
	d.Rebind, d.RowComparison = sqldb.NumberParameters, sqldb.CompareColumns
	return d
}

func (portable) Address(u *url.URL, _ func(string) string) (sqldb.Address, error) {
	file := u.Opaque + u.Path
	connect := func(access sqldb.Access) (*sql.DB, error) {
		if access == sqldb.ReadOnly {
			return sql.Open("sqlite", "file:"+file+"?mode=ro")
		}
		return sql.Open("sqlite", "file:"+file+"?_txlock=immediate&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)")
	}
	return sqldb.Address{URL: u.String(), File: file, Connect: connect}, nil
}

func (p portable) Insert(ctx context.Context, tx *sql.Tx, rows sqldb.Rows, key string) error {
	return sqldb.Chunks{Parameters: 100}.Exec(ctx, tx, rows, func(n int) string {
		text := sqldb.NumberParameters(rows.InsertText(n))
		if key != "" {
			text += " ON CONFLICT DO NOTHING"
		}
		return text
	})
}

func (portable) Update(ctx context.Context, tx *sql.Tx, rows sqldb.Rows) error {
	return rows.UpdateEach(ctx, tx, sqldb.NumberParameters)
}

func (portable) LockRows(ctx context.Context, tx *sql.Tx, s sqldb.Selection) (*sql.Rows, error) {
	query, args := s.Text("")
	return tx.QueryContext(ctx, sqldb.NumberParameters(query), args...)
}

func (portable) TryLock(_ context.Context, _ *sql.DB, a sqldb.Address, name string) (unlock func() error, ours bool, err error) {
	return sqldb.TryFileLock(a.File + "." + strings.ReplaceAll(name, " ", "-"))
}

func (portable) FileBytes(context.Context, *sql.DB) (int64, error) { return 0, nil }

func (portable) Size(context.Context, *sql.DB) (sqldb.Size, error) { return sqldb.Size{}, nil }
func (portable) Vacuum(context.Context, *sql.DB) error             { return nil }

func (portable) Explain(err error, _ sqldb.Address) (sqldb.Explanation, bool) {
	cause := (*sqlitedriver.Error)(nil)
	return sqldb.Explanation{}, errors.As(err, &cause)
}

func (portable) Conflicts(error) bool { return false }

func (portable) ReadOnly(error) bool { return false }

func (portable) Rejects(err error) bool {
	cause := (*sqlitedriver.Error)(nil)
	return errors.As(err, &cause) && cause.Code()&0xff == sqlitelib.SQLITE_CONSTRAINT
}

// each runs a test on an empty database of each kind, and on one of the portable driver.
func each(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	dbtest.Each(t, test)
	t.Run("portable", func(t *testing.T) { test(t, portableScheme+t.TempDir()+"/history.db") })
}

// kindOf returns the scheme of the database that a URL refers to.
func kindOf(url string) string {
	scheme, _, _ := strings.Cut(url, ":")
	if scheme == "portable" {
		return "sqlite"
	}
	return scheme
}

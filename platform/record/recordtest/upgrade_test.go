package recordtest_test

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-sql-driver/mysql"
	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// eachKind runs a test with an empty database of each kind.
func eachKind(t *testing.T, test func(t *testing.T, url, kind string)) {
	t.Helper()
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) { test(t, dbtest.Empty(t, kind), kind) })
	}
}

// open opens a database with this version.
func open(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	d, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// migrated opens a database, and brings its schema up to date.
func migrated(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	d := open(t, url)
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return d
}

// TestUpgradeKeepsHistory: this version gives the same answers about an earlier version's
// history as that version.
func TestUpgradeKeepsHistory(t *testing.T) {
	eachKind(t, func(t *testing.T, url, kind string) {
		db := raw(t, url)
		makeStep1(t, db, kind)
		loadStep1(t, db, kind)
		d := open(t, url)
		applied, err := d.Migrate(t.Context())
		if err != nil || len(applied) == 0 || applied[0].Name != "00002_transition_index.sql" {
			t.Fatalf("got steps %+v and error %v, want 00002_transition_index.sql first", applied, err)
		}
		want := readAnswers(t, "answers.json")
		compareAnswers(t, d, want)
		var marks []string
		in := false
		for _, line := range lines(t, step1+"/rows.jsonl") {
			if strings.HasPrefix(line, "{") {
				in = strings.Contains(line, `"marks"`)
			} else if in {
				marks = append(marks, strings.ReplaceAll(strings.Trim(line, "[]"), ",", " "))
			}
		}
		slices.Sort(marks)
		same(t, "index entry", index(t, d), marks)
		if applied, err := d.Migrate(t.Context()); err != nil || len(applied) > 0 {
			t.Errorf("again: %+v, %v", applied, err)
		}
	})
}

// TestStatementsOfVersionBefore: the database accepts every statement of the previous
// version.
func TestStatementsOfVersionBefore(t *testing.T) {
	eachKind(t, func(t *testing.T, url, kind string) {
		db := raw(t, url)
		makeStep1(t, db, kind)
		loadStep1(t, db, kind)
		migrated(t, url)
		all := readSent(t, "statements-"+kind+".jsonl")
		if len(all) < 100 {
			t.Fatalf("there are %d statements", len(all))
		}
		for _, s := range all {
			var err error
			if strings.HasPrefix(s.SQL, "PRAGMA") {
				err = s.send(t.Context(), db)
			} else {
				tx, begin := db.BeginTx(t.Context(), nil)
				if begin != nil {
					t.Fatal(begin)
				}
				err = errors.Join(s.send(t.Context(), tx), tx.Rollback())
			}
			if err != nil && !duplicate(err) {
				t.Errorf("a statement of the older version failed: %s: %v", s.SQL, err)
			}
		}
	})
}

// duplicate reports whether a row exists, because statements are sent with rows of another
// database.
func duplicate(err error) bool {
	if pg := (*pgconn.PgError)(nil); errors.As(err, &pg) {
		return pg.Code == "23505"
	}
	if my := (*mysql.MySQLError)(nil); errors.As(err, &my) {
		return my.Number == 1062
	}
	lite := (*sqlite.Error)(nil)
	return errors.As(err, &lite) && (lite.Code() == sqlitelib.SQLITE_CONSTRAINT_UNIQUE || lite.Code() == sqlitelib.SQLITE_CONSTRAINT_PRIMARYKEY)
}

// TestRecorderOfVersionBefore: this version finds what a recorder of the previous version
// writes after the upgrade.
func TestRecorderOfVersionBefore(t *testing.T) {
	eachKind(t, func(t *testing.T, url, kind string) {
		db := raw(t, url)
		makeStep1(t, db, kind)
		d := migrated(t, url)
		var tx *sql.Tx
		for _, s := range readSent(t, "session-"+kind+".jsonl") {
			var err error
			switch {
			case s.Kind == "begin":
				tx, err = db.BeginTx(t.Context(), nil)
			case s.Kind == "commit":
				err, tx = tx.Commit(), nil
			case tx != nil:
				err = s.send(t.Context(), tx)
			default:
				err = s.send(t.Context(), db)
			}
			if err != nil {
				t.Fatalf("a statement of the older version failed: %s: %v", s.SQL, err)
			}
		}
		want := readAnswers(t, "session-"+kind+"-answers.json")
		compareAnswers(t, d, want)
		got := index(t, d)
		slices.Sort(want.Index)
		if kind == "sqlite" { // there the previous version cannot delete entries, which then lead to nothing
			got = slices.DeleteFunc(got, func(e string) bool { return !slices.Contains(want.Index, e) })
		}
		same(t, "index entry", got, want.Index)
		var left int
		if err := db.QueryRowContext(t.Context(), "SELECT COUNT(*) FROM marks").Scan(&left); err != nil || kind == "sqlite" && left > 0 {
			t.Errorf("%d rows under the old name, %v", left, err)
		}
	})
}

// TestNewerSchema: a program works on a schema of a later version if the unknown steps are
// compatible with it, and refuses the schema otherwise.
func TestNewerSchema(t *testing.T) {
	eachKind(t, func(t *testing.T, url, kind string) {
		db := raw(t, url)
		d := migrated(t, url)
		steps, err := d.Migrations(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		knows := steps[len(steps)-1].Version
		exec := func(format string, args ...any) {
			t.Helper()
			if _, err := db.ExecContext(t.Context(), fmt.Sprintf(format, args...)); err != nil {
				t.Fatal(err)
			}
		}
		check := func(works bool) {
			t.Helper()
			_, errs := []error(nil), map[string]error{}
			_, errs["migrate"] = d.Migrate(t.Context())
			_, errs["migrations"] = d.Migrations(t.Context())
			for name, open := range map[string]func() (*sqldb.DB, error){
				"read": func() (*sqldb.DB, error) { return sqldb.Read(t.Context(), url) },
				"inspect": func() (*sqldb.DB, error) {
					d, err := sqldb.Inspect(t.Context(), url)
					if err == nil {
						_, err = d.Migrations(t.Context())
					}
					return d, err
				},
			} {
				d, err := open()
				if errs[name] = err; d != nil {
					_ = d.Close() // it opened
				}
			}
			for name, err := range errs {
				if works && err != nil || !works && !errors.Is(err, sqldb.ErrNewer) {
					t.Errorf("%s: got %v, want it to work: %t", name, err, works)
				}
			}
		}
		check(true)
		value := "1"
		if kind == "postgres" {
			value = "true"
		}
		exec("INSERT INTO vedette_schema (version_id, is_applied) VALUES (%d, %s)", knows+1, value)
		check(false) // compatibility is unspecified
		exec("INSERT INTO schema_compatibility (step, oldest_step) VALUES (%d, %d)", knows+1, knows)
		check(true)
		steps, err = d.Migrations(t.Context())
		if last := steps[len(steps)-1]; err != nil || last.Version != knows+1 || !last.Applied || !last.Newer {
			t.Errorf("got steps %+v and error %v, want the last one newer and applied", steps, err)
		}
		exec("INSERT INTO vedette_schema (version_id, is_applied) VALUES (%d, %s)", knows+2, value)
		exec("INSERT INTO schema_compatibility (step, oldest_step) VALUES (%d, %d)", knows+2, knows+1)
		check(false) // the last step removes names that this program needs
		exec("UPDATE schema_compatibility SET oldest_step = %d WHERE step = %d", knows, knows+2)
		exec("UPDATE schema_compatibility SET oldest_step = %d WHERE step = %d", knows+1, knows+1)
		check(false) // an earlier step counts too
	})
}

// TestUpgradeTogether: of several programs that upgrade a database concurrently, one does
// it, and the history is kept.
func TestUpgradeTogether(t *testing.T) {
	eachKind(t, func(t *testing.T, url, kind string) {
		db := raw(t, url)
		makeStep1(t, db, kind)
		loadStep1(t, db, kind)
		var all sync.WaitGroup
		took := make(chan int, 4)
		for range cap(took) {
			d := open(t, url)
			all.Go(func() {
				applied, err := d.Migrate(t.Context())
				if err != nil {
					t.Error(err)
				}
				took <- len(applied)
			})
		}
		all.Wait()
		close(took)
		sum := 0
		for n := range took {
			sum += n
		}
		d := open(t, url)
		steps, err := d.Migrations(t.Context())
		if err != nil || sum != len(steps)-1 {
			t.Errorf("%d of %d steps were applied, besides step 1: %v", sum, len(steps), err)
		}
		compareAnswers(t, d, readAnswers(t, "answers.json"))
	})
}

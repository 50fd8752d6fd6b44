package sqldb_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// blob returns the type of bytes in the database of a URL.
func blob(url string) string {
	return map[string]string{"postgres": "BYTEA", "mysql": "LONGBLOB", "sqlite": "BLOB"}[kindOf(url)]
}

// things creates a table for tests of statements.
func things(t *testing.T, url string) *sqldb.DB {
	t.Helper()
	d := opened(t, url)
	exec(t, d,
		"CREATE TABLE things (id BIGINT NOT NULL, grp BIGINT NOT NULL, small SMALLINT NOT NULL, name VARCHAR(63) NOT NULL, data "+blob(url)+" NOT NULL, CONSTRAINT things_name UNIQUE (grp, name), CONSTRAINT things_few CHECK (small < 5000), PRIMARY KEY (id))",
		"CREATE INDEX things_small ON things (small, id)", "CREATE INDEX things_grp ON things (grp)")
	return d
}

var columns = []string{"id", "grp", "small", "name", "data"}

// some returns n rows, beginning with an ID.
func some(first, n int) (rows [][]any) {
	for i := range n {
		id := int64(first + i)
		rows = append(rows, []any{id, id % 2, int16(id % 7), fmt.Sprintf("name-%04d", id), []byte{byte(id), 0, 0xff}})
	}
	return rows
}

// TestInsert inserts row counts around the limits of a statement.
func TestInsert(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		d := things(t, url)
		next := 0
		for _, n := range []int{0, 1, 15, 16, 17, 32, 33, 48, 499, 500, 501, 1000, 1001, 1100} {
			transact(t, d, func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, some(next, n)) })
			next += n
			if got := number(t, d, "SELECT COUNT(*) FROM things"); got != int64(next) {
				t.Fatalf("got %d rows after an INSERT of %d rows, want %d", got, n, next)
			}
		}
		if got, want := number(t, d, "SELECT SUM(id) FROM things"), int64(next*(next-1)/2); got != want {
			t.Errorf("%d, want %d", got, want)
		}
		var small int16
		var name string
		var data []byte
		if err := d.QueryRow(t.Context(), "SELECT small, name, data FROM things WHERE id = ? AND grp = ?", 1234, 0).Scan(&small, &name, &data); err != nil {
			t.Fatal(err)
		}
		if small != 1234%7 || name != "name-1234" || !bytes.Equal(data, []byte{1234 % 256, 0, 0xff}) {
			t.Errorf("got %d, %s and %x; want row 1234", small, name, data)
		}
		// Rows that exceed the size limit of a statement are sent one by one.
		large := some(next, 6) // too large for one statement
		for i := range large {
			large[i][4] = bytes.Repeat([]byte{byte(i)}, 3<<20)
		}
		transact(t, d, func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, large) })
		if got := number(t, d, "SELECT COUNT(*) FROM things WHERE LENGTH(data) = 3145728"); got != 6 {
			t.Errorf("got %d large rows, want 6", got)
		}
	})
}

// TestInsertNew checks that existing rows stay unchanged, and that other errors are
// returned.
func TestInsertNew(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		d := things(t, url)
		transact(t, d, func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, some(0, 40)) })
		err := d.Transact(t.Context(), func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, some(39, 1)) })
		if err == nil {
			t.Error("a row was inserted twice")
		}
		again := some(20, 60)
		for i := range again {
			again[i][2] = int16(100)
		}
		again[0][0] = int64(5000) // the same name as an existing row
		transact(t, d, func(tx *sqldb.Tx) error { return tx.InsertNew(t.Context(), "things", columns, again, "id") })
		if got := number(t, d, "SELECT COUNT(*) FROM things"); got != 80 {
			t.Errorf("got %d rows, want 80", got)
		}
		if got := number(t, d, "SELECT COUNT(*) FROM things WHERE small = 100"); got != 40 {
			t.Errorf("got %d new rows", got)
		}
		bad := some(200, 1)
		bad[0][2] = int16(5000)
		err = d.Transact(t.Context(), func(tx *sqldb.Tx) error { return tx.InsertNew(t.Context(), "things", columns, bad, "id") })
		if err == nil || !d.Rejects(err) {
			t.Errorf("a row that violates another constraint was skipped or inserted: %v", err)
		}
		if kindOf(url) == "sqlite" {
			return // SQLite accepts texts of any length
		}
		bad[0][2], bad[0][3] = int16(0), strings.Repeat("x", 64)
		err = d.Transact(t.Context(), func(tx *sqldb.Tx) error { return tx.InsertNew(t.Context(), "things", columns, bad, "id") })
		if err == nil || !d.Rejects(err) {
			t.Errorf("a text that is too long was skipped or truncated: %v", err)
		}
	})
}

// TestUpdate updates existing rows.
func TestUpdate(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		d := things(t, url)
		transact(t, d, func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, some(0, 1100)) })
		var rows [][]any
		for id := range 1200 { // 100 of them do not exist
			if id%2 == 0 {
				rows = append(rows, []any{int64(id), int16(1000), []byte("new")})
			}
		}
		transact(t, d, func(tx *sqldb.Tx) error {
			return tx.Update(t.Context(), "things", []string{"id", "small", "data"}, rows)
		})
		transact(t, d, func(tx *sqldb.Tx) error { return tx.Update(t.Context(), "things", []string{"id", "small"}, nil) })
		for query, want := range map[string]int64{
			"SELECT COUNT(*) FROM things":                                       1100,
			"SELECT COUNT(*) FROM things WHERE small = 1000 AND id % 2 = 0":     550,
			"SELECT COUNT(*) FROM things WHERE small = 1000 AND id % 2 = 1":     0,
			"SELECT COUNT(*) FROM things WHERE LENGTH(data) = 3 AND id % 2 = 0": 550,
			"SELECT COUNT(DISTINCT name) FROM things WHERE name LIKE 'name-%'":  1100,
		} {
			if got := number(t, d, query); got != want {
				t.Errorf("%s: %d, want %d", query, got, want)
			}
		}
		// Exec counts all rows that the condition selects, including unchanged rows.
		transact(t, d, func(tx *sqldb.Tx) error {
			n, err := tx.Exec(t.Context(), "UPDATE things SET small = ? WHERE small = ?", 1000, 1000)
			if n != 550 {
				t.Errorf("updated %d rows, want 550", n)
			}
			return err
		})
	})
}

func selection(group int64, names ...string) sqldb.Selection {
	return sqldb.Selection{Columns: "id, name", Table: "things", Index: "things_name", Where: "grp = ?", Args: []any{group}, Key: "name", Keys: names}
}

// TestLockRows checks that of two transactions that lock the same rows, the second waits
// and then sees the changes of the first.
func TestLockRows(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		d := things(t, url)
		transact(t, d, func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, some(0, 40)) })
		locked, finish, second := make(chan bool), make(chan bool), make(chan error, 1)
		first := make(chan error, 1)
		go func() {
			first <- d.Transact(t.Context(), func(tx *sqldb.Tx) error {
				var got []string
				err := tx.LockRows(t.Context(), selection(0, "absent", "name-0002", "name-0003", "name-0004"), func(rows *sql.Rows) error {
					var id int64
					var name string
					err := rows.Scan(&id, &name)
					got = append(got, name)
					return err
				})
				slices.Sort(got)
				if want := []string{"name-0002", "name-0004"}; !slices.Equal(got, want) { // 3 is in the other group
					err = errors.Join(err, fmt.Errorf("locked %q, want %q", got, want))
				}
				close(locked)
				<-finish
				_, updated := tx.Exec(t.Context(), "UPDATE things SET small = 99 WHERE id = 4")
				return errors.Join(err, updated)
			})
		}()
		<-locked
		go func() {
			second <- d.Transact(t.Context(), func(tx *sqldb.Tx) error {
				number(t, tx, "SELECT small FROM things WHERE id = 4") // a snapshot taken here must not persist
				s := selection(0, "name-0004", "name-0006")
				s.Columns = "small, name"
				seen := int64(0)
				err := tx.LockRows(t.Context(), s, func(rows *sql.Rows) error {
					var small int64
					var name string
					err := rows.Scan(&small, &name)
					if name == "name-0004" {
						seen = small
					}
					return err
				})
				if again := number(t, tx, "SELECT small FROM things WHERE id = 4"); seen != 99 || again != 99 {
					err = errors.Join(err, fmt.Errorf("read %d, then %d", seen, again))
				}
				return err
			})
		}()
		dbtest.Blocked(t, url, nil) // the second transaction waits
		close(finish)
		if err := errors.Join(<-first, <-second); err != nil {
			t.Error(err)
		}
	})
}

// TestLockOrder checks that transactions that lock overlapping sets of rows never deadlock.
func TestLockOrder(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		d := things(t, url)
		rows := some(0, 200)
		for i := range rows { // opposite to the order of the primary key
			rows[i][1], rows[i][3] = int64(0), fmt.Sprintf("name-%04d", 199-i)
		}
		transact(t, d, func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, rows) })
		done := make(chan error, 8)
		for worker := range cap(done) {
			go func() {
				for round := range 20 {
					var names []string
					for i := range 200 {
						if (i+worker+round)%50 != 0 {
							names = append(names, fmt.Sprintf("name-%04d", i))
						}
					}
					if err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
						var got []string
						s := selection(0, names...)
						s.Columns = "name, data" // data is not in the index
						err := tx.LockRows(t.Context(), s, func(rows *sql.Rows) error {
							var name string
							var data []byte
							err := rows.Scan(&name, &data)
							got = append(got, name)
							return err
						})
						if tx.ForUpdate() != "" && !slices.Equal(got, names) { // rows are returned in the order of locking
							err = errors.Join(err, fmt.Errorf("locked the rows in the order %q", got))
						}
						return err
					}); err != nil {
						done <- err
						return
					}
				}
				done <- nil
			}()
		}
		for range cap(done) {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
	})
}

// TestTransact checks that a transaction commits if its function succeeds. Otherwise
// nothing remains, and the error is returned unchanged.
func TestTransact(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		d := things(t, url)
		own := errors.New("mine")
		err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			return errors.Join(tx.Insert(t.Context(), "things", columns, some(0, 1)), own)
		})
		if n := number(t, d, "SELECT COUNT(*) FROM things"); n != 0 || !errors.Is(err, own) {
			t.Errorf("got %d rows and error %v, want 0 and the caller's error", n, err)
		}
		if err := d.Transact(t.Context(), func(*sqldb.Tx) error { return own }); err != own {
			t.Errorf("Transact: got %v, want %v", err, own)
		}
		err = d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			_, err := tx.Exec(t.Context(), "INSERT INTO nowhere VALUES (1)")
			return err
		})
		if e := (*sqldb.Error)(nil); !errors.As(err, &e) || e.Database != d.String() {
			t.Errorf("got %v, want an Error with the database", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		err = d.Transact(ctx, func(tx *sqldb.Tx) error {
			defer cancel()
			return tx.Insert(ctx, "things", columns, some(0, 1))
		})
		if n := number(t, d, "SELECT COUNT(*) FROM things"); n != 0 || err == nil {
			t.Errorf("got %d rows and error %v, want 0 and an error", n, err)
		}
		stop := errors.New("stop")
		if err := d.Query(t.Context(), "SELECT 1 UNION ALL SELECT 2", nil, func(*sql.Rows) error { return stop }); err != stop {
			t.Errorf("Query: got %v, want %v", err, stop)
		}
	})
}

// TestRejects distinguishes errors caused by the data of a statement from errors of the
// database.
func TestRejects(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		d := things(t, url)
		try := func(f func(tx *sqldb.Tx) error) error { return d.Transact(t.Context(), f) }
		if kindOf(url) == "sqlite" {
			exec(t, d, "CREATE TRIGGER long BEFORE INSERT ON things WHEN LENGTH(NEW.name) > 63 BEGIN SELECT RAISE(ABORT, 'too long'); END")
		}
		long, many := some(0, 1), some(0, 1)
		many[0][2] = int16(5000)
		long[0][3] = strings.Repeat("x", 1000)
		for name, err := range map[string]error{
			"too long":   try(func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, long) }),
			"constraint": try(func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, many) }),
		} {
			if err == nil || !d.Rejects(err) {
				t.Errorf("%s: got %v, want an error that the database rejects", name, err)
			}
		}
		done, cancel := context.WithCancel(t.Context())
		cancel()
		for name, err := range map[string]error{
			"no table": try(func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "nowhere", columns, some(0, 1)) }),
			"syntax":   try(func(tx *sqldb.Tx) error { _, err := tx.Exec(t.Context(), "INSERT INTO"); return err }),
			"ended":    d.Transact(done, func(*sqldb.Tx) error { return nil }),
			"canceled": context.Canceled,
		} {
			if err == nil || d.Rejects(err) {
				t.Errorf("%s: got %v, want an error that the database does not reject", name, err)
			}
		}
	})
}

package recordtest

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
)

var rowTests = []test{
	{"parameters keep their values", parameters},
	{"inserts of any number of rows", insertAny},
	{"inserts of large rows", insertLarge},
	{"new rows only", insertNew},
	{"inserted rows are returned", insertReturning},
	{"updates", updateAny},
	{"pairs and positions", fragments},
}

// parameters: values of each type are returned unchanged by statements with "?".
func parameters(t *testing.T, d *database) {
	d.migrate()
	text := "a'b\"c\\d %s ? $1 é 漢 😀 \n\t"
	blob := []byte{0, 1, 0xff, '\'', '\\', '?'}
	hash := bytes.Repeat([]byte{7, 0}, 8)
	d.exec("INSERT INTO revisions (object_id, version, deleted, source, seen_at, state, raw_state, body, keyframe_version, dictionary_id, size, data) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		int64(1)<<62, int64(-1)<<62, int16(1), int16(-3), int64(0), "", text, hash, int64(0), int64(0), int64(6), blob)
	for name, q := range d.queriers() {
		q(func(q sqldb.Querier) {
			var object, version int64
			var deleted, source int16
			var raw string
			var body, data []byte
			err := q.QueryRow(t.Context(), "SELECT object_id, version, deleted, source, raw_state, body, data FROM revisions WHERE raw_state = ? AND version < ?", text, 0).
				Scan(&object, &version, &deleted, &source, &raw, &body, &data)
			if err != nil || object != 1<<62 || version != -1<<62 || deleted != 1 || source != -3 || raw != text || !bytes.Equal(body, hash) || !bytes.Equal(data, blob) {
				t.Errorf("%s: %d %d %d %d %q %x %x, %v", name, object, version, deleted, source, raw, body, data, err)
			}
			n := 0
			err = q.Query(t.Context(), "SELECT id FROM revisions WHERE deleted = ?", []any{int16(1)}, func(*sql.Rows) error { n++; return nil })
			if err != nil || n != 1 {
				t.Errorf("%s: %d rows, %v", name, n, err)
			}
			if err := q.Query(t.Context(), "SELECT id FROM revisions", nil, func(*sql.Rows) error { return errUndo }); err != errUndo {
				t.Errorf("%s: the error of a row becomes %v", name, err)
			}
		})
	}
}

// queriers returns the ways to run queries: the database, and a transaction.
func (d *database) queriers() map[string]func(func(sqldb.Querier)) {
	return map[string]func(func(sqldb.Querier)){
		"database": func(f func(sqldb.Querier)) { f(d.DB) },
		"transaction": func(f func(sqldb.Querier)) {
			d.within(func(_ context.Context, tx *sqldb.Tx) error {
				f(tx)
				return nil
			})
		},
	}
}

// insertAny inserts any number of rows.
func insertAny(t *testing.T, d *database) {
	d.migrate()
	for _, n := range []int{0, 1, 2, 15, 16, 17, 33, 499, 500, 501, 1000, 2503} {
		d.exec("DELETE FROM clusters")
		rows := clusterRows(n)
		d.within(func(ctx context.Context, tx *sqldb.Tx) error { return tx.Insert(ctx, "clusters", clusterColumns, rows) })
		var got []string
		got = append(got, d.texts("SELECT uid FROM clusters ORDER BY seen_at")...)
		var want []string
		for _, r := range rows {
			want = append(want, r[0].(string))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d rows: %d came back", n, len(got))
		}
		if sum := d.number("SELECT COALESCE(SUM(seen_at), 0) FROM clusters"); int(sum) != n*(n-1)/2 {
			t.Errorf("%d rows: their sum is %d", n, sum)
		}
	}
}

// insertLarge inserts rows of megabytes, several at once and one alone.
func insertLarge(t *testing.T, d *database) {
	d.migrate()
	var rows [][]any
	for i, size := range []int{1 << 20, 1 << 20, 1 << 20, 0, 5 << 20, 1 << 10, 3 << 20} {
		rows = append(rows, []any{int64(i), int64(size), int64(0), bytes.Repeat([]byte{byte('a' + i)}, size)})
	}
	d.within(func(ctx context.Context, tx *sqldb.Tx) error {
		return tx.Insert(ctx, "dictionaries", []string{"resource_id", "made_at", "retired_at", "data"}, rows)
	})
	for i, r := range rows {
		var data []byte
		if err := d.QueryRow(t.Context(), "SELECT data FROM dictionaries WHERE resource_id = ?", i).Scan(&data); err != nil || !bytes.Equal(data, r[3].([]byte)) {
			t.Errorf("row %d has %d bytes, %v", i, len(data), err)
		}
	}
}

// insertReturning: exactly the inserted rows are returned, each with its number.
func insertReturning(t *testing.T, d *database) {
	d.migrate()
	returned := map[string]int64{}
	insert := func(rows [][]any) error {
		clear(returned)
		return d.Transact(t.Context(), func(tx *sqldb.Tx) error {
			return tx.InsertReturning(t.Context(), "clusters", clusterColumns, rows, "uid", func(row *sql.Rows) error {
				var id int64
				var uid string
				err := row.Scan(&id, &uid)
				returned[uid] = id
				return err
			})
		})
	}
	if err := insert(nil); errors.Is(err, errors.ErrUnsupported) {
		if err := insert(clusterRows(3)); !errors.Is(err, errors.ErrUnsupported) || d.number("SELECT COUNT(*) FROM clusters") != 0 {
			t.Errorf("rows were inserted although the driver returns none: %v", err)
		}
		return
	}
	before := 0
	for _, n := range []int{1, 16, 40, 1003, 1003} { // the first rows of each exist already
		if err := insert(clusterRows(n)); err != nil {
			t.Fatal(err)
		}
		if len(returned) != n-before {
			t.Errorf("%d rows, of which %d existed: %d were returned", n, before, len(returned))
		}
		for uid, id := range returned {
			if got := d.number("SELECT id FROM clusters WHERE uid = ?", uid); got != id {
				t.Errorf("the row of %s has the number %d, not %d", uid, got, id)
			}
		}
		before = n
	}
	err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
		return tx.InsertReturning(t.Context(), "clusters", []string{"uid", "name", "seen_at", "missing"}, [][]any{{"x", "x", int64(0), int64(0)}}, "uid", func(*sql.Rows) error { return nil })
	})
	if err == nil {
		t.Error("other errors are hidden")
	}
}

// insertNew: existing rows are unchanged, including those of the same statement.
func insertNew(t *testing.T, d *database) {
	d.migrate()
	d.exec("INSERT INTO clusters (uid, name, seen_at) VALUES ('uid-3', 'first', 77)")
	for range 2 {
		rows := append(clusterRows(40), []any{"uid-5", "second", int64(78)})
		d.within(func(ctx context.Context, tx *sqldb.Tx) error {
			return tx.InsertNew(ctx, "clusters", clusterColumns, rows, "uid")
		})
		if n := d.number("SELECT COUNT(*) FROM clusters"); n != 40 {
			t.Errorf("%d rows", n)
		}
		if got := d.texts("SELECT name FROM clusters WHERE uid IN "+sqldb.Placeholders(2)+" ORDER BY uid", "uid-3", "uid-5"); !slices.Equal(got, []string{"first", "name-5"}) {
			t.Errorf("%q", got)
		}
	}
	err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
		return tx.InsertNew(t.Context(), "clusters", []string{"uid", "name", "seen_at", "missing"}, [][]any{{"x", "x", int64(0), int64(0)}}, "uid")
	})
	if err == nil {
		t.Error("other errors are hidden")
	}
	entries := [][]any{{int64(1), int64(2), int64(3)}, {int64(1), int64(2), int64(3)}, {int64(-4), int64(-5), int64(6)}}
	for range 2 { // a table without an ID
		d.within(func(ctx context.Context, tx *sqldb.Tx) error {
			return tx.InsertNew(ctx, "transition_index", []string{"term", "hour", "object_id"}, entries, "term")
		})
	}
	if n := d.number("SELECT COUNT(*) FROM transition_index"); n != 2 {
		t.Errorf("%d entries", n)
	}
}

// updateAny: any number of rows is updated by key; a key without a row changes nothing.
func updateAny(t *testing.T, d *database) {
	d.migrate()
	var uids []string
	for i := range 1203 {
		uids = append(uids, fmt.Sprintf("uid-%04d", i))
	}
	d.createObjects(uids...)
	ids := d.texts("SELECT id FROM objects ORDER BY uid")
	for round, n := range []int{0, 1, 2, 17, 501, 1203} {
		var rows [][]any
		for i := range n {
			rows = append(rows, []any{d.number("SELECT id FROM objects WHERE uid = ?", uids[i]), int64(round), strings.Repeat("x", round), int16(round)})
			if n > 17 {
				break
			}
		}
		if n > 17 { // all in one query
			rows = rows[:0]
			for _, id := range ids[:n] {
				var number int64
				if _, err := fmt.Sscan(id, &number); err != nil {
					t.Fatal(err)
				}
				rows = append(rows, []any{number, int64(round), strings.Repeat("x", round), int16(round)})
			}
		}
		rows = append(rows, []any{int64(1) << 40, int64(99), "nobody", int16(9)})
		d.within(func(ctx context.Context, tx *sqldb.Tx) error {
			return tx.Update(ctx, "objects", []string{"id", "version", "message", "presence"}, rows)
		})
		if got := d.number("SELECT COUNT(*) FROM objects WHERE version = ? AND message = ? AND presence = ?", round, strings.Repeat("x", round), round); round > 0 && int(got) != n {
			t.Errorf("%d of %d rows were updated", got, n)
		}
		if got := d.number("SELECT COUNT(*) FROM objects WHERE version = 99"); got != 0 {
			t.Errorf("%d rows were updated by a key that does not exist", got)
		}
	}
	if n := d.number("SELECT COUNT(*) FROM objects"); n != 1203 {
		t.Errorf("there are %d rows", n)
	}
	if n := d.exec("UPDATE objects SET version = version WHERE uid <= ?", "uid-0004"); n != 5 {
		t.Errorf("%d rows were found, want 5: rows that keep their values count", n)
	}
}

// fragments: the output of Fragments selects the described rows.
func fragments(t *testing.T, d *database) {
	d.migrate()
	var rows [][]any
	for at := range int64(6) {
		for id := range int64(4) {
			rows = append(rows, []any{int64(9), at, id})
		}
	}
	d.within(func(ctx context.Context, tx *sqldb.Tx) error {
		return tx.Insert(ctx, "transition_index", []string{"term", "hour", "object_id"}, rows)
	})
	if n := d.number("SELECT COUNT(*) FROM transition_index WHERE (hour, object_id) IN "+d.Pairs(3), 1, 2, 5, 3, 7, 7); n != 2 {
		t.Errorf("%d rows by three pairs, of which one does not exist", n)
	}
	for _, c := range [][4]int64{{1, 1, 4, 2}, {2, 0, 2, 3}, {3, 3, 4, 0}, {-5, 0, 99, 0}, {4, 2, 1, 1}} {
		condition, args := d.Between("hour", "object_id", c[0], c[1], c[2], c[3])
		got, want := d.number("SELECT COUNT(*) FROM transition_index WHERE "+condition, args...), int64(0)
		for _, r := range rows {
			at, id := r[1].(int64), r[2].(int64)
			if (at > c[0] || at == c[0] && id > c[1]) && (at < c[2] || at == c[2] && id < c[3]) {
				want++
			}
		}
		if got != want {
			t.Errorf("%d rows between (%d, %d) and (%d, %d), want %d", got, c[0], c[1], c[2], c[3], want)
		}
	}
	d.createObjects("a", "b")
	d.exec("INSERT INTO clusters (id, uid, name, seen_at) VALUES (1, 'u', 'c', 0)")
	query := "SELECT COUNT(*) FROM objects o" + d.UseIndex("objects_state") + d.JoinInOrder(" JOIN clusters c ON c.id = o.cluster_id") +
		" WHERE o.state = '' AND " + d.NoIndex("o.presence") + " = ? AND o.uid <> ?"
	if n := d.number(query, 0, "b"); n != 1 {
		t.Errorf("%d rows by hints", n)
	}
	d.within(func(ctx context.Context, tx *sqldb.Tx) error {
		n := 0
		return tx.Query(ctx, "SELECT id FROM objects WHERE uid = ?"+d.ForUpdate(), []any{"a"}, func(*sql.Rows) error { n++; return nil })
	})
}

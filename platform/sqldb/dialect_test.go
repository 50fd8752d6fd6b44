package sqldb_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// found returns the values of the first column of a query.
func found(t *testing.T, q sqldb.Querier, query string, args ...any) (ids []int64) {
	t.Helper()
	if err := q.Query(t.Context(), query, args, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	}); err != nil {
		t.Fatalf("%s failed: %v", query, err)
	}
	return ids
}

// TestFragments checks that each fragment is valid SQL in its place, and has the same
// meaning in all databases.
func TestFragments(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		d := things(t, url)
		transact(t, d, func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, some(0, 100)) })
		for name, c := range map[string]struct {
			query string
			args  []any
			want  []int64
		}{
			"Pairs":        {"SELECT id FROM things WHERE (grp, small) IN " + d.Pairs(2) + " AND id < 15 ORDER BY id", []any{0, 4, 1, 1}, []int64{1, 4}},
			"one pair":     {"SELECT id FROM things WHERE (grp, small) IN " + d.Pairs(1) + " AND id < 15 ORDER BY id", []any{0, 4}, []int64{4}},
			"Placeholders": {"SELECT id FROM things WHERE id IN " + sqldb.Placeholders(3) + " ORDER BY id", []any{5, 6, 700}, []int64{5, 6}},
			"UseIndex":     {"SELECT id FROM things" + d.UseIndex("things_small") + " WHERE small = ? AND id < ? ORDER BY id", []any{3, 20}, []int64{3, 10, 17}},
			"JoinInOrder":  {"SELECT a.id FROM things a" + d.JoinInOrder(" JOIN things b ON b.id = a.id + 1") + " WHERE a.id < ? ORDER BY a.id", []any{2}, []int64{0, 1}},
			"NoIndex":      {"SELECT id FROM things WHERE " + d.NoIndex("small") + " = ? AND id < ? ORDER BY id", []any{3, 20}, []int64{3, 10, 17}},
		} {
			if got := found(t, d, c.query, c.args...); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v, want %v", name, got, c.want)
			}
		}
		transact(t, d, func(tx *sqldb.Tx) error {
			if got := found(t, tx, "SELECT id FROM things WHERE id = ?"+tx.ForUpdate(), 7); !slices.Equal(got, []int64{7}) {
				t.Errorf("ForUpdate: got %v, want [7]", got)
			}
			return nil
		})
	})
}

// TestBetween checks that the positions are exclusive, and that the second column breaks
// ties in the first.
func TestBetween(t *testing.T) {
	each(t, func(t *testing.T, url string) {
		d := things(t, url)
		transact(t, d, func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, some(0, 21)) })
		type position struct{ small, id int64 }
		var all []position
		for id := range int64(21) {
			all = append(all, position{id % 7, id})
		}
		before := func(a, b position) bool { return a.small < b.small || a.small == b.small && a.id < b.id }
		for _, low := range all {
			for _, high := range all {
				var want []int64
				for _, p := range all {
					if before(low, p) && before(p, high) {
						want = append(want, p.id)
					}
				}
				condition, args := d.Between("small", "id", low.small, low.id, high.small, high.id)
				if got := found(t, d, "SELECT id FROM things WHERE "+condition+" ORDER BY id", args...); !slices.Equal(got, want) {
					t.Fatalf("between %v and %v: got %v, want %v", low, high, got, want)
				}
			}
		}
	})
}

// TestIndexHint checks that the hint makes a query use an index that the planner would not
// choose.
func TestIndexHint(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := things(t, url)
		transact(t, d, func(tx *sqldb.Tx) error { return tx.Insert(t.Context(), "things", columns, some(0, 100)) })
		explain := "EXPLAIN "
		if strings.HasPrefix(url, "sqlite") {
			explain = "EXPLAIN QUERY PLAN "
		}
		plan := func(q sqldb.Querier, query string) string {
			var all []string
			if err := q.Query(t.Context(), explain+query, nil, func(rows *sql.Rows) error {
				names, err := rows.Columns()
				if err != nil {
					return err
				}
				cells := make([]sql.NullString, len(names))
				into := make([]any, len(names))
				for i := range cells {
					into[i] = &cells[i]
				}
				err = rows.Scan(into...)
				for i, c := range cells {
					if names[i] != "possible_keys" {
						all = append(all, c.String)
					}
				}
				return err
			}); err != nil {
				t.Fatalf("%s failed: %v", query, err)
			}
			return strings.Join(all, " ")
		}
		query := "SELECT id FROM things%s WHERE id = 4 AND small >= 0"
		if strings.HasPrefix(url, "postgres") { // it has no hint for one index, but prefers all
			exec(t, d, "ANALYZE things") // the table is one page, which a planner would read at once
			transact(t, d, func(tx *sqldb.Tx) error {
				if with := plan(tx, "SELECT id FROM things WHERE small = 4"); !strings.Contains(with, "things_small") {
					t.Errorf("the index is not used: %s", with)
				}
				if with := plan(tx, "ANALYZE SELECT COUNT(data) FROM things WHERE LENGTH(data) > 0"); !strings.Contains(with, "Seq Scan") || strings.Contains(with, "JIT") {
					t.Errorf("plan of a query without an index: %s; want a sequential scan that is not compiled", with)
				}
				return nil
			})
			return
		}
		if without := plan(d, fmt.Sprintf(query, "")); strings.Contains(without, "things_small") {
			t.Errorf("the index is used without the hint, so the test proves nothing: %s", without)
		}
		if with := plan(d, fmt.Sprintf(query, d.UseIndex("things_small"))); !strings.Contains(with, "things_small") {
			t.Errorf("the index is not used with the hint: %s", with)
		}
	})
}

// TestTexts fixes the text of the fragments.
func TestTexts(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := opened(t, url)
		between, _ := d.Between("a", "b", 1, 2, 3, 4)
		got := []string{d.Pairs(2), d.UseIndex("i"), d.JoinInOrder(" JOIN a ON b LEFT JOIN c ON d"), d.NoIndex("c"), d.ForUpdate(), between}
		rows := "(a, b) > (?, ?) AND (a, b) < (?, ?)"
		columns := "a >= ? AND a <= ? AND (a > ? OR b > ?) AND (a < ? OR b < ?)"
		want := map[string][]string{
			"sqlite":   {"(VALUES (?, ?), (?, ?))", " INDEXED BY i", " CROSS JOIN a ON b LEFT JOIN c ON d", "+c", "", rows},
			"postgres": {"((?, ?), (?, ?))", "", " JOIN a ON b LEFT JOIN c ON d", "c", " FOR UPDATE", columns},
			"mysql":    {"((?, ?), (?, ?))", " FORCE INDEX (i)", " STRAIGHT_JOIN a ON b LEFT JOIN c ON d", "c", " FOR UPDATE", columns},
		}[strings.Split(url, ":")[0]]
		if !slices.Equal(got, want) {
			t.Errorf("\n got %q\nwant %q", got, want)
		}
	})
}

func TestNumberParameters(t *testing.T) {
	for text, want := range map[string]string{"": "", "SELECT 1": "SELECT 1", "?": "$1", "a = ? AND b IN (?, ?)": "a = $1 AND b IN ($2, $3)"} {
		if got := sqldb.NumberParameters(text); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// Insert inserts rows, as many in a statement as is best.
func (t *Tx) Insert(ctx context.Context, table string, columns []string, rows [][]any) error {
	return t.db.insertAll(ctx, t.tx, table, columns, rows, "")
}

// InsertNew is Insert, but rows that are there already stay as they are. key is one of
// the columns.
func (t *Tx) InsertNew(ctx context.Context, table string, columns []string, rows [][]any, key string) error {
	return t.db.insertAll(ctx, t.tx, table, columns, rows, key)
}

// Update changes rows: the first column is the key, and the others are set.
func (t *Tx) Update(ctx context.Context, table string, columns []string, rows [][]any) error {
	return t.db.updateAll(ctx, t.tx, table, columns, rows)
}

// LockObjects reads columns of the rows of objects with UIDs, which are sorted, and locks
// the rows in that order until the transaction ends.
func (t *Tx) LockObjects(ctx context.Context, columns string, cluster, resource int64, uids []string, each func(*sql.Rows) error) error {
	rows, err := t.db.locked(ctx, t.tx, columns, cluster, resource, uids)
	return forEach(rows, err, each)
}

// insertAll inserts rows, as many in a statement as is best. keep is a column of theirs;
// with it, rows that are there are left as they are.
func (d *DB) insertAll(ctx context.Context, tx *sql.Tx, table string, columns []string, rows [][]any, keep string) error {
	if d.dialect == postgres {
		return d.eachArray(ctx, tx, rows, func(types []string) string { return d.dialect.insertArrays(table, columns, types, keep) })
	}
	return d.chunks(ctx, tx, columns, rows, func(n int) string { return d.dialect.insert(table, columns, n, keep) })
}

// updateAll changes rows: the first column tells which, and the others are set.
func (d *DB) updateAll(ctx context.Context, tx *sql.Tx, table string, columns []string, rows [][]any) error {
	switch d.dialect {
	case postgres:
		return d.eachArray(ctx, tx, rows, func(types []string) string { return d.dialect.updateArrays(table, columns, types) })
	case mysql:
		return d.chunks(ctx, tx, columns, rows, func(n int) string { return d.dialect.updateUnion(table, columns, n) })
	}
	if len(rows) == 0 {
		return nil
	}
	stmt, err := tx.PrepareContext(ctx, "UPDATE "+table+" SET "+strings.Join(columns[1:], " = ?, ")+" = ? WHERE "+columns[0]+" = ?")
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, r := range rows {
		if _, err := stmt.ExecContext(ctx, append(slices.Clone(r[1:]), r[0])...); err != nil {
			return err
		}
	}
	return nil
}

// few is how many rows go into a statement of SQLite, which is read once for all: to
// read a long one takes longer than to run it.
const few = 16

// mostBytes bounds a statement: servers do not take one of any length.
const mostBytes = 2 << 20

// chunks runs a statement for all rows, some at a time.
func (d *DB) chunks(ctx context.Context, tx *sql.Tx, columns []string, rows [][]any, text func(n int) string) error {
	if d.dialect == sqlite && len(rows) > 2*few {
		stmt, err := tx.PrepareContext(ctx, text(few))
		if err != nil {
			return err
		}
		defer stmt.Close()
		for ; len(rows) >= few; rows = rows[few:] {
			if _, err := stmt.ExecContext(ctx, slices.Concat(rows[:few]...)...); err != nil {
				return err
			}
		}
	}
	for len(rows) > 0 {
		n := fit(rows, min(500, d.dialect.parameters/len(columns)))
		if _, err := tx.ExecContext(ctx, text(n), slices.Concat(rows[:n]...)...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// fit returns how many rows may go into a statement, one at least.
func fit(rows [][]any, most int) int {
	size := 0
	for i, r := range rows[:min(len(rows), most)] {
		for _, v := range r {
			switch v := v.(type) {
			case []byte:
				size += len(v)
			case string:
				size += len(v)
			}
		}
		if size > mostBytes && i > 0 {
			return i
		}
	}
	return min(len(rows), most)
}

// eachArray runs a statement that takes each column as an array: its text does not
// depend on how many rows there are, so that the server plans it once.
func (d *DB) eachArray(ctx context.Context, tx *sql.Tx, rows [][]any, text func(types []string) string) error {
	for len(rows) > 0 {
		n := fit(rows, 1000)
		var types []string
		var args []any
		for column := range rows[0] {
			name, array, err := arrayOf(rows[:n], column)
			if err != nil {
				return err
			}
			types, args = append(types, name), append(args, array)
		}
		if _, err := tx.ExecContext(ctx, text(types), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// arrayOf makes an array of a column.
func arrayOf(rows [][]any, column int) (name string, array any, err error) {
	switch v := rows[0][column].(type) {
	case int64:
		return "bigint", arrayFrom[int64](rows, column), nil
	case int16:
		return "smallint", arrayFrom[int16](rows, column), nil
	case string:
		return "text", arrayFrom[string](rows, column), nil
	case []byte:
		return "bytea", arrayFrom[[]byte](rows, column), nil
	default:
		return "", nil, fmt.Errorf("a column has values of %T", v)
	}
}

func arrayFrom[T any](rows [][]any, column int) []T {
	all := make([]T, len(rows))
	for i := range rows {
		all[i], _ = rows[i][column].(T) // all rows are made by the same function
	}
	return all
}

// unnest is a table of the arrays that are the parameters of a statement.
func unnest(types []string) string {
	return "unnest(" + "?::" + strings.Join(types, "[], ?::") + "[])"
}

func (d *dialect) insertArrays(table string, columns, types []string, keep string) string {
	text := "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") SELECT * FROM " + unnest(types)
	if keep != "" {
		text += d.leave(keep)
	}
	return d.query(text)
}

func (d *dialect) updateArrays(table string, columns, types []string) string {
	return d.query("UPDATE " + table + " SET " + assign(columns[1:], "") + " FROM " + unnest(types) + " AS v(" + strings.Join(columns, ", ") + ")" +
		" WHERE " + table + "." + columns[0] + " = v." + columns[0])
}

func (d *dialect) updateUnion(table string, columns []string, n int) string {
	row := "SELECT ? AS " + strings.Join(columns, ", ? AS ")
	return "UPDATE " + table + " JOIN (" + row + strings.Repeat(" UNION ALL SELECT "+strings.Trim(list(len(columns)), "()"), n-1) + ") v" +
		" ON " + table + "." + columns[0] + " = v." + columns[0] + " SET " + assign(columns[1:], table+".")
}

// assign sets columns to those of v.
func assign(columns []string, prefix string) string {
	var all []string
	for _, c := range columns {
		all = append(all, prefix+c+" = v."+c)
	}
	return strings.Join(all, ", ")
}

// locked reads rows of objects by their UIDs, which are sorted, and locks them in that
// order. PostgreSQL is made to look up each: of a table whose rows it has not counted
// lately it would read all.
func (d *DB) locked(ctx context.Context, tx *sql.Tx, columns string, cluster, resource int64, uids []string) (*sql.Rows, error) {
	text := "SELECT " + columns + " FROM objects" + d.dialect.byUID + " WHERE cluster_id = ? AND resource_id = ? AND objects.uid "
	if d.dialect == postgres {
		return d.txQuery(ctx, tx, "SELECT o.* FROM unnest(?::text[]) AS u(uid) CROSS JOIN LATERAL ("+text+"= u.uid LIMIT 1 FOR UPDATE) o", uids, cluster, resource)
	}
	args := []any{cluster, resource}
	for _, uid := range uids {
		args = append(args, uid)
	}
	return d.txQuery(ctx, tx, text+"IN "+list(len(uids))+d.dialect.forUpdate, args...)
}

func (d *DB) txQuery(ctx context.Context, tx *sql.Tx, text string, args ...any) (*sql.Rows, error) {
	return tx.QueryContext(ctx, d.dialect.query(text), args...)
}

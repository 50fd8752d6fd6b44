package sqldb

import (
	"context"
	"database/sql"
	"slices"
	"strings"
)

// Rows are rows of one table. Each row has one value for each column.
type Rows struct {
	Table   string
	Columns []string
	Values  [][]any
}

// maxStatement limits the values of one statement in bytes, because servers refuse long
// statements.
const maxStatement = 2 << 20

// Chunks splits many rows into statements of at most 500 rows and 2 MiB.
type Chunks struct {
	// Parameters is the maximum number of parameters of a statement.
	Parameters int
	// Prepared is the number of rows of a statement that is prepared once and run
	// repeatedly. If 0, each statement has as many rows as possible, and is not prepared.
	Prepared int
}

// Exec runs a statement for all rows. text returns the statement for n rows.
func (c Chunks) Exec(ctx context.Context, tx *sql.Tx, rows Rows, text func(n int) string) error {
	return c.split(ctx, tx, rows, text, func(run statement, args []any) error {
		_, err := run.exec(ctx, args)
		return err
	})
}

// Query is like Exec for a statement that returns rows. It calls each for every row.
func (c Chunks) Query(ctx context.Context, tx *sql.Tx, rows Rows, text func(n int) string, each func(*sql.Rows) error) error {
	return c.split(ctx, tx, rows, text, func(run statement, args []any) error {
		found, err := run.query(ctx, args)
		if err != nil {
			return err
		}
		return forEach(found, each)
	})
}

// statement is a statement of a transaction. stmt is nil if it is not prepared.
type statement struct {
	tx   *sql.Tx
	text string
	stmt *sql.Stmt
}

func (s statement) exec(ctx context.Context, args []any) (sql.Result, error) {
	if s.stmt != nil {
		return s.stmt.ExecContext(ctx, args...)
	}
	return s.tx.ExecContext(ctx, s.text, args...)
}

func (s statement) query(ctx context.Context, args []any) (*sql.Rows, error) {
	if s.stmt != nil {
		return s.stmt.QueryContext(ctx, args...)
	}
	return s.tx.QueryContext(ctx, s.text, args...)
}

// split calls run with a statement and its arguments until all rows are done.
func (c Chunks) split(ctx context.Context, tx *sql.Tx, rows Rows, text func(n int) string, run func(statement, []any) error) error {
	values := rows.Values
	if c.Prepared > 0 && len(values) > 2*c.Prepared {
		stmt, err := tx.PrepareContext(ctx, text(c.Prepared))
		if err != nil {
			return err
		}
		defer stmt.Close()
		for ; len(values) >= c.Prepared; values = values[c.Prepared:] {
			if err := run(statement{stmt: stmt}, slices.Concat(values[:c.Prepared]...)); err != nil {
				return err
			}
		}
	}
	for len(values) > 0 {
		n := fit(values, min(500, c.Parameters/len(rows.Columns)))
		if err := run(statement{tx: tx, text: text(n)}, slices.Concat(values[:n]...)); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

// fit returns the number of leading rows that fit into one statement. It returns at least
// 1.
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
		if size > maxStatement && i > 0 {
			return i
		}
	}
	return min(len(rows), most)
}

// InsertText returns an INSERT for n rows, with "?" for their values.
func (r Rows) InsertText(n int) string {
	row := Placeholders(len(r.Columns))
	return "INSERT INTO " + r.Table + " (" + strings.Join(r.Columns, ", ") + ") VALUES " + row + strings.Repeat(", "+row, n-1)
}

// UpdateEach updates the rows one by one with a prepared statement. The first column is the
// key. rebind is Dialect.Rebind.
func (r Rows) UpdateEach(ctx context.Context, tx *sql.Tx, rebind func(string) string) error {
	if len(r.Values) == 0 {
		return nil
	}
	text := "UPDATE " + r.Table + " SET " + strings.Join(r.Columns[1:], " = ?, ") + " = ? WHERE " + r.Columns[0] + " = ?"
	if rebind != nil {
		text = rebind(text)
	}
	stmt, err := tx.PrepareContext(ctx, text)
	if err != nil {
		return err
	}
	defer stmt.Close()
	for _, v := range r.Values {
		if _, err := stmt.ExecContext(ctx, append(slices.Clone(v[1:]), v[0])...); err != nil {
			return err
		}
	}
	return nil
}

// assign returns the assignments of an UPDATE whose values come from v.
func assign(columns []string, prefix string) string {
	var all []string
	for _, c := range columns {
		all = append(all, prefix+c+" = v."+c)
	}
	return strings.Join(all, ", ")
}

// Selection selects rows of one table, for LockRows.
type Selection struct {
	// Columns are the columns to read, and Table is the table, both as in SQL.
	Columns, Table string
	// Index is an index of Table that is ordered by the keys.
	Index string
	// Where is a condition with "?" for Args. The keys must be unique among the rows that
	// it selects.
	Where string
	Args  []any
	// Key is the column of the keys, and Keys are its values in ascending order.
	Key  string
	Keys []string
}

// Text returns a query for the rows and its arguments, with "?" for parameters. The hint
// follows the table. The query does not lock.
func (s Selection) Text(hint string) (query string, args []any) {
	query = "SELECT " + s.Columns + " FROM " + s.Table + hint + " WHERE " + s.Where + " AND " + s.Table + "." + s.Key + " IN " + Placeholders(len(s.Keys))
	args = slices.Clone(s.Args)
	for _, k := range s.Keys {
		args = append(args, k)
	}
	return query, args
}

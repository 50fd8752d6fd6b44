package record

import (
	"context"
	"database/sql"
)

// insertAll inserts rows, as many in a statement as may be.
func (d *Database) insertAll(ctx context.Context, tx *sql.Tx, table string, columns []string, rows [][]any, keep string) error {
	most := min(500, d.dialect.parameters/len(columns))
	for len(rows) > 0 {
		n := min(len(rows), most)
		args := make([]any, 0, n*len(columns))
		for _, r := range rows[:n] {
			args = append(args, r...)
		}
		if _, err := tx.ExecContext(ctx, d.dialect.insert(table, columns, n, keep), args...); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

package sqldb

import (
	"context"
	"database/sql"
)

// forEach calls each for every row, and closes the rows.
func forEach(rows *sql.Rows, each func(*sql.Rows) error) error {
	defer rows.Close()
	for rows.Next() {
		if err := each(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// eachRow calls each for every row of a query.
func eachRow(ctx context.Context, db *sql.DB, text string, args []any, each func(*sql.Rows) error) error {
	rows, err := db.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	return forEach(rows, each)
}

// rowCounts reads the number of rows of each table.
func rowCounts(ctx context.Context, db *sql.DB, text string) (map[string]int64, error) {
	found := map[string]int64{}
	return found, eachRow(ctx, db, text, nil, func(rows *sql.Rows) error {
		var table string
		var n int64
		err := rows.Scan(&table, &n)
		found[table] = n
		return err
	})
}

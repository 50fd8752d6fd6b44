package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// execArrays runs a statement for all rows, with each column as an array. Its text does not
// depend on the number of rows, so PostgreSQL plans it once. text receives a table function
// over the arrays.
func execArrays(ctx context.Context, tx *sql.Tx, rows Rows, text func(arrays string) string) error {
	return eachArrays(rows, text, func(text string, args []any) error {
		_, err := tx.ExecContext(ctx, text, args...)
		return err
	})
}

// eachArrays calls run with a statement and its arguments until all rows are done.
func eachArrays(rows Rows, text func(arrays string) string, run func(text string, args []any) error) error {
	for values := rows.Values; len(values) > 0; {
		n := fit(values, 1000)
		var types []string
		var args []any
		for column := range rows.Columns {
			name, array, err := arrayOf(values[:n], column)
			if err != nil {
				return fmt.Errorf("column %s of %s: %w", rows.Columns[column], rows.Table, err)
			}
			types, args = append(types, "?::"+name+"[]"), append(args, array)
		}
		if err := run(NumberParameters(text("unnest("+strings.Join(types, ", ")+")")), args); err != nil {
			return err
		}
		values = values[n:]
	}
	return nil
}

// arrayOf returns a column as an array, and the SQL type of its elements. All values of a
// column must have the same Go type.
func arrayOf(rows [][]any, column int) (name string, array any, err error) {
	switch v := rows[0][column].(type) {
	case int64:
		array, err = arrayFrom[int64](rows, column)
		return "bigint", array, err
	case int16:
		array, err = arrayFrom[int16](rows, column)
		return "smallint", array, err
	case string:
		array, err = arrayFrom[string](rows, column)
		return "text", array, err
	case []byte:
		array, err = arrayFrom[[]byte](rows, column)
		return "bytea", array, err
	default:
		return "", nil, fmt.Errorf("values of type %T are not supported", v)
	}
}

func arrayFrom[T any](rows [][]any, column int) ([]T, error) {
	all := make([]T, len(rows))
	for i := range rows {
		v, ok := rows[i][column].(T)
		if !ok {
			return nil, fmt.Errorf("values of type %T and %T", rows[0][column], rows[i][column])
		}
		all[i] = v
	}
	return all, nil
}

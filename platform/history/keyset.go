package history

import (
	"context"
	"database/sql"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// keysetPage returns a page of the rows of a query. decode decodes a row, and returns its
// key.
func keysetPage[T any](ctx context.Context, db *sqldb.DB, query model.Query, p Paging, decode func(*sql.Rows) (item T, key int64, err error)) (page Page[T], err error) {
	after, first, err := p.position()
	if err != nil {
		return page, err
	}
	part := model.KeyRange{After: after.ID, Continued: !first, Descending: p.Order == NewestFirst, Limit: p.limit() + 1}
	var last int64
	err = query.Read(ctx, db, part, func(rows *sql.Rows) error {
		if len(page.Items) == p.limit() {
			page.Next = p.cursor(model.Position{ID: last})
			return nil
		}
		item, key, err := decode(rows)
		page.Items, last = append(page.Items, item), key
		return err
	})
	return page, err
}

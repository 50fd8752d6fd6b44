package model

import (
	"context"
	"database/sql"
	"slices"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Query is a query whose rows are ordered by one unique column.
type Query struct {
	text string
	args []any
	key  string
}

// and returns the query with additional conditions.
func (q Query) and(conditions ...Condition) Query {
	text, args := join(conditions)
	q.text, q.args = q.text+text, slices.Concat(q.args, args)
	return q
}

// KeyRange is the range of rows that Query.Read reads.
type KeyRange struct {
	// After is the key that precedes the range, if Continued is set.
	After      int64
	Continued  bool
	Descending bool
	Limit      int
}

// Read calls each for the rows of a query within a range, in the order of the key.
func (q Query) Read(ctx context.Context, db sqldb.Querier, r KeyRange, each func(*sql.Rows) error) error {
	than, order := " > ?", ""
	if r.Descending {
		than, order = " < ?", " DESC"
	}
	text, args := q.text, slices.Clone(q.args)
	if r.Continued {
		text, args = text+" AND "+q.key+than, append(args, r.After)
	}
	return db.Query(ctx, text+" ORDER BY "+q.key+order+" LIMIT ?", append(args, r.Limit), each)
}

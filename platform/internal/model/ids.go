package model

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// inChunk is the maximum number of row IDs in one statement.
const inChunk = 2000

// inList returns a list such as "(1, 2)", for row IDs that come from the database.
func inList(ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(id, 10))
	}
	return "(" + b.String() + ")"
}

// execIn runs a statement that ends in IN, and returns the number of changed rows. args
// precede the list.
func execIn(ctx context.Context, tx *sqldb.Tx, statement string, ids []int64, args ...any) (changed int64, err error) {
	for some := range slices.Chunk(ids, inChunk) {
		n, err := tx.Exec(ctx, statement+sqldb.Placeholders(len(some)), withIDs(args, some)...)
		if changed += n; err != nil {
			return changed, err
		}
	}
	return changed, nil
}

// queryIn runs a query that consists of begin, a list of row IDs and end. args precede the
// list.
func queryIn(ctx context.Context, q sqldb.Querier, begin string, ids []int64, end string, each func(*sql.Rows) error, args ...any) error {
	for some := range slices.Chunk(ids, inChunk) {
		if err := q.Query(ctx, begin+sqldb.Placeholders(len(some))+end, withIDs(args, some), each); err != nil {
			return err
		}
	}
	return nil
}

func withIDs(args []any, ids []int64) []any {
	all := make([]any, 0, len(args)+len(ids))
	all = append(all, args...)
	for _, id := range ids {
		all = append(all, id)
	}
	return all
}

// SortedIDs returns the keys of a map in ascending order, the order of writes.
func SortedIDs[V any](of map[int64]V) []int64 { return slices.Sorted(maps.Keys(of)) }

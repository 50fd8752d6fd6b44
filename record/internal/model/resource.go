package model

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/record/sqldb"
)

// Type is a type of objects that was recorded.
type Type struct {
	Group, Resource string // "batch" and "jobs"
	Kind            string // "Job"
}

// String returns "jobs.batch".
func (t Type) String() string {
	if t.Group == "" {
		return t.Resource
	}
	return t.Resource + "." + t.Group
}

// Singular returns "job.batch", the form of `kubectl get -o name`.
func (t Type) Singular() string {
	t.Resource = strings.ToLower(t.Kind)
	return t.String()
}

// EnsureResource returns the number of a type, and inserts the type if it is new.
func EnsureResource(ctx context.Context, tx *sqldb.Tx, t Type) (int64, error) {
	return ensureRow(ctx, tx, "resources", []string{"api_group", "name"}, []string{"kind"}, t.Group, t.Resource, t.Kind)
}

// ResourceID returns the number of a type. Kind may be empty.
//
// Errors: sql.ErrNoRows if nothing of the type is recorded.
func ResourceID(ctx context.Context, q sqldb.Querier, t Type) (int64, error) {
	return oneNumber(ctx, q, "SELECT id FROM resources WHERE api_group = ? AND name = ?", t.Group, t.Resource)
}

// ResourceIDs returns the numbers of those types of which something is recorded.
func ResourceIDs(ctx context.Context, q sqldb.Querier, types []Type) (ids []int64, err error) {
	for _, t := range types {
		found, err := numbers(ctx, q, "SELECT id FROM resources WHERE api_group = ? AND name = ?", t.Group, t.Resource)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	return ids, nil
}

// Types returns all types of which something is recorded, sorted by resource and group.
func Types(ctx context.Context, q sqldb.Querier) (all []Type, err error) {
	err = q.Query(ctx, "SELECT api_group, name, kind FROM resources", nil, func(rows *sql.Rows) error {
		var t Type
		err := rows.Scan(&t.Group, &t.Resource, &t.Kind)
		all = append(all, t)
		return err
	})
	slices.SortFunc(all, func(x, y Type) int { return cmp.Or(cmp.Compare(x.Resource, y.Resource), cmp.Compare(x.Group, y.Group)) })
	return all, err
}

package model

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Type is a recorded type of objects.
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

// EnsureResource returns the row ID of a type, and inserts the type if it is new.
func EnsureResource(ctx context.Context, tx *sqldb.Tx, t Type) (int64, error) {
	return ensureRow(ctx, tx, "resources", []string{"api_group", "name"}, []string{"kind"}, t.Group, t.Resource, t.Kind)
}

// ResourceID returns the row ID of a type. Kind may be empty.
//
// Errors: sql.ErrNoRows if the type is not recorded.
func ResourceID(ctx context.Context, q sqldb.Querier, t Type) (int64, error) {
	return queryInt(ctx, q, "SELECT id FROM resources WHERE api_group = ? AND name = ?", t.Group, t.Resource)
}

// ResourceIDs returns the row IDs of the types that are recorded.
func ResourceIDs(ctx context.Context, q sqldb.Querier, types []Type) (ids []int64, err error) {
	for _, t := range types {
		found, err := queryInts(ctx, q, "SELECT id FROM resources WHERE api_group = ? AND name = ?", t.Group, t.Resource)
		if err != nil {
			return nil, err
		}
		ids = append(ids, found...)
	}
	return ids, nil
}

// Types returns all recorded types, sorted by resource and group.
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

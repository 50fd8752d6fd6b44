package record

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/wire"
)

// StateBegan returns the version of the first recorded revision that showed the state
// of an object at the given version: the version of its last transition up to there.
// Use it as the Origin for controller.Revisions with the filter informer.Transitions,
// unless Config.State defines other states. cluster is the name or the UID of a
// cluster; empty means all.
//
// The answer does not change while the object is in the state, and Prune keeps the
// records that it needs. If a state began before the first list or in a gap, the
// recorder knows only the first revision that it saw. A state that came back within a
// gap has the answer of the time before the gap. When another recorder fills the gap,
// the answer becomes exact.
//
// Errors: ErrUnknown if the revision is not recorded (yet); those of the database.
func (d *Database) StateBegan(ctx context.Context, cluster string, of Type, uid string, at wire.Version) (wire.Version, error) {
	s, err := d.search(ctx, Filter{Cluster: cluster, Types: []Type{of}})
	if err != nil {
		return 0, d.Explain(err)
	}
	if s.nothing {
		return 0, fmt.Errorf("%s with UID %s at version %v: %w", of, uid, at, ErrUnknown)
	}
	query := "SELECT (SELECT MAX(t.version) FROM transitions t WHERE t.object_id = o.id AND t.version <= ?) FROM objects o" +
		" JOIN revisions r ON r.object_id = o.id AND r.version = ? WHERE o.uid = ? AND " + strings.Join(s.conditions, " AND ")
	var began sql.NullInt64
	err = d.SQL().QueryRowContext(ctx, d.Rebind(query), int64(at), int64(at), uid).Scan(&began)
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && !began.Valid:
		return 0, fmt.Errorf("%s with UID %s at version %v: %w", of, uid, at, ErrUnknown)
	case err != nil:
		return 0, d.Explain(err)
	}
	return wire.Version(began.Int64), nil
}

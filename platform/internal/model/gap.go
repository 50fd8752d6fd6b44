package model

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Causes of gaps.
const (
	// CauseWindow: the server no longer had the events after the resume point.
	CauseWindow = "window"
	// CauseDenied: the recorder lacked the right to list or watch.
	CauseDenied = "denied"
	// CauseAbsent: the server did not serve the type.
	CauseAbsent = "absent"
	// CauseRebuilt: a different cluster has replaced this one.
	CauseRebuilt = "rebuilt"
	// CauseRestored: the server has lost versions, as after a restore from a backup.
	CauseRestored = "restored"
	// CauseInvalid: an object in a list or an event was unusable.
	CauseInvalid = "invalid"
	// CauseRefused: the database rejected a revision, or its body.
	CauseRefused = "refused"
	// CauseUnordered: the server does not order versions, and the version of a revision was
	// not newer than the previous one.
	CauseUnordered = "unordered"
)

// Gap is an interval of versions of a scope in which something may be missing.
type Gap struct {
	Cause    string
	From, To wire.Version // To is 0 while the gap lasts
	FromAt   time.Time    // time when From was seen
	ToAt     time.Time    // time when To was seen; zero while the gap lasts
	Detail   string
}

// Another recorder cannot heal a gap with these causes: the revision was seen and could not
// be stored.
const healable = " AND cause <> '" + CauseInvalid + "' AND cause <> '" + CauseRefused + "' AND cause <> '" + CauseUnordered + "'"

// lasting is the condition for a gap that has begun and not ended.
const lasting = "healed_at = 0 AND to_at = 0"

var gapColumns = []string{"cluster_id", "resource_id", "namespace", "selector_hash", "recorder", "cause", "from_version", "to_version", "from_at", "to_at", "detail", "healed_at"}

// InsertGap inserts a gap that a recorder has found.
func InsertGap(ctx context.Context, tx *sqldb.Tx, s Scope, recorder string, g Gap) error {
	row := s.args(recorder, g.Cause, int64(g.From), int64(g.To), Micros(g.FromAt), Micros(g.ToAt), Truncate(g.Detail, MaxMessage), int64(0))
	if err := tx.Insert(ctx, "gaps", gapColumns, [][]any{row}); err != nil {
		return fmt.Errorf("table gaps: %w", err)
	}
	return nil
}

// BeginGap inserts a lasting gap, unless the recorder already has one in the scope. It
// reports whether it inserted the gap.
func BeginGap(ctx context.Context, tx *sqldb.Tx, s Scope, recorder string, g Gap) (begun bool, err error) {
	n, err := queryInt(ctx, tx, "SELECT COUNT(*) FROM gaps WHERE "+inScope+" AND recorder = ? AND "+lasting, s.args(recorder)...)
	if err != nil || n > 0 {
		return false, err
	}
	return true, InsertGap(ctx, tx, s, recorder, g)
}

// EndGap ends the lasting gap of a recorder in a scope, and reports whether there was one.
// healed means that the watch has resumed where the gap began, so nothing is missing.
func EndGap(ctx context.Context, tx *sqldb.Tx, s Scope, recorder string, to wire.Version, healed bool, now time.Time) (ended bool, err error) {
	healedAt := int64(0)
	if healed {
		healedAt = Micros(now)
	}
	n, err := tx.Exec(ctx, "UPDATE gaps SET to_version = ?, to_at = ?, healed_at = ? WHERE "+inScope+" AND recorder = ? AND "+lasting,
		append([]any{int64(to), Micros(now), healedAt}, s.args(recorder)...)...)
	return n > 0, err
}

// HealGaps marks the gaps within a scope as healed that lie within the coverage between two
// versions, alone or together with coverage that begins earlier.
func HealGaps(ctx context.Context, tx *sqldb.Tx, s Scope, from, to wire.Version, now time.Time) error {
	condition, args := s.within("selector_hash", s.hash())
	args = slices.Concat([]any{Micros(now)}, args, []any{int64(to), int64(from)}, s.args(int64(from)))
	_, err := tx.Exec(ctx, "UPDATE gaps SET healed_at = ? WHERE healed_at = 0 AND "+condition+" AND to_version > 0 AND to_version <= ?"+healable+
		" AND (from_version >= ? OR EXISTS (SELECT 1 FROM coverage b WHERE b.cluster_id = ? AND b.resource_id = ? AND b.namespace = ? AND b.selector_hash = ?"+
		" AND b.from_version <= gaps.from_version AND b.to_version >= ?))", args...)
	return err
}

// UnhealedGaps calls each for the beginnings of open gaps of a scope that begin after one version
// and end at another or earlier, newest first, up to limit gaps.
func UnhealedGaps(ctx context.Context, q sqldb.Querier, s Scope, after, by wire.Version, limit int, each func(from wire.Version, at time.Time)) error {
	err := q.Query(ctx, "SELECT from_version, from_at FROM gaps WHERE "+inScope+" AND healed_at = 0 AND from_version > ? AND to_version > from_version AND to_version <= ?"+healable+" ORDER BY id DESC LIMIT ?",
		s.args(int64(after), int64(by), limit), func(rows *sql.Rows) error {
			var version, at int64
			if err := rows.Scan(&version, &at); err != nil {
				return err
			}
			each(wire.Version(version), Time(at))
			return nil
		})
	if err != nil {
		return fmt.Errorf("table gaps: %w", err)
	}
	return nil
}

// CountHealedGaps returns the number of gaps that were healed before a time.
func CountHealedGaps(ctx context.Context, q sqldb.Querier, before int64) (int, error) {
	n, err := queryInt(ctx, q, "SELECT COUNT(*) FROM gaps WHERE healed_at > 0 AND healed_at < ?", before)
	return int(n), err
}

// DeleteHealedGaps deletes gaps that were healed before a time.
func DeleteHealedGaps(ctx context.Context, tx *sqldb.Tx, before int64) error {
	_, err := tx.Exec(ctx, "DELETE FROM gaps WHERE healed_at > 0 AND healed_at < ?", before)
	return err
}

// GapFilter selects gaps. The zero value selects all gaps.
type GapFilter struct {
	Clusters, Resources []int64 // row IDs; nil: all
	// Namespace excludes gaps that belong only to other namespaces.
	Namespace string
	// Open excludes healed gaps.
	Open bool
	// EndedSince excludes gaps that ended before a time, and BegunBefore excludes gaps that
	// began later, both in microseconds. 0 means no limit.
	EndedSince, BegunBefore int64
}

// ListedGap is a gap with the names of its cluster and type.
type ListedGap struct {
	ID                  int64
	Cluster, ClusterUID string
	Type                Type
	Namespace, Recorder string
	Gap
	HealedAt time.Time // zero: the gap is open
}

// Gaps returns the query for the gaps that a filter selects, in the order in which they
// were recorded. ScanGap reads its rows.
func Gaps(f GapFilter) Query {
	q := Query{
		text: "SELECT g.id, c.name, c.uid, r.api_group, r.name, r.kind, g.namespace, g.recorder, g.cause, g.from_version, g.to_version, g.from_at, g.to_at, g.detail, g.healed_at" +
			" FROM gaps g JOIN resources r ON r.id = g.resource_id JOIN clusters c ON c.id = g.cluster_id WHERE 1 = 1",
		key: "g.id",
	}
	if f.Clusters != nil {
		q = q.and(rowIs("g.cluster_id", byCluster, f.Clusters))
	}
	if f.Resources != nil {
		q = q.and(rowIs("g.resource_id", byType, f.Resources))
	}
	if f.Namespace != "" {
		q = q.and(Condition{SQL: "g.namespace IN ('', ?)", Args: []any{f.Namespace}})
	}
	if f.Open {
		q = q.and(Condition{SQL: "g.healed_at = 0"})
	}
	if f.EndedSince != 0 {
		q = q.and(Condition{SQL: "(g.to_at >= ? OR g.to_at = 0)", Args: []any{f.EndedSince}})
	}
	if f.BegunBefore != 0 {
		q = q.and(Condition{SQL: "g.from_at < ?", Args: []any{f.BegunBefore}})
	}
	return q
}

// ScanGap reads a row of Gaps.
func ScanGap(rows *sql.Rows) (g ListedGap, err error) {
	var from, to, fromAt, toAt, healedAt int64
	err = rows.Scan(&g.ID, &g.Cluster, &g.ClusterUID, &g.Type.Group, &g.Type.Resource, &g.Type.Kind, &g.Namespace, &g.Recorder, &g.Cause, &from, &to, &fromAt, &toAt, &g.Detail, &healedAt)
	g.From, g.To, g.FromAt, g.ToAt, g.HealedAt = wire.Version(from), wire.Version(to), Time(fromAt), Time(toAt), Time(healedAt)
	return g, err
}

// GapDetail is the explanation of a gap.
type GapDetail struct {
	ID     int64
	Detail string
}

// GapDetails calls each for the gaps of a cluster and a type that have an explanation.
func GapDetails(ctx context.Context, q sqldb.Querier, cluster, resource int64, each func(GapDetail)) error {
	return q.Query(ctx, "SELECT id, detail FROM gaps WHERE cluster_id = ? AND resource_id = ? AND detail <> ''", []any{cluster, resource}, func(rows *sql.Rows) error {
		var g GapDetail
		err := rows.Scan(&g.ID, &g.Detail)
		each(g)
		return err
	})
}

// ClearGapDetails removes the explanations of gaps.
func ClearGapDetails(ctx context.Context, tx *sqldb.Tx, ids []int64) error {
	_, err := execIn(ctx, tx, "UPDATE gaps SET detail = '' WHERE id IN ", ids)
	return err
}

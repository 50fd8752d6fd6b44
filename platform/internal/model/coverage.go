package model

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Coverage is an interval of versions of a scope in which a recorder saw everything.
type Coverage struct {
	ID       int64 // row ID; 0: not stored yet
	From, To wire.Version
	At       time.Time // time when To was stored
}

// ResumePoint is the point at which a recorder of a scope continues.
type ResumePoint struct {
	// Version is 0 if the scope was never covered.
	Version wire.Version
	// Base is the difference between the versions of the history and those of the server. It is 0
	// until the server loses versions, as after a restore from a backup. The server then uses
	// numbers again that the history has.
	Base wire.Version
	// At is the time when Version was stored.
	At time.Time
}

// baseStep divides all bases except 0, so that the version of the server can be read in that of
// the history.
const baseStep = 1_000_000_000_000

// Restored returns the base of the versions of a server that has lost versions. All versions of
// the history that follow are larger than the resume point. Recorders that notice the same loss
// get the same base.
func (p ResumePoint) Restored() wire.Version { return (p.Version/baseStep + 1) * baseStep }

var (
	// ErrCoverageEnded means that another recorder has noticed that the server lost versions. The
	// revisions of this one have versions of the wrong base.
	ErrCoverageEnded = errors.New("another recorder has noticed that the server was restored from a backup")
	// ErrCoverageLost means that the database does not have the coverage that was stored last.
	ErrCoverageLost = errors.New("the database has lost what this recorder has written: it was restored from a backup, or failed over to a server that lacked the last transactions")
)

// FindResumePoint returns the resume point of a scope. It is the highest end of all coverage. Coverage
// of a UID range that includes the scope counts, and so does that of all ranges together
// into which the scope was divided.
func FindResumePoint(ctx context.Context, q sqldb.Querier, s Scope) (p ResumePoint, err error) {
	ends, err := endsOfCoverage(ctx, q, s)
	if err != nil {
		return p, fmt.Errorf("table coverage: %w", err)
	}
	var best coverageEnd
	for n := 1; n <= wire.MaxUIDRanges; n *= 2 {
		if end := endOfDivision(ends, s, n); end.to > best.to {
			best = end
		}
	}
	if best.to == 0 {
		return p, nil
	}
	return ResumePoint{Version: wire.Version(best.to), Base: wire.Version(best.base), At: time.UnixMicro(best.at)}, nil
}

// coverageEnd is the end of coverage, its base, and the time when it was stored, in microseconds.
type coverageEnd struct{ to, base, at int64 }

// endsOfCoverage returns the ends of coverage of a type and a namespace, by selector_hash.
func endsOfCoverage(ctx context.Context, q sqldb.Querier, s Scope) (map[int64]coverageEnd, error) {
	ends := map[int64]coverageEnd{}
	err := q.Query(ctx, "SELECT selector_hash, MAX(to_version), MAX(base_version), MAX(to_at) FROM coverage WHERE cluster_id = ? AND resource_id = ? AND namespace = ? GROUP BY selector_hash",
		[]any{s.Cluster, s.Resource, s.Namespace}, func(rows *sql.Rows) error {
			var hash int64
			var end coverageEnd
			err := rows.Scan(&hash, &end.to, &end.base, &end.at)
			ends[hash] = end
			return err
		})
	return ends, err
}

// endOfDivision returns the version up to which the ranges of a division cover a scope
// completely; 0 if one of them has no coverage.
func endOfDivision(ends map[int64]coverageEnd, s Scope, n int) (lowest coverageEnd) {
	found := false
	for i := range n {
		part := s
		part.UIDs = wire.UIDRange{Index: i, Count: n}
		if !part.UIDs.Includes(s.UIDs) && !s.UIDs.Includes(part.UIDs) {
			continue
		}
		end, covered := ends[part.hash()]
		if !covered {
			return coverageEnd{}
		}
		if !found || end.to < lowest.to {
			lowest, found = end, true
		}
	}
	return lowest
}

// ContinueCoverage returns the coverage of a recorder that ends at a version, or begins new
// coverage there. Use it when a watch has resumed.
func ContinueCoverage(ctx context.Context, tx *sqldb.Tx, s Scope, recorder string, at, base wire.Version, now time.Time) (Coverage, error) {
	c := Coverage{To: at}
	var from int64
	row := tx.QueryRow(ctx, "SELECT id, from_version FROM coverage WHERE "+inScope+" AND recorder = ? AND to_version = ? AND ended_at = 0 ORDER BY from_version LIMIT 1", s.args(recorder, int64(at))...)
	err := row.Scan(&c.ID, &from)
	if errors.Is(err, sql.ErrNoRows) {
		return BeginCoverage(ctx, tx, s, recorder, at, base, now)
	}
	c.From = wire.Version(from)
	return c, err
}

var coverageColumns = []string{"cluster_id", "resource_id", "namespace", "selector_hash", "recorder", "from_version", "to_version", "base_version", "from_at", "to_at", "ended_at"}

// BeginCoverage inserts coverage that begins and ends at a version.
func BeginCoverage(ctx context.Context, tx *sqldb.Tx, s Scope, recorder string, at, base wire.Version, now time.Time) (Coverage, error) {
	c := Coverage{From: at, To: at, At: now}
	err := tx.Insert(ctx, "coverage", coverageColumns, [][]any{s.args(recorder, int64(at), int64(at), int64(base), Micros(now), Micros(now), int64(0))})
	if err == nil {
		c.ID, err = queryInt(ctx, tx, "SELECT MAX(id) FROM coverage WHERE "+inScope+" AND recorder = ?", s.args(recorder)...)
	}
	if err != nil {
		return c, fmt.Errorf("table coverage: %w", err)
	}
	return c, nil
}

// ExtendCoverage stores a later end of coverage, if the stored end is that of c, or the later one
// because an earlier attempt was committed although its answer was lost.
//
// Errors: ErrCoverageEnded; ErrCoverageLost; those of the database.
func ExtendCoverage(ctx context.Context, tx *sqldb.Tx, c *Coverage, to wire.Version, now time.Time) error {
	n, err := tx.Exec(ctx, "UPDATE coverage SET to_version = ?, to_at = ? WHERE id = ? AND to_version IN (?, ?) AND ended_at = 0",
		int64(to), Micros(now), c.ID, int64(c.To), int64(to))
	if err != nil {
		return err
	}
	if n == 0 {
		return whyNotExtended(ctx, tx, c)
	}
	c.To, c.At = to, now
	return nil
}

// whyNotExtended returns the reason why coverage cannot be extended.
func whyNotExtended(ctx context.Context, tx *sqldb.Tx, c *Coverage) error {
	ended, err := queryInt(ctx, tx, "SELECT COUNT(*) FROM coverage WHERE id = ? AND to_version = ? AND ended_at > 0", c.ID, int64(c.To))
	switch {
	case err != nil:
		return err
	case ended > 0:
		return ErrCoverageEnded
	}
	return ErrCoverageLost
}

// EndCoverage ends the coverage of a scope that has a base below the given one. No recorder can
// extend it after that.
func EndCoverage(ctx context.Context, tx *sqldb.Tx, s Scope, below wire.Version, now time.Time) error {
	_, err := tx.Exec(ctx, "UPDATE coverage SET ended_at = ? WHERE "+inScope+" AND base_version < ? AND ended_at = 0", append([]any{Micros(now)}, s.args(int64(below))...)...)
	return err
}

// LastCoveredByOthers returns the time when another recorder last stored coverage of a
// scope or of the whole type, in microseconds. It returns 0 if no other recorder did.
func LastCoveredByOthers(ctx context.Context, q sqldb.Querier, s Scope, recorder string) (int64, error) {
	query := "SELECT MAX(to_at) FROM coverage WHERE cluster_id = ? AND resource_id = ? AND (namespace = ? OR namespace = '') AND recorder <> ?"
	args := []any{s.Cluster, s.Resource, s.Namespace, recorder}
	if !s.UIDs.IsAll() { // the other ranges say nothing about this one
		query, args = query+" AND selector_hash IN (?, ?)", append(args, s.hash(), s.Selectors)
	}
	at, _, err := queryNullInt(ctx, q, query, args...)
	return at, err
}

// ScopeEnd is the end of the coverage of a scope without selectors.
type ScopeEnd struct {
	Scope
	To wire.Version
	At int64 // time when To was stored, in microseconds
}

// ScopesOfNamesakes returns the scopes of all clusters with a name, except one cluster, and
// except scopes that have a gap with the cause CauseRebuilt.
func ScopesOfNamesakes(ctx context.Context, q sqldb.Querier, name string, except int64) (all []ScopeEnd, err error) {
	err = q.Query(ctx, "SELECT v.cluster_id, v.resource_id, v.namespace, MAX(v.to_version), MAX(v.to_at) FROM coverage v JOIN clusters c ON c.id = v.cluster_id"+
		" WHERE c.name = ? AND c.id <> ? AND NOT EXISTS (SELECT 1 FROM gaps g WHERE g.cluster_id = c.id AND g.resource_id = v.resource_id AND g.namespace = v.namespace AND g.cause = ?)"+
		" GROUP BY v.cluster_id, v.resource_id, v.namespace", []any{name, except, CauseRebuilt}, func(rows *sql.Rows) error {
		var e ScopeEnd
		var to int64
		err := rows.Scan(&e.Cluster, &e.Resource, &e.Namespace, &to, &e.At)
		e.To = wire.Version(to)
		all = append(all, e)
		return err
	})
	return all, err
}

// CoverageRow is a row of coverage.
type CoverageRow struct {
	ID int64
	Scope
	Recorder     string
	From, To     wire.Version
	FromAt, ToAt int64
}

// EachCoverage calls each for all coverage, sorted by scope and by From.
func EachCoverage(ctx context.Context, q sqldb.Querier, each func(CoverageRow)) error {
	return q.Query(ctx, "SELECT id, cluster_id, resource_id, namespace, selector_hash, recorder, from_version, to_version, from_at, to_at FROM coverage"+
		" ORDER BY cluster_id, resource_id, namespace, selector_hash, from_version, id", nil, func(rows *sql.Rows) error {
		var c CoverageRow
		var from, to int64
		if err := rows.Scan(&c.ID, &c.Cluster, &c.Resource, &c.Namespace, &c.Selectors, &c.Recorder, &from, &to, &c.FromAt, &c.ToAt); err != nil {
			return err
		}
		c.From, c.To = wire.Version(from), wire.Version(to)
		each(c)
		return nil
	})
}

// DeleteCoverage deletes a row of coverage.
func DeleteCoverage(ctx context.Context, tx *sqldb.Tx, id int64) error {
	_, err := tx.Exec(ctx, "DELETE FROM coverage WHERE id = ?", id)
	return err
}

// SetCoverageStart stores the start of a row of coverage.
func SetCoverageStart(ctx context.Context, tx *sqldb.Tx, id int64, from wire.Version, fromAt int64) error {
	_, err := tx.Exec(ctx, "UPDATE coverage SET from_version = ?, from_at = ? WHERE id = ?", int64(from), fromAt, id)
	return err
}

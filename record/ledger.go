package record

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// place is what a row of the ledger is about: one scope of one collection.
type place struct {
	cluster, resource int64
	namespace         string
	selectors         int64 // their hash
}

// coverage is the row of this recorder: from which version to which it has seen
// everything. id is 0 before the first.
type coverage struct {
	id       int64
	from, to wire.Version
	at       time.Time // when that was written
}

// touch is how often a row of coverage is written while nothing happens: that it is
// fresh tells others that the collection is seen.
const touch = 20 * time.Second

const (
	ofPlace = "cluster_id = ? AND resource_id = ? AND namespace = ? AND selector_hash = ?"
	ofSame  = "b.cluster_id = ? AND b.resource_id = ? AND b.namespace = ? AND b.selector_hash = ?"
)

func (p place) args(more ...any) []any {
	return append([]any{p.cluster, p.resource, p.namespace, p.selectors}, more...)
}

// resume returns the version up to which some recorder has seen everything, and
// when; 0 if none has.
func (d *Database) resume(ctx context.Context, p place) (version wire.Version, at time.Time, err error) {
	var to, when sql.NullInt64
	row := d.SQL().QueryRowContext(ctx, d.Rebind("SELECT MAX(to_version), MAX(to_at) FROM coverage WHERE "+ofPlace), p.args()...)
	if err := row.Scan(&to, &when); err != nil {
		return 0, time.Time{}, fmt.Errorf("coverage: %w", err)
	}
	if to.Int64 == 0 {
		return 0, time.Time{}, nil
	}
	return wire.Version(to.Int64), time.UnixMicro(when.Int64), nil
}

// goOn returns the row of coverage of a watch that was resumed: that of this recorder which
// ends there, or a new one.
func (d *Database) goOn(ctx context.Context, tx *sql.Tx, p place, recorder string, at wire.Version, now time.Time) (coverage, error) {
	c := coverage{to: at}
	var from int64
	row := tx.QueryRowContext(ctx, d.Rebind("SELECT id, from_version FROM coverage WHERE "+ofPlace+" AND recorder = ? AND to_version = ? ORDER BY from_version LIMIT 1"), p.args(recorder, int64(at))...)
	err := row.Scan(&c.id, &from)
	if errors.Is(err, sql.ErrNoRows) {
		return d.begin(ctx, tx, p, recorder, at, now)
	}
	c.from = wire.Version(from)
	return c, err
}

// begin makes a new row of coverage.
func (d *Database) begin(ctx context.Context, tx *sql.Tx, p place, recorder string, at wire.Version, now time.Time) (coverage, error) {
	columns := []string{"cluster_id", "resource_id", "namespace", "selector_hash", "recorder", "from_version", "to_version", "from_at", "to_at"}
	err := d.insertAll(ctx, tx, "coverage", columns, [][]any{p.args(recorder, int64(at), int64(at), micros(now), micros(now))}, "")
	c := coverage{from: at, to: at, at: now}
	if err == nil {
		row := tx.QueryRowContext(ctx, d.Rebind("SELECT MAX(id) FROM coverage WHERE "+ofPlace+" AND recorder = ?"), p.args(recorder)...)
		err = row.Scan(&c.id)
	}
	return c, err
}

// extend moves the end of a row of coverage, and heals gaps that it closes, alone or with
// one before it: those of the place, and of parts of it.
func (d *Database) extend(ctx context.Context, tx *sql.Tx, p place, c *coverage, to wire.Version, now time.Time) error {
	if to < c.to || to == c.to && now.Sub(c.at) < touch {
		return nil
	}
	if _, err := d.exec(ctx, tx, "UPDATE coverage SET to_version = ?, to_at = ? WHERE id = ?", int64(to), micros(now), c.id); err != nil {
		return err
	}
	c.to, c.at = to, now
	where, args := p.within("selector_hash")
	args = append(append([]any{micros(now)}, args...), int64(to), int64(c.from))
	_, err := d.exec(ctx, tx, "UPDATE gaps SET healed_at = ? WHERE healed_at = 0 AND "+where+" AND to_version > 0 AND to_version <= ?"+unseen+
		" AND (from_version >= ? OR EXISTS (SELECT 1 FROM coverage b WHERE "+ofSame+" AND b.from_version <= gaps.from_version AND b.to_version >= ?))",
		append(args, p.args(int64(c.from))...)...)
	return err
}

// unseen leaves out gaps of what was seen, and could not be kept.
const unseen = " AND cause <> '" + CauseInvalid + "' AND cause <> '" + CauseRefused + "' AND cause <> '" + CauseUnordered + "'"

// mostMissed is how many gaps are tried to be filled: a server remembers minutes, so
// those before them are gone.
const mostMissed = 4

// missed returns where the oldest of the last gaps begins that are open and end by a
// version, but for those that were tried; 0 if there is none.
func (d *Database) missed(ctx context.Context, p place, by wire.Version, tried []wire.Version) (from wire.Version, at time.Time, err error) {
	ctx, done := d.Bounded(ctx)
	defer done()
	rows, err := d.SQL().QueryContext(ctx, d.Rebind("SELECT from_version, from_at FROM gaps WHERE "+ofPlace+
		" AND healed_at = 0 AND from_version > 0 AND to_version > from_version AND to_version <= ?"+unseen+" ORDER BY id DESC LIMIT ?"), p.args(int64(by), mostMissed)...)
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("gaps: %w", err)
	}
	err = each(rows, func() error {
		var version, when int64
		err := rows.Scan(&version, &when)
		if v := wire.Version(version); !slices.Contains(tried, v) && (from == 0 || v < from) {
			from, at = v, moment(when)
		}
		return err
	})
	return from, at, err
}

// Causes of gaps.
const (
	// CauseWindow: the server had forgotten what came after the version.
	CauseWindow = "window"
	// CauseDenied: the rights to list and watch were missing.
	CauseDenied = "denied"
	// CauseAbsent: the type was not served.
	CauseAbsent = "absent"
	// CauseRebuilt: another cluster stands where this one stood.
	CauseRebuilt = "rebuilt"
	// CauseInvalid: an object in a list or an event was unusable.
	CauseInvalid = "invalid"
	// CauseRefused: the database did not take a revision.
	CauseRefused = "refused"
	// CauseUnordered: the server does not order its versions, and a revision had a
	// version that was not newer than the one before it.
	CauseUnordered = "unordered"
)

// hole is a gap on its way to the ledger. Its end is 0 while it lasts.
type hole struct {
	cause        string
	from, to     wire.Version
	fromAt, toAt time.Time
	detail       string
}

var gapColumns = []string{"cluster_id", "resource_id", "namespace", "selector_hash", "recorder", "cause", "from_version", "to_version", "from_at", "to_at", "detail", "healed_at"}

// gap notes that something was not seen.
func (d *Database) gap(ctx context.Context, tx *sql.Tx, p place, recorder string, h hole) error {
	return d.insertAll(ctx, tx, "gaps", gapColumns, [][]any{
		p.args(recorder, h.cause, int64(h.from), int64(h.to), micros(h.fromAt), micros(h.toAt), short(h.detail, longestMessage), int64(0)),
	}, "")
}

// open notes a gap that lasts, unless this recorder has one there already.
func (d *Database) open(ctx context.Context, tx *sql.Tx, p place, recorder string, h hole) (opened bool, err error) {
	var n int
	row := tx.QueryRowContext(ctx, d.Rebind("SELECT COUNT(*) FROM gaps WHERE "+ofPlace+" AND recorder = ? AND healed_at = 0 AND to_at = 0"),
		p.args(recorder)...)
	if err := row.Scan(&n); err != nil || n > 0 {
		return false, err
	}
	return true, d.gap(ctx, tx, p, recorder, h)
}

// close ends the gap of this recorder that lasts: at a version, or, if the watch went
// on where it was, as one in which nothing was missed.
func (d *Database) close(ctx context.Context, tx *sql.Tx, p place, recorder string, to wire.Version, missed bool, now time.Time) (closed bool, err error) {
	healed := int64(0)
	if !missed {
		healed = micros(now)
	}
	result, err := d.exec(ctx, tx, "UPDATE gaps SET to_version = ?, to_at = ?, healed_at = ? WHERE "+ofPlace+" AND recorder = ? AND healed_at = 0 AND to_at = 0",
		append([]any{int64(to), micros(now), healed}, p.args(recorder)...)...)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

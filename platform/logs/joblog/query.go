package joblog

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"iter"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Selection selects logs.
type Selection struct {
	// ClusterUID is the cluster; empty means all.
	ClusterUID string
	// Namespace is the namespace of the pods; empty means all. Pods of another namespace may
	// claim any owner.
	Namespace string
	// UIDs are UIDs of pods, of their owners, or of jobs. A log is selected if one of its
	// three UIDs is among them.
	UIDs []string
	// Limit is the maximum number of logs; the latest ones are returned. Default 10,000.
	Limit int
}

// defaultLimit is the default of Selection.Limit.
const defaultLimit = 10_000

// uidsPerQuery is the maximum number of UIDs in one statement.
const uidsPerQuery = 200

// uidColumns are the columns with UIDs. Each has an index.
var uidColumns = []string{"pod_uid", "owner_uid", "job_uid"}

// each runs a query for each column of UIDs and each part of the UIDs. text returns the
// query for a condition.
func (of Selection) each(ctx context.Context, q sqldb.Querier, text func(condition string) string, row func(*sql.Rows) error) error {
	uids := slices.Clone(of.UIDs)
	for i := range uids {
		uids[i] = cut(uids[i], maxWord)
	}
	slices.Sort(uids)
	uids = slices.DeleteFunc(slices.Compact(uids), func(uid string) bool { return uid == "" })
	for part := range slices.Chunk(uids, uidsPerQuery) {
		for _, column := range uidColumns {
			condition, args := "l."+column+" IN "+sqldb.Placeholders(len(part)), []any{}
			for _, uid := range part {
				args = append(args, uid)
			}
			if of.ClusterUID != "" {
				condition, args = condition+" AND l.cluster_uid = ?", append(args, of.ClusterUID)
			}
			if of.Namespace != "" {
				condition, args = condition+" AND l.namespace = ?", append(args, cut(of.Namespace, maxWord))
			}
			if err := q.Query(ctx, text(condition), args, row); err != nil {
				return err
			}
		}
	}
	return nil
}

// logs returns the selected logs ordered by the start of their containers.
func (of Selection) logs(ctx context.Context, q sqldb.Querier) ([]Log, error) {
	limit := cmp.Or(max(of.Limit, 0), defaultLimit)
	seen := map[int64]bool{}
	var all []Log
	err := of.each(ctx, q, func(condition string) string { return "SELECT " + columns + " FROM kept_logs l WHERE " + condition }, func(rows *sql.Rows) error {
		r, err := scan(rows)
		if err != nil || seen[r.ID] {
			return err
		}
		seen[r.ID] = true
		if all = append(all, r.shown()); len(all) >= 2*limit {
			all = latest(all, limit)
		}
		return nil
	})
	return latest(all, limit), err
}

// latest sorts logs, and returns the last ones.
func latest(all []Log, limit int) []Log {
	slices.SortFunc(all, func(a, b Log) int {
		return cmp.Or(began(a).Compare(began(b)), strings.Compare(a.Pod, b.Pod), strings.Compare(a.Container, b.Container), cmp.Compare(a.Restart, b.Restart), cmp.Compare(a.ID, b.ID))
	})
	return slices.Delete(all, 0, max(0, len(all)-limit))
}

// began returns the known or estimated start of a container.
func began(l Log) time.Time {
	for _, t := range []time.Time{l.Started, l.FirstLine, l.Ended} {
		if !t.IsZero() {
			return t
		}
	}
	return l.Fetched
}

// lastLine returns the time of the last line of the selected logs.
func (of Selection) lastLine(ctx context.Context, q sqldb.Querier) (last time.Time, err error) {
	err = of.each(ctx, q, func(condition string) string { return "SELECT MAX(l.last_at) FROM kept_logs l WHERE " + condition }, func(rows *sql.Rows) error {
		var at sql.NullInt64
		err := rows.Scan(&at)
		if t := moment(at.Int64); t.After(last) {
			last = t
		}
		return err
	})
	return last, err
}

// explaining returns the log that best explains the end of a job: of the last failed
// container with lines, else of the last one that ended, else of the last one that wrote.
func explaining(all []Log) (best Log, found bool) {
	rank := func(l *Log) int {
		switch {
		case l.Ended.IsZero():
			return 0
		case l.ExitCode == 0:
			return 1
		}
		return 2
	}
	when := func(l *Log) time.Time {
		if l.Ended.IsZero() {
			return l.LastLine
		}
		return l.Ended
	}
	for i := range all {
		l := &all[i]
		if l.Lines > 0 && (!found || cmp.Or(cmp.Compare(rank(l), rank(&best)), when(l).Compare(when(&best))) > 0) {
			best, found = *l, true
		}
	}
	return best, found
}

// readLines returns the lines of a log. If the log is written in the meantime, the lines
// may have moved to other chunks: then reading continues after the last returned line.
func readLines(ctx context.Context, db *sqldb.DB, log int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		var (
			c       found
			version int64
			passed  = floor{at: beginning.UnixMicro()} // lines that were returned
			skipped floor                              // how many of them are in the chunks since the last change
		)
		for {
			next, err := nextChunk(ctx, db, log, " AND last_at >= ? AND seq > ? ORDER BY seq LIMIT 1", passed.at, c.seq)
			switch {
			case err != nil:
				yield(Line{}, db.Explain(err))
				return
			case next.seq == 0:
				return
			case next.version != version:
				c, version, skipped = found{}, next.version, passed
				if passed.lines > 0 {
					continue // continue with the first chunk that has such lines
				}
			}
			c = next
			for _, e := range c.entries {
				if e.at < skipped.at {
					continue
				}
				if e.at == skipped.at && skipped.lines > 0 {
					skipped.lines--
					continue
				}
				if !yield(e.line(), nil) {
					return
				}
				passed = passed.after(e)
			}
		}
	}
}

// found is a chunk of a log. seq is 0 if no chunk was found.
type found struct {
	seq, version int64 // version is the version of the row
	entries      []entry
}

// nextChunk returns the first chunk of a log that a condition selects.
func nextChunk(ctx context.Context, db *sqldb.DB, log int64, condition string, args ...any) (c found, err error) {
	var data []byte
	row := db.QueryRow(ctx, "SELECT seq, data, COALESCE((SELECT version FROM kept_logs WHERE id = ?), 0) FROM kept_log_chunks WHERE log_id = ?"+condition, append([]any{log, log}, args...)...)
	err = row.Scan(&c.seq, &data, &c.version)
	if errors.Is(err, sql.ErrNoRows) {
		return found{}, nil
	}
	if err == nil {
		c.entries, err = unpack(data)
	}
	return c, err
}

// lastLines returns the last lines of a log. If the log is written in the meantime, it
// starts again, a few times.
func lastLines(ctx context.Context, db *sqldb.DB, log int64, n int) (lines []Line, err error) {
	seq, version := int64(math.MaxInt64), int64(0)
	for changes := 0; len(lines) < n; {
		c, err := nextChunk(ctx, db, log, " AND seq < ? ORDER BY seq DESC LIMIT 1", seq)
		if err != nil || c.seq == 0 {
			return lines, err
		}
		if seq < math.MaxInt64 && c.version != version && changes < 5 {
			lines, seq, changes = nil, math.MaxInt64, changes+1
			continue
		}
		seq, version = c.seq, c.version
		entries := own(c.entries[max(0, len(c.entries)-(n-len(lines))):])
		part := make([]Line, len(entries))
		for i, e := range entries {
			part[i] = e.line()
		}
		lines = append(part, lines...)
	}
	return lines, nil
}

// Totals are the sums over all kept logs.
type Totals struct {
	// Logs is the number of logs with text, and Empty the number without: nothing was
	// written or fetched, or the text was removed.
	Logs, Empty int64
	// Lines and Bytes count the text, and Stored is its size in the database.
	Lines, Bytes, Stored int64
	// Oldest is when text was last added to the oldest log with text; zero if no log has
	// text.
	Oldest time.Time
}

// totals counts all logs.
func totals(ctx context.Context, db *sqldb.DB) (t Totals, err error) {
	text := "SELECT l.phase, COUNT(*), COALESCE(SUM(l.lines_kept), 0), COALESCE(SUM(l.text_bytes), 0), COALESCE(SUM(l.stored_bytes), 0), COALESCE(MIN(l.fetched_at), 0) FROM kept_logs l" +
		db.UseIndex("kept_logs_age") + " GROUP BY l.phase"
	err = db.Query(ctx, text, nil, func(rows *sql.Rows) error {
		var (
			of                                   phase
			logs, lines, bytes, stored, earliest int64
		)
		if err := rows.Scan(&of, &logs, &lines, &bytes, &stored, &earliest); err != nil {
			return err
		}
		if of == phaseEmpty {
			t.Empty = logs
			return nil
		}
		t.Logs, t.Lines, t.Bytes, t.Stored = t.Logs+logs, t.Lines+lines, t.Bytes+bytes, t.Stored+stored
		if oldest := moment(earliest); t.Oldest.IsZero() || oldest.Before(t.Oldest) {
			t.Oldest = oldest
		}
		return nil
	})
	return t, err
}

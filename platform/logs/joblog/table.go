package joblog

import (
	"context"
	"database/sql"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// phase is whether a log has text, and whether more is expected. The numbers are stored.
type phase int16

const (
	phaseEnded phase = iota + 1
	phaseOpen
	phaseEmpty
)

// row is a row of kept_logs.
type row struct {
	Log
	limited string // the limit that removed text
	floor   floor
	version int64
}

// shortenedOn and removedOn are the prefixes of row.limited after the text was shortened
// because of other logs.
const (
	shortenedOn = "shortened on "
	removedOn   = "removed on "
)

// shortened reports whether the text was shortened because of other logs.
func (r *row) shortened() bool {
	return strings.HasPrefix(r.limited, shortenedOn) || strings.HasPrefix(r.limited, removedOn)
}

// columns are the columns of a row in the order of scan.
const columns = "l.id, l.cluster_uid, l.namespace, l.pod, l.pod_uid, l.container, l.restarts, l.owner_uid, l.owner_kind, l.owner_name, l.job_uid, l.job_kind, l.job_name, l.node, " +
	"l.started_at, l.ended_at, l.exit_code, l.reason, l.complete, l.lines_kept, l.text_bytes, l.stored_bytes, l.lost_lines, l.lost, l.limited, l.floor_at, l.floor_lines, " +
	"l.first_at, l.last_at, l.fetched_at, l.removed_at, l.version"

// scan reads a row of columns.
func scan(rows *sql.Rows) (r row, err error) {
	var started, ended, first, last, fetched, removed int64
	err = rows.Scan(&r.ID, &r.ClusterUID, &r.Namespace, &r.Pod, &r.PodUID, &r.Container, &r.Restart, &r.OwnerUID, &r.OwnerKind, &r.OwnerName, &r.JobUID, &r.JobKind, &r.JobName, &r.Node,
		&started, &ended, &r.ExitCode, &r.Reason, &r.Complete, &r.Lines, &r.Bytes, &r.Stored, &r.LostLines, &r.Lost, &r.limited, &r.floor.at, &r.floor.lines,
		&first, &last, &fetched, &removed, &r.version)
	r.Started, r.Ended, r.FirstLine, r.LastLine, r.Fetched, r.Removed = moment(started), moment(ended), moment(first), moment(last), moment(fetched), moment(removed)
	return r, err
}

// shown returns the row as a Log for callers.
func (r *row) shown() Log {
	l := r.Log
	switch {
	case l.Lost == "":
		l.Lost = r.limited
	case r.limited != "":
		l.Lost += "; " + r.limited
	}
	return l
}

// phase returns the value of the column.
func (r *row) phase() phase {
	switch {
	case r.Lines == 0:
		return phaseEmpty
	case r.Complete || !r.Ended.IsZero():
		return phaseEnded
	}
	return phaseOpen
}

// selectRows returns the rows of a query for columns. tail follows SELECT columns.
func selectRows(ctx context.Context, q sqldb.Querier, tail string, args ...any) (all []row, err error) {
	err = q.Query(ctx, "SELECT "+columns+" "+tail, args, func(rows *sql.Rows) error {
		r, err := scan(rows)
		all = append(all, r)
		return err
	})
	return all, err
}

// find returns the row of a container, or the zero row.
func find(ctx context.Context, tx *sqldb.Tx, l *Log) (r row, err error) {
	all, err := selectRows(ctx, tx, "FROM kept_logs l WHERE l.pod_uid = ? AND l.container = ? AND l.restarts = ? AND l.cluster_uid = ?", l.PodUID, l.Container, int64(l.Restart), l.ClusterUID)
	if len(all) > 0 {
		r = all[0]
	}
	return r, err
}

// insertColumns are the columns of a new row. store sets the others.
var insertColumns = []string{
	"cluster_uid", "namespace", "pod", "pod_uid", "container", "restarts", "owner_uid", "owner_kind", "owner_name", "job_uid", "job_kind", "job_name", "node",
	"started_at", "ended_at", "exit_code", "reason", "complete", "phase", "lines_kept", "text_bytes", "stored_bytes", "lost_lines", "lost", "limited", "floor_at", "floor_lines",
	"first_at", "last_at", "fetched_at", "removed_at", "version",
}

// insert adds an empty row for a log, unless another transaction has added it.
func insert(ctx context.Context, tx *sqldb.Tx, l *Log, now time.Time) error {
	values := []any{
		l.ClusterUID, l.Namespace, l.Pod, l.PodUID, l.Container, int64(l.Restart), l.OwnerUID, l.OwnerKind, l.OwnerName, l.JobUID, l.JobKind, l.JobName, l.Node,
		int64(0), int64(0), int64(0), "", int16(0), int16(phaseEmpty), int64(0), int64(0), int64(0), int64(0), "", "", micros(beginning), int64(0),
		int64(0), int64(0), micros(now), int64(0), int64(0),
	}
	return tx.InsertNew(ctx, "kept_logs", insertColumns, [][]any{values}, "version")
}

// beginning is the floor of a log that has lost no line.
var beginning = time.Unix(-1<<40, 0)

// claim locks the row for the caller until the transaction ends. ours is false if another
// transaction has changed it since it was read.
func (r *row) claim(ctx context.Context, tx *sqldb.Tx) (ours bool, err error) {
	n, err := tx.Exec(ctx, "UPDATE kept_logs SET version = version + 1 WHERE id = ? AND version = ?", r.ID, r.version)
	return n == 1, err
}

// store writes all columns of a row that can change.
func (r *row) store(ctx context.Context, tx *sqldb.Tx) error {
	complete := int16(0)
	if r.Complete {
		complete = 1
	}
	_, err := tx.Exec(ctx, "UPDATE kept_logs SET namespace = ?, pod = ?, owner_uid = ?, owner_kind = ?, owner_name = ?, job_uid = ?, job_kind = ?, job_name = ?, node = ?,"+
		" started_at = ?, ended_at = ?, exit_code = ?, reason = ?, complete = ?, phase = ?, lines_kept = ?, text_bytes = ?, stored_bytes = ?, lost_lines = ?, lost = ?, limited = ?,"+
		" floor_at = ?, floor_lines = ?, first_at = ?, last_at = ?, fetched_at = ?, removed_at = ? WHERE id = ?",
		r.Namespace, r.Pod, r.OwnerUID, r.OwnerKind, r.OwnerName, r.JobUID, r.JobKind, r.JobName, r.Node,
		micros(r.Started), micros(r.Ended), int64(r.ExitCode), r.Reason, complete, int16(r.phase()), int64(r.Lines), int64(r.Bytes), r.Stored, int64(r.LostLines), r.Lost, r.limited,
		r.floor.at, r.floor.lines, micros(r.FirstLine), micros(r.LastLine), micros(r.Fetched), micros(r.Removed), r.ID)
	return err
}

// Maximum lengths of texts in bytes. MariaDB and MySQL refuse longer texts.
const (
	maxWord = 63
	maxName = 250
	maxText = 4096
)

// clean converts the texts and times of a log to values that every database stores.
func clean(l *Log) {
	for _, s := range []*string{&l.ClusterUID, &l.PodUID, &l.Namespace, &l.Container, &l.OwnerUID, &l.OwnerKind, &l.JobUID, &l.JobKind} {
		*s = cut(*s, maxWord)
	}
	for _, s := range []*string{&l.Pod, &l.OwnerName, &l.JobName, &l.Node, &l.Reason} {
		*s = cut(*s, maxName)
	}
	l.Lost = cut(l.Lost, maxText)
	for _, t := range []*time.Time{&l.Started, &l.Ended} {
		*t = moment(micros(*t))
	}
}

// cut returns a text that every database stores: valid UTF-8 without zero bytes, and at
// most limit bytes long.
func cut(text string, limit int) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

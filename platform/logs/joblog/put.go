package joblog

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// put adds entries to a log.
type put struct {
	log     Log
	entries []entry // ordered, redacted, truncated
	limits  Limits
	room    room
	redact  *Redactor
	now     time.Time
	added   int64 // growth of the database in bytes
	job     string
}

// run runs in a transaction. It stores nothing of a pod or a job that was erased.
//
// Errors: errConflict, errUnchanged, and those of the database.
func (p *put) run(ctx context.Context, tx *sqldb.Tx) error {
	if erased, err := p.erased(ctx, tx); err != nil || erased {
		return cmp.Or(err, errUnchanged)
	}
	r, err := find(ctx, tx, &p.log)
	isNew := r.ID == 0
	if err == nil && isNew {
		if err = insert(ctx, tx, &p.log, p.now); err == nil {
			r, err = find(ctx, tx, &p.log)
		}
	}
	if err != nil {
		return err
	}
	if ours, err := r.claim(ctx, tx); err != nil || !ours {
		return cmp.Or(err, errConflict)
	}
	before := r
	join(&r.Log, &p.log)
	p.job = r.JobUID
	changed, err := p.add(ctx, tx, &r)
	if err != nil {
		return err
	}
	if changed {
		r.Fetched, r.Removed = moment(micros(p.now)), time.Time{}
	}
	p.added = r.Stored - before.Stored
	if before == r && !changed && !isNew {
		return errUnchanged
	}
	return r.store(ctx, tx)
}

// erased reports whether the pod, its owner or its job was erased.
func (p *put) erased(ctx context.Context, tx *sqldb.Tx) (bool, error) {
	if some, err := model.FenceErasing(ctx, tx); err != nil || !some {
		return false, err
	}
	found, err := model.ErasedAmong(ctx, tx, p.log.ClusterUID, []string{p.log.PodUID, p.log.OwnerUID, p.log.JobUID})
	return len(found) > 0, err
}

// add adds the entries to the text of a row, and reports whether the text has changed.
func (p *put) add(ctx context.Context, tx *sqldb.Tx, r *row) (changed bool, err error) {
	entries, below := r.floor.above(p.entries)
	r.LostLines = max(r.LostLines, int(below))
	if len(entries) == 0 {
		return false, nil
	}
	t, err := readText(ctx, tx, r.ID)
	if err != nil {
		return false, err
	}
	from, stored, err := t.window(ctx, entries[0].at)
	if err != nil {
		return false, err
	}
	merged := merge(stored, entries)
	if len(stored) > 0 && len(merged) > 0 {
		merged = append([]entry(nil), merged...)
		p.redact.entries(merged)
		shorten(merged)
	}
	t.replace(from, merged, p.room)
	if len(t.added)+len(t.removed) == 0 {
		return false, nil
	}
	f, removed, err := t.trim(ctx, int64(p.limits.Lines), p.limits.PerLog, r.floor)
	if err != nil {
		return false, err
	}
	if removed > 0 {
		r.floor, r.LostLines = f, r.LostLines+int(removed)
		if !r.shortened() {
			r.limited = fmt.Sprintf("only the last %d lines and %s are kept", p.limits.Lines, sizeText(p.limits.PerLog))
		}
	}
	return true, r.write(ctx, t)
}

// write writes a text, and the columns that describe it.
func (r *row) write(ctx context.Context, t *text) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	lines, bytes, stored := t.size()
	r.Lines, r.Bytes, r.Stored, r.FirstLine = int(lines), int(bytes), stored, time.Time{}
	if n := len(t.chunks); n > 0 {
		r.FirstLine = moment(t.chunks[0].first)
		if last := moment(t.chunks[n-1].last); last.After(r.LastLine) {
			r.LastLine = last
		}
	}
	return nil
}

// join merges a caller's facts into the stored facts about a log. The order of the callers
// does not matter, unless they contradict each other.
func join(stored, l *Log) {
	for _, pair := range [][2]*string{
		{&stored.Namespace, &l.Namespace},
		{&stored.Pod, &l.Pod},
		{&stored.OwnerUID, &l.OwnerUID},
		{&stored.OwnerKind, &l.OwnerKind},
		{&stored.OwnerName, &l.OwnerName},
		{&stored.JobUID, &l.JobUID},
		{&stored.JobKind, &l.JobKind},
		{&stored.JobName, &l.JobName},
		{&stored.Node, &l.Node},
	} {
		*pair[0] = cmp.Or(*pair[1], *pair[0])
	}
	// The limit of a job needs a UID. A caller that knows the job replaces the pod's UID.
	if stored.JobUID == "" || stored.JobUID == stored.PodUID {
		stored.JobUID = cmp.Or(stored.OwnerUID, stored.PodUID)
	}
	if stored.Started.IsZero() || !l.Started.IsZero() && l.Started.Before(stored.Started) {
		stored.Started = l.Started
	}
	if !l.Ended.IsZero() {
		stored.Ended, stored.ExitCode, stored.Reason = l.Ended, l.ExitCode, l.Reason
	}
	switch {
	case l.Complete && !stored.Complete:
		stored.Complete, stored.Lost = true, l.Lost
	case l.Complete == stored.Complete && l.Lost != "":
		stored.Lost = l.Lost
	}
}

// sizeText returns "1 MiB".
func sizeText(n int64) string {
	unit := 0
	for n >= 1024 && n%1024 == 0 && unit < 3 {
		n, unit = n/1024, unit+1
	}
	return fmt.Sprintf("%d %s", n, [...]string{"bytes", "KiB", "MiB", "GiB"}[unit])
}

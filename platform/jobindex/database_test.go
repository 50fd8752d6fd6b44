package jobindex_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/platform/world/modeltest"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// recorded is a database to which a test writes like a recorder.
type recorded struct {
	*modeltest.Database
	drawing
	ctx     context.Context
	version wire.Version
}

// body draws the body of a job.
func (r *recorded) body(uid string) string {
	labels := ""
	if r.n("queue", 0, 2) == 0 {
		labels = `,"labels":{"kueue.x-k8s.io/queue-name":"gpu"}`
	}
	return fmt.Sprintf(`{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"job-%s"%s},"spec":{"template":{"spec":{"priorityClassName":%q,"containers":[{"resources":{"limits":{"nvidia.com/gpu":"%d"}}}]}}},"status":{"failed":%d}}`,
		uid, labels, r.one("priority", "", "high"), r.n("gpus", 0, 8), r.n("failed", 0, 3))
}

// write writes revisions of some jobs.
func (r *recorded) write() {
	states := []job.State{job.Submitted, job.Queued, job.Starting, job.Running, job.Restarting, job.Succeeded, job.Failed, job.Aborted, "", job.Deleted}
	var all []modeltest.Revision
	for range r.n("revisions", 1, 12) {
		uid := fmt.Sprint(r.n("job", 0, 9))
		r.version += wire.Version(r.n("later", 1, 500))
		all = append(all, modeltest.Revision{UID: uid, Version: r.version, State: rapid.SampledFrom(states).Draw(r.T, "state"), Body: r.body(uid)})
	}
	if err := r.Database.Write(r.ctx, all); err != nil {
		r.Fatal(err)
	}
	r.Exec("UPDATE objects SET seen_at = (SELECT MIN(v.seen_at) FROM revisions v WHERE v.object_id = objects.id) - 60000000 WHERE seen_at = 0")
}

// transact runs statements in one transaction, which leaves entries of the feed.
func (r *recorded) transact(entries []model.FeedEntry, statements ...string) {
	err := r.Transact(r.ctx, func(tx *sqldb.Tx) error {
		for _, s := range statements {
			if _, err := tx.Exec(r.ctx, s); err != nil {
				return err
			}
		}
		return model.InsertOutbox(r.ctx, tx, entries)
	})
	if err != nil {
		r.Fatal(err)
	}
}

// number returns a number that a query selects, or 0.
func (r *recorded) number(query string) (n int64) {
	for _, row := range r.Rows(query) {
		fmt.Sscan(row, &n)
	}
	return n
}

// correct changes the history of a job like backfills: with a late transition, or by
// correcting or withdrawing one.
func (r *recorded) correct() {
	object := r.number("SELECT MAX(id) FROM objects WHERE version > 1")
	if object == 0 {
		return
	}
	object -= int64(r.n("object", 0, 5))
	since := fmt.Sprintf("UPDATE objects SET since = COALESCE((SELECT t.happened_at FROM transitions t WHERE t.object_id = %d ORDER BY t.version DESC LIMIT 1), since) WHERE id = %d", object, object)
	switch first := r.number(fmt.Sprintf("SELECT MIN(version) FROM transitions WHERE object_id = %d", object)); {
	case first == 0:
	case r.n("kind", 0, 2) == 0: // late
		entry := model.FeedEntry{RevisionID: model.RevisionID{Object: object, Version: wire.Version(first - 1)}, Kind: model.FeedLate}
		r.transact([]model.FeedEntry{entry}, fmt.Sprintf("INSERT INTO transitions (object_id, version, from_state, to_state, from_raw_state, to_raw_state, reason, message, happened_at, seen_at, source)"+
			" SELECT object_id, version - 1, '', 'Queued', '', '', '', '', happened_at - 60000000, seen_at, 4 FROM transitions WHERE object_id = %d AND version = %d", object, first))
	default: // withdraw a transition, or change the time of any but the first
		entry := model.FeedEntry{RevisionID: model.RevisionID{Object: object, Version: wire.Version(first)}, Kind: model.FeedWithdrawn}
		statement := fmt.Sprintf("DELETE FROM transitions WHERE object_id = %d AND version = %d", object, first)
		if r.n("corrected", 0, 1) == 0 {
			entry.Kind = model.FeedCorrected
			statement = fmt.Sprintf("UPDATE transitions SET happened_at = happened_at - 1000000, reason = 'Corrected' WHERE object_id = %d AND version = %d", object, first)
		}
		r.transact([]model.FeedEntry{entry}, statement, since)
	}
}

// beside makes changes without a transition.
func (r *recorded) beside() {
	object := r.number("SELECT MAX(id) FROM objects") - int64(r.n("object", 0, 5))
	switch r.n("kind", 0, 3) {
	case 0: // retention removes a job
		for _, table := range []string{"transitions", "revisions", "labels"} {
			r.Exec(fmt.Sprintf("DELETE FROM %s WHERE object_id = %d", table, object))
		}
		r.Exec(fmt.Sprintf("DELETE FROM objects WHERE id = %d", object))
	case 1: // the object cannot be seen
		r.Exec(fmt.Sprintf("UPDATE objects SET presence = 2 WHERE id = %d AND presence = 0", object))
	case 2: // a revision changes labels, the submitter and the reason, but not the state
		r.Exec(fmt.Sprintf("DELETE FROM labels WHERE object_id = %d", object))
		if r.number(fmt.Sprintf("SELECT COUNT(*) FROM objects WHERE id = %d", object)) == 1 {
			r.Exec(fmt.Sprintf("INSERT INTO labels (object_id, name, value) VALUES (%d, 'team', '%s')", object, r.one("team", "x", "y")))
			r.Exec(fmt.Sprintf("UPDATE objects SET version = version + 1, submitter = 'ann', reason = 'Other' WHERE id = %d", object))
			r.version += 2
		}
	default: // it becomes a part of another job
		r.Exec(fmt.Sprintf("UPDATE objects SET owner_kind = 'JobSet', owner_uid = 'x', owner_name = 'x', version = version + 1 WHERE id = %d", object))
		r.version += 2
	}
}

// compare compares all rows with package history. Unless all is set, rows may lack
// revisions without transitions.
func (r *recorded) compare(x *jobindex.Index, h *history.History, all bool) {
	at := modeltest.Seen(r.version + 1000)
	listed := map[int64]history.Job{}
	versions := map[int64]wire.Version{}
	for _, row := range r.Rows("SELECT id, version FROM objects WHERE version > 0 AND owner_kind <> 'JobSet'") {
		var id int64
		var version wire.Version
		fmt.Sscan(row, &id, &version)
		versions[id] = version
		j, err := h.Job(r.ctx, id, at)
		if err != nil {
			r.Fatal(err)
		}
		listed[id] = j
	}
	err := x.ViewAt(at, func(v *jobindex.View) error {
		v.Each(jobindex.Query{}, func(row *jobindex.Row) bool {
			want, ok := listed[row.ID]
			if !ok {
				r.Fatalf("job %d is in the index only: %+v", row.ID, row)
			}
			delete(listed, row.ID)
			if got, want := textOf(row, at), textOfJob(&want); got != want && (all || versions[row.ID] == row.Version) {
				r.Fatalf("job %d\n  index %s\nhistory %s", row.ID, got, want)
			}
			return true
		})
		return nil
	})
	if err != nil {
		r.Fatal(err)
	}
	if len(listed) > 0 {
		r.Fatalf("jobs that the index lacks: %+v", listed)
	}
}

// textOf formats the common fields of a row and a job of package history.
func textOf(r *jobindex.Row, at interface{ UnixMicro() int64 }) string {
	var text strings.Builder
	text.WriteString(fmt.Sprint(r.ID, r.Cluster, r.ClusterUID, r.Type, r.Kind, r.Namespace, r.Name, r.UID, "|", r.State, r.Reason, r.Queue, r.Owner, "|", r.Since.UnixMicro(), r.Submitted.UnixMicro(),
		r.Ended.UnixMicro(), r.Deleted.UnixMicro(), r.Presence, r.Waited.Seconds(), r.Ran.Seconds(), r.Tries, r.GPUs, r.Pods, "|"))
	for _, s := range r.Life {
		to := s.To.UnixMicro()
		if s.To.IsZero() {
			to = at.UnixMicro()
		}
		text.WriteString(fmt.Sprint(s.State, s.From.UnixMicro(), to, s.Gap))
	}
	return text.String()
}

func textOfJob(j *history.Job) string {
	if !j.Asks {
		j.GPUs, j.Pods = -1, -1
	}
	var text strings.Builder
	text.WriteString(fmt.Sprint(j.ID, j.Cluster, j.ClusterUID, j.Type, j.Kind, j.Namespace, j.Name, j.UID, "|", j.State, j.Reason, j.Queue, j.Submitter, "|", j.Since.UnixMicro(), j.Submitted.UnixMicro(),
		j.Ended.UnixMicro(), j.Deleted.UnixMicro(), j.Presence, j.WaitedSeconds, j.RanSeconds, j.Tries, j.GPUs, j.Pods, "|"))
	for _, s := range j.Life {
		text.WriteString(fmt.Sprint(s.State, s.From.UnixMicro(), s.To.UnixMicro(), s.Gap))
	}
	return text.String()
}

func itoa(n int64) string { return fmt.Sprint(n) }

package recordworld

import (
	"context"
	"fmt"

	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

var objectColumns = []string{
	"cluster_id", "resource_id", "namespace", "name", "uid", "owner_uid", "owner_kind", "owner_name", "queue", "submitter",
	"created_at", "seen_at", "presence", "deleted_at", "version", "state", "raw_state", "reason", "message", "since", "attributes_hash", "selector_hash", "keyframe_version", "deltas",
}

// batch holds the rows of one transaction of Fill.
type batch struct {
	objects     [][]any
	transitions []model.Transition
	revisions   []model.Revision
	labels      []model.Label
	jobs        []model.JobRow
	parts       map[int64]int64 // jobs by their pods
	undecided   []int64         // jobs with living pods
	entries     []model.IndexEntry
}

// add appends the rows of a member. The database will assign the row ID id. indexed adds
// index entries.
func (b *batch) add(m *member, id int64, indexed bool) {
	last := m.last()
	b.objects = append(b.objects, []any{
		m.Cluster, m.Resource, m.Namespace, m.name, m.uid, m.Owner.UID, m.Owner.Kind, m.Owner.Name, m.Queue, m.Submitter,
		m.created, m.created, int16(m.presence), m.deleted, int64(last.version), string(last.state), last.raw, last.reason, last.message, last.at, int64(1), int64(0), int64(last.version), int16(0),
	})
	for name, value := range m.Labels {
		b.labels = append(b.labels, model.Label{ObjectID: id, Name: name, Value: value})
	}
	if m.facts != nil {
		status := model.JobStatus{State: string(last.state), Reason: last.reason, Message: last.message, Since: last.at, EnteredAt: last.at}
		b.jobs = append(b.jobs, model.JobRow{ObjectID: id, JobStatus: status, Facts: m.facts})
	} else if b.parts[id] = m.job; !last.state.Final() {
		b.undecided = append(b.undecided, m.job)
	}
	from := ""
	for i := range m.steps {
		s := &m.steps[i]
		b.step(id, from, s, m.presence == model.Deleted && i == len(m.steps)-1)
		if from = string(s.state); indexed {
			b.index(&m.Attributes, id, s.at)
		}
	}
}

// step appends the rows of a transition.
func (b *batch) step(id int64, from string, s *step, deleted bool) {
	b.transitions = append(b.transitions, model.Transition{
		ObjectID: id, Version: s.version, From: from, To: string(s.state), FromRaw: from, ToRaw: s.raw, Reason: s.reason, Message: s.message,
		HappenedAt: s.at, SeenAt: s.at, Source: model.Watched,
	})
	if s.body != nil {
		b.revisions = append(b.revisions, model.Revision{
			ObjectID: id, Version: s.version, Deleted: deleted, Source: model.Watched, SeenAt: s.at, State: string(s.state), RawState: s.raw, Body: stored(s.body),
		})
	}
}

// index appends the index entries of a transition.
func (b *batch) index(a *model.Attributes, id, at int64) {
	for _, t := range a.Terms() {
		b.entries = append(b.entries, model.IndexEntry{Term: t, Hour: model.HourOf(at), Object: id})
	}
}

// store writes all rows.
func (b *batch) store(ctx context.Context, tx *sqldb.Tx) error {
	if len(b.objects) > 0 {
		if err := tx.Insert(ctx, "objects", objectColumns, b.objects); err != nil {
			return fmt.Errorf("table objects: %w", err)
		}
	}
	if err := model.InsertTransitions(ctx, tx, b.transitions); err != nil {
		return err
	}
	if err := model.InsertRevisions(ctx, tx, b.revisions); err != nil {
		return err
	}
	if err := model.InsertLabels(ctx, tx, b.labels); err != nil {
		return err
	}
	if err := model.InsertJobs(ctx, tx, b.jobs); err != nil {
		return err
	}
	if err := model.SetJobs(ctx, tx, b.parts, func(int64) {}); err != nil {
		return err
	}
	if _, err := jobstatus.Decide(ctx, tx, b.undecided); err != nil {
		return err
	}
	return model.InsertIndexEntries(ctx, tx, b.entries)
}

package modeltest

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/jobstatus"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Revision is a revision to write. The state Deleted means that the object was deleted.
type Revision struct {
	UID     string
	Version wire.Version
	State   job.State
	Body    string
}

// Seen returns the time at which Write records that a version was seen.
func Seen(version wire.Version) time.Time { return time.Unix(1_700_000_000+int64(version), 0) }

// write stores revisions of a scope in one transaction. It calls hold before it commits.
func write(ctx context.Context, db *sqldb.DB, scope model.Scope, e *bodies.Encoder, all []Revision, hold func() error) error {
	var b *bodies.Batch
	err := db.Transact(ctx, func(tx *sqldb.Tx) error {
		w := &writer{scope: scope, tx: tx, objects: map[string]*model.Object{}, jobs: map[int64]model.JobRow{}, queues: map[int64]string{}}
		if err := w.lock(ctx, all); err != nil {
			return err
		}
		var err error
		if b, err = e.Begin(ctx, tx, contents(all), maps.Values(w.objects)); err != nil {
			return err
		}
		for i := range all {
			w.add(b, &all[i])
		}
		if err := w.store(ctx); err != nil {
			return err
		}
		return hold()
	})
	if err == nil {
		e.Commit(b)
	}
	return err
}

func contents(all []Revision) func(yield func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for i := range all {
			if !yield([]byte(all[i].Body)) {
				return
			}
		}
	}
}

// writer holds the rows of one call of write.
type writer struct {
	scope       model.Scope
	tx          *sqldb.Tx
	objects     map[string]*model.Object
	revisions   []model.Revision
	transitions []model.Transition
	entries     []model.IndexEntry
	jobs        map[int64]model.JobRow
	queues      map[int64]string
	feed        []model.FeedEntry
}

func (w *writer) attributes() model.Attributes {
	return model.Attributes{Cluster: w.scope.Cluster, Resource: w.scope.Resource, Namespace: "ml"}
}

// lock inserts and locks the objects of revisions.
func (w *writer) lock(ctx context.Context, all []Revision) error {
	names := map[string]bool{}
	for i := range all {
		names[all[i].UID] = true
	}
	uids := slices.Sorted(maps.Keys(names))
	var objects []model.NewObject
	for _, uid := range uids {
		objects = append(objects, model.NewObject{Attributes: w.attributes(), Name: "job-" + uid, UID: uid})
	}
	if err := model.InsertObjects(ctx, w.tx, objects); err != nil {
		return err
	}
	return model.LockObjects(ctx, w.tx, w.scope.Cluster, w.scope.Resource, uids, func(o *model.Object) error {
		own := *o
		w.objects[o.UID] = &own
		return nil
	})
}

// add adds one revision to the rows.
func (w *writer) add(b *bodies.Batch, r *Revision) {
	o, seen, deleted := w.objects[r.UID], model.Micros(Seen(r.Version)), r.State == job.Deleted
	if o.Version == 0 || o.State != string(r.State) {
		w.transitions = append(w.transitions, model.Transition{ObjectID: o.ID, Version: r.Version, From: o.State, To: string(r.State), HappenedAt: seen, SeenAt: seen, Source: model.Watched})
		w.feed = append(w.feed, model.FeedEntry{RevisionID: model.RevisionID{Object: o.ID, Version: r.Version}, Kind: model.FeedNew})
		a := w.attributes()
		for _, t := range a.Terms() {
			w.entries = append(w.entries, model.IndexEntry{Term: t, Hour: model.HourOf(seen), Object: o.ID})
		}
		o.State, o.Since = string(r.State), seen
	}
	w.revisions = append(w.revisions, model.Revision{
		ObjectID: o.ID, Version: r.Version, Deleted: deleted, Source: model.Watched, SeenAt: seen, State: o.State, Body: b.Encode(o, r.Version, []byte(r.Body), model.StoredBody{}),
	})
	row := model.JobRow{ObjectID: o.ID}
	if spec := job.ParseSpec([]byte(r.Body)); spec.Object() != nil {
		facts := spec.Facts(r.State)
		row.Facts, w.queues[o.ID] = &facts, spec.Queue
	}
	w.jobs[o.ID] = row
	o.Version = r.Version
	if deleted {
		o.Presence = model.Deleted
		b.Drop(o.ID)
	}
}

// store writes all rows.
func (w *writer) store(ctx context.Context) error {
	if err := model.InsertRevisions(ctx, w.tx, w.revisions); err != nil {
		return err
	}
	if err := model.InsertTransitions(ctx, w.tx, w.transitions); err != nil {
		return err
	}
	var updates []model.ObjectUpdate
	for _, o := range w.objects {
		u := model.ObjectUpdate{ID: o.ID, Version: o.Version, Base: o.Base, Depth: o.Depth}
		u.Presence, u.State, u.Since = o.Presence, o.State, o.Since
		if o.Presence == model.Deleted {
			u.DeletedAt = o.Since
		}
		updates = append(updates, u)
	}
	slices.SortFunc(updates, func(x, y model.ObjectUpdate) int { return int(x.ID - y.ID) })
	if err := model.UpdateObjects(ctx, w.tx, updates, nil); err != nil {
		return err
	}
	if err := model.InsertIndexEntries(ctx, w.tx, w.entries); err != nil {
		return err
	}
	var attributes []model.AttributeUpdate
	for _, id := range slices.Sorted(maps.Keys(w.queues)) {
		attributes = append(attributes, model.AttributeUpdate{ID: id, Queue: w.queues[id]})
	}
	if err := model.UpdateAttributes(ctx, w.tx, attributes); err != nil {
		return err
	}
	if err := model.DeleteJobs(ctx, w.tx, slices.Sorted(maps.Keys(w.jobs))); err != nil {
		return err
	}
	if err := model.InsertJobs(ctx, w.tx, slices.SortedFunc(maps.Values(w.jobs), func(x, y model.JobRow) int { return int(x.ObjectID - y.ObjectID) })); err != nil {
		return err
	}
	if _, err := jobstatus.Decide(ctx, w.tx, slices.Sorted(maps.Keys(w.jobs))); err != nil {
		return err
	}
	return model.InsertOutbox(ctx, w.tx, w.feed)
}

package batch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// lockedObject is an object of a batch while the transaction holds the lock on its row.
type lockedObject struct {
	model.Object
	before   model.Object        // state before the batch
	inserted *model.ObjectUpdate // columns of the row if this batch has inserted it, or nil
	fresh    bool                // this transaction has inserted the row, so nothing else refers to it

	first   *observe.Observation // first appended revision of the batch, or nil
	last    *observe.Observation // last appended revision of the batch, or nil
	body    *observe.Observation // last appended one with a body, or nil
	facts   *observe.Observation // last appended one with facts of a job, or nil
	changed bool                 // an appended revision changes the state
	hours   []int64              // hours of the appended transitions
	reindex bool                 // all transitions need new index entries
	late    bool                 // a late revision may have changed the row
}

// seenIn records that a target with the selectors of s saw the object.
func (o *lockedObject) seenIn(s model.Scope) { o.Selectors = s.Selectors }

// advance makes a revision the last one of the object, and reports whether it is a
// transition. It does not change Base and Depth.
func (o *lockedObject) advance(to *observe.Observation) (transition bool) {
	if to.Invalid != nil && !to.Deleted { // the state is unknown: assume that it is unchanged
		to.Status.State, to.Status.Raw = job.State(o.State), o.RawState
	}
	next, raw := string(to.Status.State), to.RawState()
	if transition = o.Version == 0 || next != o.State || raw != o.RawState; transition {
		o.changed, o.Since = true, to.HappenedAt(o.Since)
	}
	if o.first == nil {
		o.first = to
	}
	o.Version, o.State, o.RawState, o.last = to.Version, next, raw, to
	o.Reason, o.Message = to.Reason(), to.Message()
	if to.Body != nil { // an inferred deletion has no attributes
		o.body = to
	}
	if to.Facts != nil {
		o.facts = to
	}
	if o.Presence = model.Present; to.Deleted {
		o.Presence = model.Deleted
	}
	return transition
}

// row returns the columns of the object at its last revision.
func (o *lockedObject) row(s model.Scope) model.ObjectUpdate {
	r := model.ObjectUpdate{
		ID: o.ID, Version: o.Version, Reason: o.Reason, Message: o.Message, AttributesHash: o.AttributesHash, Selectors: o.Selectors, Base: o.Base, Depth: o.Depth,
		ObjectStateColumns: model.ObjectStateColumns{Presence: o.Presence, State: o.State, RawState: o.RawState, Since: o.Since},
	}
	if o.body != nil {
		r.AttributesHash = o.attributesHash(s)
	}
	if o.last.Deleted {
		r.DeletedAt = model.Micros(o.last.Seen)
	}
	return r
}

// attributesHash returns the hash of the terms of the object and of the facts of a job. A
// different hash shows that one of them has changed.
func (o *lockedObject) attributesHash(s model.Scope) int64 {
	h := model.HashTerms(o.body.Terms(s))
	if o.facts != nil {
		h = model.HashFacts(h, *o.facts.Facts)
	}
	return h
}

// status returns the status of the object at its last revision, as a job without pods has it.
func (o *lockedObject) status() model.JobStatus {
	return model.JobStatus{State: o.State, Reason: o.Reason, Message: o.Message, Since: o.Since, EnteredAt: o.Since}
}

// settled reports whether the batch leaves the status of the job that the object is or belongs to.
// A new job has its own status in its row, and Link finds the jobs of new pods.
func (o *lockedObject) settled() bool {
	same := o.status() == (&lockedObject{Object: o.before}).status() && o.Presence == o.before.Presence
	return !o.late && (same || o.before.Version == 0)
}

// samePlace reports whether the batch leaves the place of a pod among those of its job: its class,
// and its problem if it has one.
func (o *lockedObject) samePlace() bool {
	before := job.Status{State: job.State(o.before.State), Reason: o.before.Reason}
	now := job.Status{State: job.State(o.State), Reason: o.Reason}
	return !o.late && o.Presence == o.before.Presence && now.PodClass() == before.PodClass() && !now.PodClass().Problem()
}

// addHour records the hour of a transition.
func (o *lockedObject) addHour(h int64) {
	if !slices.Contains(o.hours, h) {
		o.hours = append(o.hours, h)
	}
}

// kindOf returns the kind of a changed transition in the feed. It is new if its version is
// later than all revisions before the batch; otherwise it is stored.
func (o *lockedObject) kindOf(version wire.Version, stored model.FeedKind) model.FeedKind {
	if version > o.before.Version {
		return model.FeedNew
	}
	return stored
}

// lockedObjects are the objects of a batch by UID.
type lockedObjects map[string]*lockedObject

// lockObjects locks the rows of the objects of a batch, and inserts missing rows. All
// recorders insert and lock in the order of UIDs. Two of them can only deadlock if they
// disagree about which objects are new; the database then rolls one transaction back.
func lockObjects(ctx context.Context, tx *sqldb.Tx, s model.Scope, all []observe.Observation) (lockedObjects, error) {
	firsts := map[string]*observe.Observation{}
	for i := range all {
		if firsts[all[i].UID] == nil {
			firsts[all[i].UID] = &all[i]
		}
	}
	uids := slices.Sorted(maps.Keys(firsts))
	locked := make(lockedObjects, len(uids))
	if err := locked.insertFirsts(ctx, tx, s, uids, firsts); err != nil {
		return nil, err
	}
	done := func(uid string) bool { return locked[uid] != nil }
	uids = slices.DeleteFunc(uids, done)
	if err := locked.read(ctx, tx, s, uids); err != nil {
		return nil, err
	}
	missing := slices.DeleteFunc(uids, done)
	if len(missing) == 0 {
		return locked, nil
	}
	rows := newObjects(s, missing, firsts)
	if err := model.InsertObjects(ctx, tx, rows); err != nil {
		return nil, err
	}
	if err := locked.read(ctx, tx, s, missing); err != nil {
		return nil, err
	}
	return locked, locked.mark(ctx, tx, s, rows)
}

// insertFirsts inserts the objects of which the recorder knows no earlier revision, without
// looking for them first. It leaves those that exist to the caller, and all of them if the
// database does not return inserted rows.
func (l lockedObjects) insertFirsts(ctx context.Context, tx *sqldb.Tx, s model.Scope, uids []string, firsts map[string]*observe.Observation) error {
	uids = slices.DeleteFunc(slices.Clone(uids), func(uid string) bool { return !firsts[uid].First })
	if len(uids) == 0 {
		return nil
	}
	rows := newObjects(s, uids, firsts)
	err := model.InsertObjectsReturning(ctx, tx, rows, func(id int64, uid string) {
		if i, found := slices.BinarySearch(uids, uid); found {
			l.add(id, s, &rows[i])
			l[uid].fresh = true
		}
	})
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}

// add adds an object whose row this batch has inserted.
func (l lockedObjects) add(id int64, s model.Scope, row *model.NewObject) {
	o := unwritten(id, row.UID, s)
	row.ID = id
	l[row.UID] = &lockedObject{Object: o, before: o, inserted: &row.ObjectUpdate}
}

// newObjects returns the rows of new objects at their first revisions.
func newObjects(s model.Scope, uids []string, firsts map[string]*observe.Observation) []model.NewObject {
	rows := make([]model.NewObject, len(uids))
	for i, uid := range uids {
		rows[i] = newObject(s, firsts[uid])
	}
	return rows
}

// newObject returns the row of a new object at its first revision. Most new objects have
// one revision in their batch, and need no update of the row.
func newObject(s model.Scope, first *observe.Observation) model.NewObject {
	o := lockedObject{Object: unwritten(0, first.UID, s)}
	n := model.NewObject{Attributes: first.Attributes(s), Name: first.Name, UID: first.UID, CreatedAt: model.Micros(first.Created), SeenAt: model.Micros(first.Seen)}
	if first.Version == 0 { // it is not newer than an object without a revision
		n.Presence, n.Selectors = o.Presence, o.Selectors
		return n
	}
	o.advance(first)
	if first.Body != nil {
		o.Base = first.Version // the first body is a keyframe
	}
	n.ObjectUpdate = o.row(s)
	return n
}

// unwritten returns an object that has no revision.
func unwritten(id int64, uid string, s model.Scope) model.Object {
	return model.Object{ID: id, UID: uid, Presence: model.Present, Selectors: s.Selectors}
}

// mark distinguishes the rows that this batch has inserted from those that another recorder
// has inserted in the meantime: only these have revisions.
func (l lockedObjects) mark(ctx context.Context, tx *sqldb.Tx, s model.Scope, rows []model.NewObject) error {
	ids := make([]int64, len(rows))
	for i := range rows {
		o := l[rows[i].UID]
		if o == nil { // another recorder had inserted it, and retention has deleted it since
			return fmt.Errorf("the object with the UID %s vanished from the database while it was inserted; the batch is written again", rows[i].UID)
		}
		ids[i] = o.ID
	}
	written, err := model.WithRevisions(ctx, tx, ids)
	if err != nil {
		return err
	}
	for i := range rows {
		if !written[ids[i]] {
			l.add(ids[i], s, &rows[i])
		}
	}
	return nil
}

// read locks and reads the existing rows.
func (l lockedObjects) read(ctx context.Context, tx *sqldb.Tx, s model.Scope, uids []string) error {
	return model.LockObjects(ctx, tx, s.Cluster, s.Resource, uids, func(o *model.Object) error {
		l[o.UID] = &lockedObject{Object: *o, before: *o}
		return nil
	})
}

// rows returns the rows of the objects, in any order.
func (l lockedObjects) rows() iter.Seq[*model.Object] {
	return func(yield func(*model.Object) bool) {
		for _, obj := range l {
			if !yield(&obj.Object) {
				return
			}
		}
	}
}

// sorted returns the objects in the order of their row IDs.
func (l lockedObjects) sorted() []*lockedObject {
	return slices.SortedFunc(maps.Values(l), func(x, y *lockedObject) int { return cmp.Compare(x.ID, y.ID) })
}

package batch

import (
	"cmp"
	"context"
	"iter"
	"maps"
	"slices"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/internal/observe"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// lockedObject is an object of a batch while the transaction holds the lock on its row.
type lockedObject struct {
	model.Object
	before model.Object // state before the batch

	first   *observe.Observation // first appended revision of the batch, or nil
	last    *observe.Observation // last appended revision of the batch, or nil
	changed bool                 // an appended revision changes the state
	hours   []int64              // hours of the appended transitions
	reindex bool                 // all transitions need new index entries
}

// seenIn records that a target with the selectors of s saw the object.
func (o *lockedObject) seenIn(s model.Scope) { o.Selectors = s.Selectors }

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
// recorders lock in the order of UIDs, which prevents deadlocks.
func lockObjects(ctx context.Context, tx *sqldb.Tx, s model.Scope, all []observe.Observation) (lockedObjects, error) {
	firsts := map[string]*observe.Observation{}
	for i := range all {
		if firsts[all[i].UID] == nil {
			firsts[all[i].UID] = &all[i]
		}
	}
	uids := slices.Sorted(maps.Keys(firsts))
	locked := make(lockedObjects, len(uids))
	if err := locked.read(ctx, tx, s, uids); err != nil {
		return nil, err
	}
	var missing []model.NewObject
	for _, uid := range uids {
		if locked[uid] == nil {
			o := firsts[uid]
			missing = append(missing, model.NewObject{
				Attributes: o.Attributes(s), Name: o.Name, UID: uid, CreatedAt: model.Micros(o.Created), SeenAt: model.Micros(o.Seen), Selectors: s.Selectors,
			})
		}
	}
	if len(missing) == 0 {
		return locked, nil
	}
	if err := model.InsertObjects(ctx, tx, missing); err != nil {
		return nil, err
	}
	return locked, locked.read(ctx, tx, s, uids)
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

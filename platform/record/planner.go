package record

import (
	"cmp"
	"context"
	"math"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/wire"
)

// planner turns batches into plans. It reads the tracker and never changes it.
type planner struct {
	*tracker
	projection *observe.Projection
	deleted    deletionCheck // nil: every object that is no longer reported is deleted
}

// plan plans a batch.
//
// Errors: the server did not answer whether an object is deleted.
func (pl *planner) plan(ctx context.Context, items []item) (*plan, error) {
	p := newPlan(pl.tracker)
	for i := range items {
		it := &items[i]
		var err error
		switch it.Kind {
		case delta.Begin:
			p.begin(it.Version)
		case delta.Upsert:
			pl.upsertObject(p, it)
		case delta.Delete:
			p.replace(it.Record.UID, math.MaxInt64)
			err = pl.deleteObject(ctx, p, it)
			p.reach(it.Version)
		case delta.Keep:
			pl.keepObject(p, &it.Delta)
		case delta.Bookmark:
			p.reach(it.Version)
		case delta.End:
			err = pl.endList(ctx, p, &it.Delta)
		case delta.Abandon:
			p.abandon()
		case delta.Leave:
		}
		if err != nil {
			return nil, err
		}
	}
	return p, nil
}

// upsertObject plans a revision of an existing object.
func (pl *planner) upsertObject(p *plan, it *item) {
	key, source := it.Record.Key, model.Watched
	p.replace(it.Record.UID, it.Record.Version)
	if p.listing {
		p.listed[key] = true
		if source = model.Listed; pl.covered {
			source = model.Relisted
		}
	} else {
		p.reach(it.Version)
	}
	before, exists := p.find(pl.tracker, key)
	older := exists && before.version >= it.Record.Version
	if older && it.Order == delta.ByArrival {
		p.addUnordered(&it.Delta, before)
		return
	}
	if older && p.listing && before.uid == it.Record.UID {
		pl.compareContent(p, it, before)
		return
	}
	o, err := it.observation(pl.projection, source)
	if err != nil {
		p.addInvalid(it.Version, err)
		return
	}
	if older && !p.listing { // a watch that fills a gap repeats stored revisions
		p.add(o)
		return
	}
	if exists && before.uid != it.Record.UID { // a new object of the same name: its deletion was missed
		p.observations = append(p.observations, observe.MissedDeletion(key, before.uid, before.version, it.Record.Version-1, it.Seen, source))
	}
	o.First = !exists || before.uid != it.Record.UID
	p.add(o)
	p.objects[key] = tracked{it.Record.UID, it.Record.Version, contentOfObservation(&o)}
}

// compareContent compares the content of an object in a list with the content that is known
// for its version. UID and version name what the server stores, and not what it shows: a new
// default in a schema, for example, changes the content alone.
func (pl *planner) compareContent(p *plan, it *item, before tracked) {
	if it.Record.Version < before.version && before.content&reshown == 0 {
		return // an older revision
	}
	var now content
	err := pl.projection.WithBody(&it.Record, func(body []byte) { now = contentOf(bodies.HashOf(body)) })
	if err != nil || before.content.same(now) {
		return
	}
	o, err := it.observation(pl.projection, model.Reshown)
	if err != nil {
		return
	}
	if known, ok := p.reshow(o, before); ok {
		p.objects[it.Record.Key] = known
	}
}

// deleteObject plans a deletion, or the exit of an object from the selection.
func (pl *planner) deleteObject(ctx context.Context, p *plan, it *item) error {
	key := it.Record.Key
	before, exists := p.find(pl.tracker, key)
	uid := it.Record.UID
	if uid == "" && it.Err != nil {
		uid = before.uid
	}
	if uid == "" {
		p.addInvalid(cmp.Or(it.Version, p.reached), it.Err)
		return nil
	}
	deleted, err := pl.isDeleted(ctx, key, uid)
	if err != nil {
		return err
	}
	same := exists && before.uid == uid
	if same {
		p.objects[key] = tracked{}
	}
	if !deleted {
		p.unselected = append(p.unselected, uid)
		return nil
	}
	o, err := observe.Observation{}, it.Err
	if err == nil {
		o, err = it.observation(pl.projection, model.Watched)
	}
	if err != nil {
		at := cmp.Or(it.Version, p.reached, before.version)
		p.addInvalid(at, err)
		o = observe.MissedDeletion(key, uid, at, at, it.Seen, model.Inferred)
	}
	switch { // a deletion is the last revision, whatever its version
	case same && it.Order == delta.ByArrival:
		o.Version = max(o.Version, before.version+1)
	case same && o.Version == before.version: // some servers send the version of the last revision
		o.Version = max(before.version, p.reached) + 1
	}
	p.add(o)
	return nil
}

// keepObject handles an object that exists and is unusable. Its last recorded state stays,
// unless that state belongs to an earlier object of the same name.
func (pl *planner) keepObject(p *plan, d *delta.Delta) {
	p.addInvalid(cmp.Or(d.Version, p.reached), d.Err)
	key, source := d.Record.Key, model.Watched
	if p.listing {
		p.listed[key] = true
		source = model.Relisted
	} else {
		p.reach(d.Version)
	}
	before, exists := p.find(pl.tracker, key)
	if exists && d.Record.UID != "" && before.uid != d.Record.UID && (d.Version == 0 || d.Version > before.version) {
		p.observations = append(p.observations, observe.MissedDeletion(key, before.uid, before.version, before.version, d.Seen, source))
		p.objects[key] = tracked{}
	}
}

// endList completes a list. Objects that the list lacks are deleted, or have left the
// selection.
func (pl *planner) endList(ctx context.Context, p *plan, d *delta.Delta) error {
	if !p.listing {
		return nil
	}
	for key, one := range pl.objects {
		if !p.missing(pl.tracker, key) {
			continue
		}
		deleted, err := pl.isDeleted(ctx, key, one.uid)
		if err != nil {
			return err
		}
		p.replace(one.uid, math.MaxInt64)
		if deleted {
			p.observations = append(p.observations, observe.MissedDeletion(key, one.uid, one.version, d.Version, d.Seen, model.Relisted))
		} else {
			p.unselected = append(p.unselected, one.uid)
		}
		p.objects[key] = tracked{}
	}
	p.end(d.Version)
	return nil
}

func (pl *planner) isDeleted(ctx context.Context, key wire.Key, uid string) (bool, error) {
	if pl.deleted == nil {
		return true, nil
	}
	return pl.deleted(ctx, key, uid)
}

package record

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/wire"
)

// plan holds the changes of a batch: the rows for the transaction, and the updates for the
// tracker after the commit. Making a plan has no side effects, so a batch can be planned
// again.
type plan struct {
	observations []observe.Observation
	objects      map[wire.Key]tracked // updates of tracker.objects
	unselected   []string             // UIDs of objects that left the selection
	gaps         []model.Gap
	unordered    int          // number of revisions that share the gap with the cause unordered
	reached      wire.Version // highest version of events and bookmarks
	lists        []listRange
	complete     wire.Version // version of the last complete list; 0: none
	base         wire.Version // base of the versions
	held         []heldRevision

	listing   bool              // a list is incomplete at the end of the batch
	restarted bool              // that list began in this batch
	listed    map[wire.Key]bool // keys of that list so far
}

// listRange is a list within a batch. before is the version that the watch had reached, and
// version is that of the list; version is 0 while the list is incomplete.
type listRange struct{ before, version wire.Version }

// newPlan returns an empty plan that is based on a tracker.
func newPlan(t *tracker) *plan {
	return &plan{objects: map[wire.Key]tracked{}, reached: t.reached, held: t.held, base: t.base, listing: t.listed != nil, listed: map[wire.Key]bool{}}
}

// find returns the last known version of an object, after the changes of the plan.
func (p *plan) find(t *tracker, key wire.Key) (tracked, bool) {
	if one, ok := p.objects[key]; ok {
		return one, one.uid != ""
	}
	one, ok := t.objects[key]
	return one, ok
}

// begin begins a list, or restarts an incomplete one. base is the base of its versions.
func (p *plan) begin(base wire.Version) {
	p.base = base
	if !p.listing {
		p.lists = append(p.lists, listRange{before: p.reached})
	}
	p.listing, p.restarted, p.listed = true, true, map[wire.Key]bool{}
}

// reshow adds a revision with other content at a version that is stored. It belongs after the
// last revision with that version, and before the next one of the object, so it gets the version
// that the watch had reached before the list. If the last revision has that version itself, the new
// revision waits for a later version, of the list or of the watch. reshow returns the state of the
// object for the tracker, or false if too many revisions wait.
func (p *plan) reshow(o observe.Observation, before tracked) (tracked, bool) {
	now := tracked{o.UID, before.version, contentOfObservation(&o) | before.content&reshown}
	after := o.Version
	if before.content&reshown != 0 {
		after = max(after, before.version)
	}
	switch {
	case p.reached > after:
		o.AsOf = p.reached
		p.add(o)
		now.version, now.content = o.AsOf, now.content|reshown
	case len(p.held) < maxHeld:
		p.release(func(h *heldRevision) bool { return h.UID == o.UID }) // it never became known
		p.held = append(slices.Clip(p.held), heldRevision{o, after})    // the tracker has the others too
	default:
		return before, false
	}
	return now, true
}

// place adds the reshown revisions that wait, if a version is later than the last ones of their
// objects.
func (p *plan) place(version wire.Version) {
	p.release(func(h *heldRevision) bool {
		if version <= h.after {
			return false
		}
		o := h.Observation
		o.AsOf = version
		p.add(o)
		p.objects[wire.Key{Namespace: o.Namespace, Name: o.Name}] = tracked{o.UID, version, contentOfObservation(&o) | reshown}
		return true
	})
}

// replace drops the reshown revision that waits of an object, because the object has a newer one
// than version.
func (p *plan) replace(uid string, version wire.Version) {
	p.release(func(h *heldRevision) bool { return h.UID == uid && h.Version < version })
}

// release forgets the reshown revisions for which done returns true. The tracker keeps its slice.
func (p *plan) release(done func(*heldRevision) bool) {
	var left []heldRevision
	for i := range p.held {
		if !done(&p.held[i]) {
			left = append(left, p.held[i])
		}
	}
	p.held = left
}

// end completes a list.
func (p *plan) end(version wire.Version) {
	p.place(version)
	p.listing = false
	if n := len(p.lists); n > 0 && p.lists[n-1].version == 0 {
		p.lists[n-1].version = version
	} else { // the list began in an earlier batch
		p.lists = append(p.lists, listRange{version: version})
	}
	p.complete, p.reached = version, version
}

// abandon ends an incomplete list without an effect. Revisions that it has brought stay: they
// are states of the objects, and the watch that follows repeats them.
func (p *plan) abandon() {
	if n := len(p.lists); n > 0 && p.lists[n-1].version == 0 {
		p.lists = p.lists[:n-1]
	}
	p.listing, p.restarted, p.listed = false, true, map[wire.Key]bool{}
}

// missing reports whether a complete list lacks an object that the tracker has and that the
// batch did not delete earlier. If the list began in an earlier batch, the tracker has its
// first keys, and the plan has the keys of this batch. If it began or restarted in this
// batch, the plan has all keys, and the keys in the tracker belong to an abandoned list.
func (p *plan) missing(t *tracker, key wire.Key) bool {
	if one, changed := p.objects[key]; changed && one.uid == "" {
		return false
	}
	listed := p.listed[key] || !p.restarted && t.listed[key]
	return !listed
}

// reach records that an event or a bookmark reached a version.
func (p *plan) reach(version wire.Version) {
	p.reached = max(p.reached, version)
	p.place(p.reached)
}

// add adds a revision, and a gap if its state is unknown.
func (p *plan) add(o observe.Observation) {
	p.observations = append(p.observations, o)
	if o.Invalid != nil {
		p.addInvalid(o.Version, o.Invalid)
	}
}

// addInvalid adds a gap for an unusable object or event.
func (p *plan) addInvalid(at wire.Version, err error) {
	p.gaps = append(p.gaps, momentaryGap(model.CauseInvalid, at, err.Error()))
}

// addUnordered adds a gap for a revision that arrived after another one without a newer
// version, so the database cannot order the two. One gap covers all such revisions of a
// batch. In a list, an equal version means the same revision.
func (p *plan) addUnordered(d *delta.Delta, before tracked) {
	if p.listing && before.uid == d.Record.UID && before.version == d.Record.Version {
		return
	}
	p.unordered++
	p.gaps = slices.DeleteFunc(p.gaps, func(g model.Gap) bool { return g.Cause == model.CauseUnordered })
	p.gaps = append(p.gaps, momentaryGap(model.CauseUnordered, d.Record.Version,
		fmt.Sprintf("%d revisions; the last: %s at version %v after %v", p.unordered, d.Record.Key, d.Record.Version, before.version)))
}

// momentaryGap returns a gap for one revision. It ends where it begins.
func momentaryGap(cause string, at wire.Version, detail string) model.Gap {
	now := time.Now()
	return model.Gap{Cause: cause, From: at, To: at, FromAt: now, ToAt: now, Detail: detail}
}

// extendsCoverage reports whether the batch covers any versions. A list covers nothing
// until it is complete.
func (p *plan) extendsCoverage(t *tracker) bool {
	return p.complete > 0 || !p.listing && t.listed == nil && p.reached > 0
}

// apply applies a committed plan to a tracker.
func (p *plan) apply(t *tracker, coverage model.Coverage, now time.Time) {
	for key, one := range p.objects {
		t.set(key, one)
	}
	switch {
	case !p.listing:
		t.listed = nil
	case p.restarted || t.listed == nil:
		t.listed = p.listed
	default:
		maps.Copy(t.listed, p.listed)
	}
	t.coverage, t.reached, t.held, t.base = coverage, p.reached, p.held, p.base
	if coverage.ID != 0 && (!p.listing || coverage.To > t.end) {
		t.covered, t.end, t.endAt, t.endBase = true, coverage.To, now, p.base
	}
}

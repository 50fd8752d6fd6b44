package record

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/internal/observe"
	"github.com/vedette-io/vedette/wire"
)

// plan is what a batch of deltas amounts to: what the transaction writes, and what the
// tracker remembers after the commit. Making a plan changes nothing, so a batch can be
// planned again.
type plan struct {
	observations []observe.Observation
	objects      map[wire.Key]tracked // changes of tracker.objects
	unselected   []string             // UIDs of objects that left the selection
	gaps         []model.Gap
	unordered    int          // number of revisions that the gap with cause unordered stands for
	reached      wire.Version // by events and bookmarks
	lists        []listRange
	complete     wire.Version // version of the last complete list; 0: none

	listing   bool              // a list is incomplete at the end of the batch,
	restarted bool              // and it began in this batch,
	listed    map[wire.Key]bool // with these keys
}

// listRange is a list within a batch: the version that the watch had reached before it,
// and the version of the list; 0 while the list is incomplete.
type listRange struct{ before, version wire.Version }

// newPlan returns an empty plan for a tracker.
func newPlan(t *tracker) *plan {
	return &plan{objects: map[wire.Key]tracked{}, reached: t.reached, listing: t.listed != nil, listed: map[wire.Key]bool{}}
}

// find returns what is known of an object, with the changes of the plan.
func (p *plan) find(t *tracker, key wire.Key) (tracked, bool) {
	if one, ok := p.objects[key]; ok {
		return one, one.uid != ""
	}
	one, ok := t.objects[key]
	return one, ok
}

// begin starts a list, or restarts an incomplete one.
func (p *plan) begin() {
	if !p.listing {
		p.lists = append(p.lists, listRange{before: p.reached})
	}
	p.listing, p.restarted, p.listed = true, true, map[wire.Key]bool{}
}

// end completes a list.
func (p *plan) end(version wire.Version) {
	p.listing = false
	if n := len(p.lists); n > 0 && p.lists[n-1].version == 0 {
		p.lists[n-1].version = version
	} else { // the list began in an earlier batch
		p.lists = append(p.lists, listRange{version: version})
	}
	p.complete, p.reached = version, version
}

// missing reports whether a complete list lacks an object that the tracker knows, and that
// the batch did not delete before. If the list began in an earlier batch, the tracker has
// its first keys, and the plan has those of this batch. If it began or restarted in this
// batch, the plan has them all, and keys of the tracker are of an abandoned list.
func (p *plan) missing(t *tracker, key wire.Key) bool {
	if one, changed := p.objects[key]; changed && one.uid == "" {
		return false
	}
	listed := p.listed[key] || !p.restarted && t.listed[key]
	return !listed
}

// reach records that an event or a bookmark has reached a version.
func (p *plan) reach(version wire.Version) { p.reached = max(p.reached, version) }

// add adds a revision, and a gap if its state could not be read.
func (p *plan) add(o observe.Observation) {
	p.observations = append(p.observations, o)
	if o.Invalid != nil {
		p.addInvalid(o.Version, o.Invalid)
	}
}

// addInvalid adds the gap for an unusable object or event.
func (p *plan) addInvalid(at wire.Version, err error) {
	p.gaps = append(p.gaps, momentaryGap(model.CauseInvalid, at, err.Error()))
}

// addUnordered adds the gap for a revision that came later than another one, but has no
// newer version, so that the database cannot order it. One gap stands for all such
// revisions of a batch. In a list, an equal version means the same revision.
func (p *plan) addUnordered(d *delta.Delta, before tracked) {
	if p.listing && before.uid == d.Record.UID && before.version == d.Record.Version {
		return
	}
	p.unordered++
	p.gaps = slices.DeleteFunc(p.gaps, func(g model.Gap) bool { return g.Cause == model.CauseUnordered })
	p.gaps = append(p.gaps, momentaryGap(model.CauseUnordered, d.Record.Version,
		fmt.Sprintf("%d revisions; the last: %s at version %v after %v", p.unordered, d.Record.Key, d.Record.Version, before.version)))
}

// momentaryGap returns a gap for one revision, which ends when it begins.
func momentaryGap(cause string, at wire.Version, detail string) model.Gap {
	now := time.Now()
	return model.Gap{Cause: cause, From: at, To: at, FromAt: now, ToAt: now, Detail: detail}
}

// extendsCoverage reports whether the batch covers versions. An incomplete list covers
// nothing before its end.
func (p *plan) extendsCoverage(t *tracker) bool {
	return p.complete > 0 || !p.listing && t.listed == nil && p.reached > 0
}

// apply makes a tracker remember a plan that was committed.
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
	t.coverage, t.reached = coverage, p.reached
	if coverage.ID != 0 && (!p.listing || coverage.To > t.end) {
		t.covered, t.end, t.endAt = true, coverage.To, now
	}
}

package retention

import (
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/wire"
)

// plan is what happens to the revisions of one step.
type plan struct {
	remove, strip []int64                   // row numbers
	keyframes     []model.Candidate         // decided once the differences that refer to them are gone
	bases         map[model.RevisionID]bool // keyframes that the removed differences refer to
	upTo          map[int64]wire.Version    // by object: the last version that is removed
	objects       map[int64]bool            // nothing is left of them
	due           map[model.RevisionID]bool // revisions that are removed now or later
	bytes         int64                     // of the bodies
}

// newPlan decides about revisions. In a preview keyframes count as differences: the plan then
// has what is removed in the end.
func newPlan(some []model.Candidate, objects map[int64]*object, r rule, preview bool) *plan {
	p := &plan{upTo: map[int64]wire.Version{}, objects: map[int64]bool{}, bases: map[model.RevisionID]bool{}, due: map[model.RevisionID]bool{}}
	for i := range some {
		c := &some[i]
		if o := objects[c.Object]; o != nil && c.Version == o.last && r.decide(c, o) == remove {
			p.objects[c.Object] = true
		}
	}
	for i := range some {
		c := &some[i]
		o := objects[c.Object]
		if o == nil { // another process has deleted the object
			continue
		}
		what := r.decide(c, o)
		if what == remove {
			p.upTo[c.Object] = max(p.upTo[c.Object], c.Version)
			p.due[model.RevisionID{Object: c.Object, Version: c.Version}] = true
		}
		switch {
		case what == keep, p.objects[c.Object] && !preview, c.Version == o.base && !p.objects[c.Object]:
			continue
		case c.Base == 0 && c.Bytes > 0 && !preview:
			p.keyframes = append(p.keyframes, *c)
			continue
		case c.Base > 0 && c.Base != o.base:
			p.bases[model.RevisionID{Object: c.Object, Version: c.Base}] = true
		}
		if what == remove {
			p.remove = append(p.remove, c.ID)
		} else {
			p.strip = append(p.strip, c.ID)
		}
		p.bytes += c.Bytes
	}
	return p
}

// empty reports whether nothing is to be done.
func (p *plan) empty() bool { return len(p.upTo)+len(p.strip)+len(p.keyframes) == 0 }

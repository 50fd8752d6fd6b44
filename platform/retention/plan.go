package retention

import (
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/wire"
)

// plan holds the decisions about the revisions of one step.
type plan struct {
	remove, strip []int64                   // row IDs
	keyframes     []model.Candidate         // decided after the differences from them are removed
	bases         map[model.RevisionID]bool // keyframes of the removed differences
	upTo          map[int64]wire.Version    // by object: the last removed version
	objects       map[int64]bool            // objects to remove
	due           map[model.RevisionID]bool // revisions to remove now or later
	bytes         int64                     // size of the bodies
}

// newPlan decides about revisions. In a preview it treats keyframes like differences, so
// the plan holds the final result.
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

// empty reports whether the plan removes nothing.
func (p *plan) empty() bool { return len(p.upTo)+len(p.strip)+len(p.keyframes) == 0 }

package record

import (
	"fmt"
	"slices"
	"time"

	"github.com/vedette-io/vedette/delta"
)

// disorder records that a revision is not newer than the one before it, though it came
// later: the database cannot order it. One gap stands for all such revisions of a
// batch. In a list, the same version counts as the same revision.
func (p *pending) disorder(d *delta.Delta, was known) {
	if p.listing && was.uid == d.Record.UID && was.version == d.Record.Version {
		return
	}
	p.disordered++
	now := time.Now()
	h := hole{cause: CauseUnordered, from: d.Record.Version, to: d.Record.Version, fromAt: now, toAt: now}
	h.detail = fmt.Sprintf("%d revisions; the last: %s at version %v after %v", p.disordered, d.Record.Key, d.Record.Version, was.version)
	if p.disordered > 1 {
		p.holes = slices.DeleteFunc(p.holes, func(h hole) bool { return h.cause == CauseUnordered })
	}
	p.holes = append(p.holes, h)
}

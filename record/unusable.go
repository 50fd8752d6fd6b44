package record

import (
	"cmp"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// keep notes an object that is there in a state that cannot be used. What is known of
// it stays, unless it is another object.
func (c *collection) keep(p *pending, d *delta.Delta) {
	p.holes = append(p.holes, invalid(cmp.Or(d.Version, p.reached), d.Err))
	source := Watched
	if key := d.Record.Key; p.listing {
		p.listed[key] = true
		source = Relisted
	} else {
		p.reached = max(p.reached, d.Version)
	}
	was, there := c.find(p, d.Record.Key)
	if there && d.Record.UID != "" && was.uid != d.Record.UID && (d.Version == 0 || d.Version > was.version) {
		p.sightings = append(p.sightings, missed(d.Record.Key, was, was.version, d.Seen, source))
		p.objects[d.Record.Key] = known{}
	}
}

// add notes a revision, and that its state could not be read where that is so.
func (p *pending) add(s sighting) {
	p.sightings = append(p.sightings, s)
	if s.flaw != nil {
		p.holes = append(p.holes, invalid(s.version, s.flaw))
	}
}

// invalid is the gap of an object or event that cannot be used.
func invalid(at wire.Version, err error) hole {
	now := time.Now()
	return hole{cause: CauseInvalid, from: at, to: at, fromAt: now, toAt: now, detail: err.Error()}
}

package record

import (
	"cmp"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// keep records that an object exists in an unusable state. The last known state stays,
// unless it belongs to another object.
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

// add records a revision, and also whether its state could not be read.
func (p *pending) add(s sighting) {
	p.sightings = append(p.sightings, s)
	if s.flaw != nil {
		p.holes = append(p.holes, invalid(s.version, s.flaw))
	}
}

// invalid returns the gap for an unusable object or event.
func invalid(at wire.Version, err error) hole {
	now := time.Now()
	return hole{cause: CauseInvalid, from: at, to: at, fromAt: now, toAt: now, detail: err.Error()}
}

package clientgo

import (
	"hash/maphash"

	"github.com/vedette-io/vedette/store"
)

const (
	// toldPlaces is the number of events in toldEvents: more than the turns of two handlers.
	toldPlaces = 128
	// toldBytes is the size of the largest body that toldEvents keeps the object of. The
	// objects of longer bodies are found among the recent ones, at a cost that is small
	// compared with their use.
	toldBytes = 4 << 10
)

// told is an event with its objects.
type told struct {
	change   store.Change
	old, obj any
	ok       bool // it is wanted, and could be decoded
}

// toldEvents are the last events of handlers, for the handlers that get the same events
// next. It saves them the search for both objects of each event.
type toldEvents struct {
	seed   maphash.Seed
	places [toldPlaces]told
}

func newToldEvents() *toldEvents { return &toldEvents{seed: maphash.MakeSeed()} }

// place returns the place for the objects of an event, and whether it has them.
func (e *toldEvents) place(c *store.Change) (p *told, found bool) {
	p = &e.places[maphash.Comparable(e.seed, c.Last())%toldPlaces]
	return p, p.ok && p.change.Old == c.Old && p.change.New == c.New
}

// clear drops all events, and with them the memory of the store to which they refer.
func (e *toldEvents) clear() { clear(e.places[:]) }

// keep keeps the objects of an event.
func (e *toldEvents) keep(t *told) {
	if t.ok && t.change.Last().Len() <= toldBytes {
		p, _ := e.place(&t.change)
		*p = *t
	}
}

package clientgo

import (
	"hash/maphash"

	"github.com/vedette-io/vedette/store"
)

const (
	// toldPlaces is how many events toldEvents has room for: more than the turns of two
	// handlers.
	toldPlaces = 128
	// toldBytes is the size of the largest body that toldEvents keeps the object of. The
	// objects of longer ones are found among the recent ones; to find them costs little
	// beside what is done with them.
	toldBytes = 4 << 10
)

// told is an event with its objects.
type told struct {
	change   store.Change
	old, obj any
	ok       bool // it is wanted, and could be decoded
}

// toldEvents are the events that handlers got last, for the handlers that get the same
// events next. It saves them to look for both objects of each event.
type toldEvents struct {
	seed   maphash.Seed
	places [toldPlaces]told
}

func newToldEvents() *toldEvents { return &toldEvents{seed: maphash.MakeSeed()} }

// place returns where the objects of an event are kept, and whether they are there.
func (e *toldEvents) place(c *store.Change) (p *told, found bool) {
	p = &e.places[maphash.Comparable(e.seed, c.Last())%toldPlaces]
	return p, p.ok && p.change.Old == c.Old && p.change.New == c.New
}

// clear gives up all events, and the memory of the store that they lead to.
func (e *toldEvents) clear() { clear(e.places[:]) }

// keep keeps the objects of an event.
func (e *toldEvents) keep(t *told) {
	if t.ok && t.change.Last().Len() <= toldBytes {
		p, _ := e.place(&t.change)
		*p = *t
	}
}

package reflector

import (
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// errUnnamed is the fault of a list that has an object which could be any.
var errUnnamed error = stalledError("the list has an object whose name cannot be read")

// unusable counts an object that cannot be used, and returns what is known of it
// nevertheless: that it is there, or that it is gone.
func (m *machine) unusable(err error) delta.Delta {
	m.health.Invalid++
	m.health.LastInvalid = err
	d := delta.Delta{Kind: delta.Keep, Err: err}
	var object *wire.InvalidError
	if !errors.As(err, &object) {
		return d
	}
	switch object.Event {
	case wire.Bookmark, wire.Error: // it says nothing of an object
		return d
	case wire.Deleted:
		if object.Key != (wire.Key{}) {
			d.Kind = delta.Delete
		}
	}
	d.Version = object.Version
	d.Record = wire.Record{Key: object.Key, UID: object.UID, Version: object.Version}
	return d
}

// listUnusable takes an object of a list that cannot be used. read goes on reading.
func (m *machine) listUnusable(err error, read action) (action, delta.Delta) {
	d := m.unusable(err)
	if d.Record.Key == (wire.Key{}) {
		if m.unnamed++; m.unnamed < unnamedLists {
			return m.fail(fmt.Errorf("%w: %w", errUnnamed, err)), delta.Delta{}
		}
	} else {
		m.list.item(d.Record.Key)
	}
	m.health.Listed++
	return read, d
}

// reach advances the place where a watch resumes.
func (m *machine) reach(v wire.Version) {
	m.progress()
	m.version, m.highest, m.watched = v, v, true
	m.health.Version = v
}

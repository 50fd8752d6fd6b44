package reflector

import (
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// errUnnamedObject is the fault of a list with an object that cannot be identified.
var errUnnamedObject error = stalledError("the list has an object whose name cannot be read")

// unusable counts an unusable object. It returns a delta with the facts that are known:
// the object exists, or it was deleted.
func (m *machine) unusable(err error) delta.Delta {
	m.health.Invalid++
	m.health.LastInvalid = err
	d := delta.Delta{Kind: delta.Keep, Err: err}
	var object *wire.InvalidError
	if !errors.As(err, &object) {
		return d
	}
	switch object.Event {
	case wire.Bookmark, wire.Error: // not about an object
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

// listUnusable handles an unusable object of a list. The action read continues reading.
func (m *machine) listUnusable(err error, read action) (action, delta.Delta) {
	d := m.unusable(err)
	if d.Record.Key == (wire.Key{}) {
		if m.unnamedLists++; m.unnamedLists < maxUnnamedLists {
			return m.failWith(fmt.Errorf("%w: %w", errUnnamedObject, err)), delta.Delta{}
		}
	} else {
		m.list.item(d.Record.Key)
	}
	m.health.Listed++
	return read, d
}

// reach advances the version from which a watch resumes.
func (m *machine) reach(v wire.Version) {
	m.progress()
	m.ladder.follows(true)
	m.version, m.highest, m.watched = v, v, true
	m.health.Version = v
}

// stray returns an error for an object outside the requested namespace. The answer is
// authoritative only for the requested namespace: a stray object is counted and
// dropped, because the scope of its own namespace would never correct it.
func (m *machine) stray(in *input) error {
	space := m.cfg.Scope.Namespace
	if space == "" {
		return nil
	}
	stray := wire.InvalidError{Key: wire.Key{Namespace: space}}
	var object *wire.InvalidError
	switch {
	case in.kind == inItem:
		stray.Key, stray.UID, stray.Version = in.rec.Key, in.rec.UID, in.rec.Version
	case in.kind == inEvent && in.event.Type != wire.Bookmark && in.event.Type != wire.Error:
		rec := &in.event.Record
		stray.Key, stray.UID, stray.Version, stray.Event = rec.Key, rec.UID, rec.Version, in.event.Type
	case in.kind == inInvalid && errors.As(in.err, &object) && object.Key != (wire.Key{}):
		stray = *object
	}
	if stray.Key.Namespace == space {
		return nil
	}
	stray.Reason = fmt.Sprintf("it is not in the requested namespace %q", space)
	return &stray
}

// skipStray counts a stray object, and continues reading.
func (m *machine) skipStray(err error) (action, delta.Delta) {
	m.health.Invalid++
	m.health.LastInvalid, m.lastUnusable = err, err
	return m.read(), delta.Delta{}
}

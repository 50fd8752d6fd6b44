package reflector

import (
	"context"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Orderer is what a Source may be besides: one that can find out whether the server
// orders the versions of the collection. A reflector asks when a list or a watch has
// been opened. kube.Source and kube.Collection are Orderers.
//
// Where it is known that the server orders them, an event that is older than one
// before it is a stale replay. Where it is not known, such an event proves that the
// server does not, and so does a list with an object that is newer than the list.
type Orderer interface {
	// Ordered reports whether the server orders versions, and whether that is known.
	// It may ask the server, but must return within seconds.
	Ordered(ctx context.Context) (ordered, known bool)
}

// ordering is what is known of the order of versions.
type ordering uint8

const (
	orderUnknown ordering = iota
	orderSure             // versions are ordered
	orderNone             // they are not
)

// order asks the source.
func (d *driver) order(ctx context.Context) ordering {
	o, ok := d.src.(Orderer)
	if !ok {
		return orderUnknown
	}
	switch ordered, known := o.Ordered(ctx); {
	case !known:
		return orderUnknown
	case ordered:
		return orderSure
	default:
		return orderNone
	}
}

// errUnordered is why something is listed that could be watched from a version.
var errUnordered error = stalledError("the server does not order resource versions: what a watch has missed has to be listed")

// learn notes what the source says of the order of versions. Order never goes back
// to ByVersion: what was seen is a proof.
func (m *machine) learn(o ordering) {
	switch o {
	case orderSure:
		m.ordered = true
	case orderNone:
		m.health.Order = delta.ByArrival
	}
}

// doubts takes the version of an event that is not beyond what its stream had
// reached, or of an object that is newer than its list, and reports whether it is the
// first proof that versions are not ordered.
func (m *machine) doubts() bool {
	if m.ordered || m.health.Order == delta.ByArrival {
		return false
	}
	m.health.Order = delta.ByArrival
	return true
}

// gapped reports whether a watch from the version that is known could miss something:
// where versions are not ordered the largest says nothing. Only a watch that begins
// where a list ended misses nothing.
func (m *machine) gapped() bool {
	return m.health.Order == delta.ByArrival && m.version != 0 && !m.direct
}

// listAgain lists at once, as a watch could miss something.
func (m *machine) listAgain() action {
	if m.cfg.NeverList {
		m.health.Err = errUnordered
		return action{kind: doEnd}
	}
	m.forget(NoFault)
	return m.begin()
}

// listed notes the version of an object of a list.
func (m *machine) listed(v wire.Version) { m.top = max(m.top, v) }

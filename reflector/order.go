package reflector

import (
	"context"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Orderer is an optional interface of a Source that can find out whether the server
// orders versions. A reflector asks after it has opened a list or a watch. kube.Source
// and kube.Collection implement it.
//
// If the server is known to order versions, an event that is older than an earlier one
// is a stale replay. If the order is unknown, such an event proves that the server does
// not order versions, and so does an object in a list that is newer than the list.
type Orderer interface {
	// Ordered reports whether the server orders versions, and whether that is known. It
	// may ask the server, but must return within seconds.
	Ordered(ctx context.Context) (ordered, known bool)
}

// ordering is the known order of versions.
type ordering uint8

const (
	orderUnknown ordering = iota
	orderSure             // versions are ordered
	orderNone             // versions are not ordered
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

// errUnordered is the reason for a relist instead of a resumed watch.
var errUnordered error = stalledError("the server does not order resource versions: a relist is needed to find missed changes")

// setOrder takes over the order that the source reports. Order never returns to ByVersion,
// because an observed violation is proof.
func (m *machine) setOrder(o ordering) {
	switch o {
	case orderSure:
		m.ordered = true
	case orderNone:
		m.health.Order = delta.ByArrival
	}
}

// detectUnordered is called for an event whose version is not newer than the latest of its
// stream, and for an object that is newer than its list. It reports whether this is the
// first proof that versions are not ordered.
func (m *machine) detectUnordered() bool {
	if m.ordered || m.health.Order == delta.ByArrival {
		return false
	}
	m.health.Order = delta.ByArrival
	return true
}

// mayHaveMissed reports whether a watch from the known version could miss a change: without
// an order, the largest version proves nothing. Only a watch that begins where a list
// ended misses no change.
func (m *machine) mayHaveMissed() bool {
	return m.health.Order == delta.ByArrival && m.version != 0 && !m.afterList
}

// relist relists at once, because a watch could miss a change.
func (m *machine) relist() action {
	if m.cfg.Lists == NeverList {
		return m.endListless(errUnordered)
	}
	m.forget(NoFault)
	return m.begin()
}

// listed records the version of an object in a list.
func (m *machine) listed(v wire.Version) { m.highestListed = max(m.highestListed, v) }

package reflector

import (
	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

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
func (m *machine) listed(v wire.Version) {
	m.seen(v)
	m.highestListed = max(m.highestListed, v)
}

// seen records a version of the server. Opaque versions have no order, whatever the source
// reports.
func (m *machine) seen(v wire.Version) {
	if v.Opaque() {
		m.health.Order = delta.ByArrival
	}
}

package store

import (
	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// scope is the progress of one list and watch.
type scope struct {
	name      delta.Scope
	order     delta.Order
	version   wire.Version
	listed    bool
	staged    *tree      // the list that is arriving, or nil
	inherited *inherited // nil if version applies to all namespaces

	// priorVersions has the versions of narrower scopes at the time when this scope was
	// added. If the first list is older than one of them, the server's versions went
	// back.
	priorVersions map[string]wire.Version
}

// inherited records the versions of those namespaces that a scope took over from narrower
// scopes. They are newer than the version from which the watch of the scope resumes.
type inherited struct {
	rest       wire.Version            // version of all other namespaces
	namespaces map[string]wire.Version // versions of the namespaces that were separate scopes
	highest    wire.Version
}

func (c *scope) advance(v wire.Version) {
	c.version = max(c.version, v)
	if c.inherited != nil && c.version >= c.inherited.highest {
		c.inherited = nil
	}
}

// hasSeen reports whether the store has seen all events up to a version. An event at or
// before that version about an absent object must be dropped, because it would restore an
// object that was deleted later.
func (c *scope) hasSeen(namespace string, v wire.Version) bool {
	if v == 0 || v <= c.version || c.inherited == nil {
		return v != 0 && v <= c.version
	}
	if own, ok := c.inherited.namespaces[namespace]; ok {
		return v <= own
	}
	return v <= c.inherited.rest
}

// startAt makes an unlisted scope start at the position of a scope that covers it.
func (c *scope) startAt(at *scope) {
	c.version, c.inherited, c.listed = at.version, at.inherited, true
}

// stale reports whether an event describes the past. By version, an event is stale if it
// is older than the known state. By arrival, only the deletion of an absent object is
// stale: another object with the same name may have replaced it.
func (c *scope) stale(d *delta.Delta, old Entry, had bool) bool {
	if c.order == delta.ByArrival {
		return d.Kind == delta.Delete && (!had || !remains(old, &d.Record))
	}
	return had && outdated(old, &d.Record) || !had && c.hasSeen(d.Record.Namespace, d.Version)
}

// lowest returns the latest version from which a watch misses no change in any namespace.
func (a *inherited) lowest() wire.Version {
	v := a.rest
	for _, own := range a.namespaces {
		v = min(v, own)
	}
	return v
}

// covers reports whether the namespace of an entry was a separate scope.
func (a *inherited) covers(e Entry) bool {
	if a == nil {
		return false
	}
	_, ok := a.namespaces[string(e.header().namespace)]
	return ok
}

package store

import (
	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// inheritedVersions returns the inherited versions of a scope whose first list is
// complete at a version while the store follows narrower scopes. It returns nil if there
// are none. The objects of the narrower scopes stay, because they come from a complete
// sequence of events; the list supplies the rest. By arrival, versions cannot show where
// the two meet, so the list replaces everything. The list also replaces a namespace that
// was at a later version before the list was requested: the server no longer has that
// version.
func (s *Store) inheritedVersions(c *scope, listed wire.Version) *inherited {
	if c.listed || c.name.Namespace != "" || c.order == delta.ByArrival {
		return nil
	}
	var a *inherited
	for namespace, version := range s.narrower(c) {
		if listed < c.priorVersions[namespace] {
			continue
		}
		if a == nil {
			a = &inherited{rest: listed, highest: listed, namespaces: map[string]wire.Version{}}
		}
		a.namespaces[namespace] = version
		a.highest = max(a.highest, version)
	}
	return a
}

// narrower returns the versions of the listed scopes that a scope contains.
func (s *Store) narrower(c *scope) map[string]wire.Version {
	versions := map[string]wire.Version{}
	for name, other := range s.scopes {
		if other != c && other.listed && c.name.Contains(name) {
			versions[name.Namespace] = other.version
		}
	}
	return versions
}

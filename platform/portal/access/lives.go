package access

import "time"

// lives has the namespaces of a cluster as they exist now. A right in a namespace counts for the
// objects that were created in its present life, and not for those of an older namespace or an older
// cluster of the same name.
//
// A life is read after the right was reviewed. Then the right cannot be younger than the life, so the
// owner of a new namespace never gets the objects of the old one.
type lives struct {
	cluster string               // UID of the cluster; empty if it may not be read
	born    map[string]time.Time // by namespace; one that does not exist is missing
	trusted bool                 // namespaces may not be read: their names are trusted
}

// since reports whether a person with a right in a namespace, or in all, sees its objects, and those
// created from which time on. A nil lives hides nothing. An empty UID is the present cluster.
func (l *lives) since(clusterUID, namespace string, all bool) (time.Time, bool) {
	switch {
	case l == nil:
		return time.Time{}, true
	case l.cluster != "" && clusterUID != "" && clusterUID != l.cluster:
		return time.Time{}, false
	case all || l.trusted:
		return time.Time{}, true
	}
	born, exists := l.born[namespace]
	return born, exists
}

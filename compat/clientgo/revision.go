package clientgo

import "github.com/vedette-io/vedette/wire"

// revision names one state of an object. It must not be a store.Entry, which would keep
// its slab alive, and which changes when the store moves the record.
type revision struct {
	id      string // the UID, or the key of an object without one
	version wire.Version
}

// revisionOf returns the name of a state. uid may be empty.
func revisionOf(key wire.Key, uid string, version wire.Version) revision {
	if uid == "" {
		uid = key.String()
	}
	return revision{uid, version}
}

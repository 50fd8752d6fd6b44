package clientgo

import (
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// revision names one state of an object. It must not be a store.Entry, which would keep
// its slab alive, and which changes when the store moves the record.
type revision struct {
	id      string // the UID, or the key of an object without one
	version wire.Version
	sum     uint64 // of the body
}

// revisionOf returns the name of the state of an entry.
func revisionOf(e store.Entry) revision {
	id := e.UID()
	if id == "" {
		id = e.Key().String()
	}
	return revision{id, e.Version(), e.Sum()}
}

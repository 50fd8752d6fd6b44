package controller

import (
	"slices"

	"github.com/vedette-io/vedette/wire"
)

// pendingReasons are the reasons for which keys wait.
type pendingReasons map[wire.Key]*reasons

// reasons are the last reasons of a key, and the number of the earlier ones.
type reasons struct {
	last []Reason
	more int
}

// add adds a reason of a key. It drops the earliest one if there are too many.
func (p pendingReasons) add(key wire.Key, r Reason) {
	of := p[key]
	if of == nil {
		of = &reasons{}
		p[key] = of
	}
	if len(of.last) == maxReasons {
		of.last = slices.Delete(of.last, 0, 1)
		of.more++
	}
	of.last = append(of.last, r)
}

// take removes and returns the reasons of a key.
func (p pendingReasons) take(key wire.Key) (of reasons) {
	if known := p[key]; known != nil {
		of = *known
		delete(p, key)
	}
	return of
}

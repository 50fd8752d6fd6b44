package shard

import (
	"testing"

	"github.com/vedette-io/vedette/internal/oscompat"
)

// WithoutNamelocks makes the members of a test lock no names, as on a system without such locks.
func WithoutNamelocks(t *testing.T) {
	earlier := lockName
	lockName = func(string) *oscompat.Namelock { return nil }
	t.Cleanup(func() { lockName = earlier })
}

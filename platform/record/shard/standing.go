package shard

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// standing is what this process knew about the other holders of a shard at a time.
type standing struct {
	at  time.Time
	err error // nil: a member that gave signs of life holds it
}

var (
	errNotJoined = errors.New("this recorder has not joined the others")
	errUnheld    = errors.New("no recorder with a sign of life records it; it waits for one")
)

// elsewhere returns nil if somebody else records the shard, as was known less than lapse ago. A
// nil standing is not known yet.
func (s *standing) elsewhere(lapse time.Duration) error {
	if s == nil {
		return errNotJoined
	}
	if age := time.Since(s.at); s.err == nil && age > lapse {
		return fmt.Errorf("the recorders of the shard are unknown: the database was last read %v ago", age.Round(time.Second))
	}
	return s.err
}

// recorded returns the shards that a member other than this process records, and the number of
// shards that nobody records. member is this process; 0: it is not a member.
func recorded(shards []Shard, seen *verdict, member int64) (elsewhere map[int64]bool, unheld int) {
	elsewhere = map[int64]bool{}
	for _, s := range shards {
		mine := false
		for _, h := range s.Holders {
			if h.Member == member {
				mine = true
			} else if slices.Contains(seen.proved, h.Member) {
				elsewhere[s.ID] = true
			}
		}
		if !mine && !elsewhere[s.ID] {
			unheld++
		}
	}
	return elsewhere, unheld
}

package controller

import (
	"slices"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// recentKeys are the keys of the last recentKeysAge to twice recentKeysAge, at most twice
// maxRecentKeys.
type recentKeys struct {
	current, previous map[wire.Key]struct{}
	since             time.Time
}

const (
	recentKeysAge = 10 * time.Minute
	maxRecentKeys = 100_000
)

func (l *recentKeys) add(key wire.Key) {
	if l.current == nil || len(l.current) >= maxRecentKeys || time.Since(l.since) > recentKeysAge {
		l.current, l.previous, l.since = map[wire.Key]struct{}{}, l.current, time.Now()
	}
	l.current[key] = struct{}{}
}

// take removes and returns the chosen keys.
func (l *recentKeys) take(chosen func(wire.Key) bool) (keys []wire.Key) {
	for _, m := range []map[wire.Key]struct{}{l.current, l.previous} {
		for key := range m {
			if chosen(key) {
				delete(m, key)
				keys = append(keys, key)
			}
		}
	}
	slices.SortFunc(keys, wire.Key.Compare)
	return slices.Compact(keys)
}

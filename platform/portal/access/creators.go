package access

import (
	"sync"
	"time"
)

// Limits of the cache of creators.
const (
	maxCreators = 5000
	creatorFor  = sightFor  // how long a person counts as a creator
	refusedFor  = settleFor // how long a person counts as no creator, or as unknown
)

// creators is the cache of the people who may create objects. The zero value is ready to use.
type creators struct {
	mu  sync.Mutex
	all map[creatorKey]creator
}

type creatorKey struct {
	visitor visitorKey
	types   string
}

// creator is the answer about a person. refusal is nil for a person who may create objects, and for
// one whose rights are unknown.
type creator struct {
	refusal error
	until   time.Time
}

// get returns the answer about a person if it is valid.
func (c *creators) get(key creatorKey, now time.Time) (creator, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	one, ok := c.all[key]
	return one, ok && now.Before(one.until)
}

// set stores an answer. If the cache is full, it starts again: a review is cheap.
func (c *creators) set(key creatorKey, one creator) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil || len(c.all) >= maxCreators {
		c.all = map[creatorKey]creator{}
	}
	c.all[key] = one
}

package logkeeper

import (
	"maps"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/buckets"
)

// LagBounds are the upper bounds of the buckets of a Lag.
var LagBounds = [...]time.Duration{
	50 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond, 500 * time.Millisecond,
	time.Second, 2 * time.Second, 5 * time.Second, 15 * time.Second, time.Minute, 5 * time.Minute,
}

// Lag is a histogram of durations.
type Lag struct {
	// Count is their number, Sum their total, and Max the longest.
	Count    uint64
	Sum, Max time.Duration
	// Buckets count the durations up to each of LagBounds. The last bucket counts the
	// others.
	Buckets [len(LagBounds) + 1]uint64
}

func (l *Lag) add(d time.Duration) {
	d = max(d, 0)
	l.Buckets[buckets.Of(LagBounds[:], d)]++
	l.Count++
	l.Sum += d
	l.Max = max(l.Max, d)
}

// Stats are the counters and the state of a keeper.
type Stats struct {
	// Cluster is the name of the cluster.
	Cluster string
	// Synced is set if the pods of the cluster are known.
	Synced bool
	// Kept counts the logs that were stored after the end of their container. Partial
	// counts the stores of lines of running containers.
	Kept, Partial uint64
	// Duplicates counts the logs that were not fetched or not stored, because the database
	// had them.
	Duplicates uint64
	// Lost counts the logs whose end was lost, by reason.
	Lost map[Loss]uint64
	// Retries counts the fetches that failed and were retried.
	Retries uint64
	// Pods is the number of selected pods. Waiting, Fetching and Stalled are the numbers
	// of fetches that wait, receive an answer, and wait for an answer.
	Pods, Waiting, Fetching, Stalled int
	// Held is the number of logs that wait for the database, and HeldBytes their size.
	Held      int
	HeldBytes int64
	// Tails is the number of followed containers. Untailed counts those that were not
	// followed because of Config.Tails.
	Tails    int
	Untailed uint64
	// Stored is the time from the event that reported an end to the commit of the log.
	// Ended is the time from the end itself, which the node reports in whole seconds.
	Stored, Ended Lag
	// Failing is the time since which the database refuses logs; zero if it accepted the
	// last one.
	Failing time.Time
}

// counters are the Stats that only grow. Any goroutine may use them.
type counters struct {
	mu sync.Mutex
	s  Stats
}

// change calls f with the counters.
func (c *counters) change(f func(s *Stats)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	f(&c.s)
}

// lose counts a loss.
func (c *counters) lose(l Loss) {
	c.change(func(s *Stats) {
		if s.Lost == nil {
			s.Lost = map[Loss]uint64{}
		}
		s.Lost[l]++
	})
}

// get returns a copy.
func (c *counters) get() Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.s
	s.Lost = maps.Clone(s.Lost)
	return s
}

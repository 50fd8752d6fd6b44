package notify

import (
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// SendStats are the counts of the workers of this process for a channel. All numbers
// except Active only grow.
type SendStats struct {
	// Sent counts the messages that the channel accepted. Temporary, Throttled, Permanent
	// and Disabled count failed tries by the kind of the error.
	Sent, Temporary, Throttled, Permanent, Disabled uint64
	// Composing counts messages that could not be composed, so the channel was not called.
	Composing uint64
	// Dead counts deliveries that became dead letters.
	Dead uint64
	// Rescued counts claims that were taken over from crashed workers. Lost counts results
	// whose claim another worker had already taken over.
	Rescued, Lost uint64
	// Active is the number of deliveries that are currently claimed.
	Active int
	// Latency is the duration of a try until the response. Lag is the time from the
	// creation of a delivery until the channel accepted it, without replays.
	Latency, Lag Histogram
	// Channel is the shared state of the channel, as last read from the database.
	Channel delivery.Channel
}

// sendStats hold SendStats. A sender updates them, and any goroutine reads them.
type sendStats struct {
	mu  sync.Mutex
	now SendStats
}

func (s *sendStats) get() SendStats {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now
}

// change updates the numbers.
func (s *sendStats) change(f func(*SendStats)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.now)
}

// tried counts a try.
func (s *sendStats) tried(o *delivery.Outcome, took time.Duration) {
	s.change(func(n *SendStats) {
		switch {
		case o.Result == delivery.Released:
			return
		case o.Local:
			n.Composing++
			return
		}
		switch n.Latency.add(took); o.Result {
		case delivery.Delivered:
			n.Sent++
			if !o.Delivery.Replay {
				n.Lag.add(o.At.Sub(o.Delivery.CreatedAt))
			}
		case delivery.Temporary:
			n.Temporary++
		case delivery.Throttling:
			n.Throttled++
		case delivery.Permanent:
			n.Permanent++
		case delivery.Disabled:
			n.Disabled++
		}
	})
}

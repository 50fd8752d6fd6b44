package notify

import (
	"sync"
	"time"

	"github.com/vedette-io/vedette/notify/delivery"
)

// SendStats are what the workers of this process did for a channel. All numbers but Active
// only grow.
type SendStats struct {
	// Sent are messages that the channel accepted. Temporary, Throttled, Permanent and
	// Disabled are tries that failed, by the kind of the error.
	Sent, Temporary, Throttled, Permanent, Disabled uint64
	// Composing are messages that could not be composed, so the channel was not asked.
	Composing uint64
	// Dead are deliveries that became dead letters.
	Dead uint64
	// Rescued are claims of workers that died, and Lost results of claims that others had
	// taken back by then.
	Rescued, Lost uint64
	// Active is how many deliveries are claimed now.
	Active int
	// Latency is the time of a try until the answer. Lag is the time from the creation of a
	// delivery until the channel accepted it; it leaves out replays.
	Latency, Lag Histogram
	// Channel is what the replicas share about the channel, as it was last read.
	Channel delivery.Channel
}

// sendStats are SendStats that a sender updates and any goroutine reads.
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

package record

import (
	"maps"
	"sync"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// Health is how a recorder is, as a value.
type Health struct {
	// Cluster is the name of the cluster, ClusterUID the UID of its namespace
	// kube-system; empty before the cluster has answered.
	Cluster, ClusterUID string
	// Rebuilt counts how often another cluster was found at its address, or where one had
	// been when the recorder began.
	Rebuilt uint64
	// Targets are in the order of Config.Targets.
	Targets []TargetHealth
}

// Ready reports whether everything that is followed has been listed, or was resumed,
// and written up to there.
func (h *Health) Ready() bool {
	for i := range h.Targets {
		if !h.Targets[i].Ready {
			return false
		}
	}
	return len(h.Targets) > 0
}

// TargetHealth is how the recording of one target is.
type TargetHealth struct {
	Target Target
	// Ready: the first list was written, or the watch was resumed.
	Ready bool
	// Err is why it has not begun: the type is not there. nil else.
	Err error
	// Reflector is how the server is followed.
	Reflector reflector.Health
	// Objects is how many are there.
	Objects int
	// Queued deltas, and their bytes, wait to be written; Spilled bytes do so on disk.
	Queued, QueuedBytes int
	Spilled             int64
	// Covered is the version up to which all is written, from where a recorder would
	// resume, and CoveredAt when it was written.
	Covered   wire.Version
	CoveredAt time.Time
	// Failed is why the last batch was not written, and FailedSince since when that
	// goes on; nil and zero while all is well.
	Failed      error
	FailedSince time.Time
	Stats
}

// Stats counts what was written. All but the bounds of histograms only grows.
type Stats struct {
	Result
	// Batches are transactions, Retries tries that failed.
	Batches, Retries uint64
	// Gaps counts those that were noted, by their cause.
	Gaps map[string]uint64
	// Stored is the time from an event's being read off the connection to its being
	// stored, Happened that from the time of a transition, as the object gives it, which
	// may be cut to a second. Both count what a watch has brought, not lists.
	Stored, Happened Histogram
	// Sizes counts the revisions in a batch; the bounds are numbers, not durations.
	Sizes [len(SizeBounds) + 1]uint64
}

// LagBounds are the upper bounds of the buckets of a Histogram.
var LagBounds = [...]time.Duration{
	time.Millisecond, 2500 * time.Microsecond, 5 * time.Millisecond, 10 * time.Millisecond, 25 * time.Millisecond, 50 * time.Millisecond,
	100 * time.Millisecond, 250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2500 * time.Millisecond, 5 * time.Second, 10 * time.Second,
	time.Minute, 10 * time.Minute, time.Hour,
}

// SizeBounds are the upper bounds of Stats.Sizes.
var SizeBounds = [...]int{0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000}

// Histogram counts durations: a bucket for each bound, and one for what is beyond.
type Histogram struct {
	Buckets [len(LagBounds) + 1]uint64
	Sum     time.Duration
}

func (h *Histogram) add(d time.Duration) {
	d = max(d, 0)
	i := 0
	for i < len(LagBounds) && d > LagBounds[i] {
		i++
	}
	h.Buckets[i]++
	h.Sum += d
}

// Quantile returns a bound below which the share q of all durations lies: the upper
// bound of its bucket. 0 if nothing was counted; beyond the last bound the last.
func (h *Histogram) Quantile(q float64) time.Duration {
	total := uint64(0)
	for _, n := range h.Buckets {
		total += n
	}
	if total == 0 {
		return 0
	}
	at := uint64(0)
	for i, n := range h.Buckets {
		if at += n; float64(at) >= q*float64(total) {
			return LagBounds[min(i, len(LagBounds)-1)]
		}
	}
	return LagBounds[len(LagBounds)-1]
}

// targetHealth is a TargetHealth that is written by who records and read by all.
type targetHealth struct {
	mu        sync.Mutex
	now       TargetHealth
	reflector *reflector.Reflector
	queue     *delta.QueueOf[item]
	spool     *spool
}

func (h *targetHealth) get() TargetHealth {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now
	now.Gaps = map[string]uint64{}
	maps.Copy(now.Gaps, h.now.Gaps)
	if h.reflector != nil {
		now.Reflector, _ = h.reflector.Health()
		now.Queued, now.QueuedBytes = h.queue.Len()
	}
	if h.spool != nil {
		now.Spilled = h.spool.size.Load()
	}
	return now
}

// watch says who is asked for what changes by itself.
func (h *targetHealth) watch(r *reflector.Reflector, q *delta.QueueOf[item], s *spool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reflector, h.queue, h.spool = r, q, s
}

func (h *targetHealth) set(f func(*TargetHealth)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f(&h.now)
}

// failed notes that a batch was not written.
func (h *targetHealth) failed(err error) {
	h.set(func(t *TargetHealth) {
		t.Retries++
		if t.Failed = err; t.FailedSince.IsZero() {
			t.FailedSince = time.Now()
		}
	})
}

// began notes that a gap was noted.
func (h *targetHealth) began(cause string) {
	h.set(func(t *TargetHealth) {
		if t.Gaps == nil {
			t.Gaps = map[string]uint64{}
		}
		t.Gaps[cause]++
	})
}

// wrote notes that a batch was written.
func (h *targetHealth) wrote(c *collection, p *pending, b *batch, now time.Time) {
	for _, hole := range p.holes {
		h.began(hole.cause)
	}
	h.set(func(t *TargetHealth) {
		t.Revisions, t.Transitions, t.Known = t.Revisions+b.Revisions, t.Transitions+b.Transitions, t.Known+b.Known
		t.Batches++
		t.Failed, t.FailedSince = nil, time.Time{}
		t.Objects, t.Covered, t.CoveredAt = len(c.objects), c.covered.to, now
		t.Ready = t.Ready || c.covered.id != 0
		t.Sizes[sizeOf(len(p.sightings))]++
		for i := range p.sightings {
			if s := &p.sightings[i]; s.source == Watched {
				t.Stored.add(now.Sub(s.seen))
			}
		}
		for _, at := range b.happened {
			t.Happened.add(now.Sub(time.UnixMicro(at)))
		}
	})
}

func sizeOf(n int) int {
	i := 0
	for i < len(SizeBounds) && n > SizeBounds[i] {
		i++
	}
	return i
}

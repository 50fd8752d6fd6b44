package record

import (
	"maps"
	"sync"
	"time"

	"github.com/vedette-io/vedette/record/internal/batch"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// Health is the condition of a recorder at one moment.
type Health struct {
	// Cluster is the name of the cluster, and ClusterUID its identity: the UID of its
	// namespace kube-system. ClusterUID is empty before the cluster has answered.
	Cluster, ClusterUID string
	// Replaced counts how often the recorder found another cluster at the address,
	// including a replacement that happened before it started.
	Replaced uint64
	// Targets are in the order of Config.Targets.
	Targets []TargetHealth
}

// Ready reports whether all targets are ready.
func (h *Health) Ready() bool {
	for i := range h.Targets {
		if !h.Targets[i].Ready {
			return false
		}
	}
	return len(h.Targets) > 0
}

// TargetHealth is the condition of the recording of one target.
type TargetHealth struct {
	Target Target
	// Ready reports that the first list was written, or that the watch was resumed.
	Ready bool
	// Err is why recording has not started, such as a type that is not served; nil
	// otherwise.
	Err error
	// Reflector is the condition of the list and watch.
	Reflector reflector.Health
	// Objects is the number of objects that exist.
	Objects int
	// Queued is the number of deltas that wait to be written, and QueuedBytes their size.
	Queued, QueuedBytes int
	// Spilled is the size of the deltas that wait on disk, in bytes.
	Spilled int64
	// Covered is the resume point: the version up to which everything is written.
	// CoveredAt is when it was written.
	Covered   wire.Version
	CoveredAt time.Time
	// Failed is why the last batch was not written, and FailedSince is when the first of
	// the consecutive failures occurred; nil and zero if the last batch was written.
	Failed      error
	FailedSince time.Time
	Stats
}

// Result counts rows that were written: new revisions, new transitions, and duplicates,
// which the database had already.
type Result = batch.Result

// Stats counts what a recorder did for a target since it started. All numbers only grow.
type Stats struct {
	Result
	// Batches are committed transactions, and Retries failed attempts.
	Batches, Retries uint64
	// Gaps counts recorded gaps by cause.
	Gaps map[string]uint64
	// Stored is the time from reading an event to the commit that contains it. Happened is
	// the time from a transition, as the object reports it, to that commit; objects may
	// report whole seconds. Both count events of watches only.
	Stored, Happened Histogram
	// Sizes counts batches by their number of revisions; SizeBounds are its bounds.
	Sizes [len(SizeBounds) + 1]uint64
}

// committed describes a batch that was committed.
type committed struct {
	batch.Result
	at       time.Time
	causes   []string     // of the gaps in it
	size     int          // number of observations
	seen     []time.Time  // when the events of a watch among them were read
	happened []int64      // when the transitions that a watch reported happened, in microseconds
	objects  int          // number of objects that exist now
	covered  wire.Version // the resume point now
	ready    bool         // the scope has coverage by this recorder
}

// targetHealth is a TargetHealth that a recorder updates and any goroutine reads.
type targetHealth struct {
	mu   sync.Mutex
	now  TargetHealth
	live func(*TargetHealth) // reads what changes without the recorder; nil before the first start
}

func newTargetHealth(t Target) *targetHealth { return &targetHealth{now: TargetHealth{Target: t}} }

func (h *targetHealth) get() TargetHealth {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now
	now.Gaps = map[string]uint64{}
	maps.Copy(now.Gaps, h.now.Gaps)
	if h.live != nil {
		h.live(&now)
	}
	return now
}

// watch sets the function that reads what changes without the recorder.
func (h *targetHealth) watch(live func(*TargetHealth)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live = live
}

// restart records that recording starts from scratch.
func (h *targetHealth) restart() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now.Ready, h.now.Err = false, nil
}

// notStarted records why recording has not started; nil if it has.
func (h *targetHealth) notStarted(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now.Err = err
}

// failed records that a batch was not written.
func (h *targetHealth) failed(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now.Retries++
	if h.now.Failed = err; h.now.FailedSince.IsZero() {
		h.now.FailedSince = time.Now()
	}
}

// recordedGap counts a gap.
func (h *targetHealth) recordedGap(cause string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.recordedGapLocked(cause)
}

func (h *targetHealth) recordedGapLocked(cause string) {
	if h.now.Gaps == nil {
		h.now.Gaps = map[string]uint64{}
	}
	h.now.Gaps[cause]++
}

// wrote records that a batch was committed.
func (h *targetHealth) wrote(c *committed) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := &h.now
	for _, cause := range c.causes {
		h.recordedGapLocked(cause)
	}
	t.Result.Add(c.Result)
	t.Batches++
	t.Failed, t.FailedSince = nil, time.Time{}
	t.Objects, t.Covered, t.CoveredAt = c.objects, c.covered, c.at
	t.Ready = t.Ready || c.ready
	t.Sizes[bucketOf(SizeBounds[:], c.size)]++
	for _, at := range c.seen {
		t.Stored.add(c.at.Sub(at))
	}
	for _, at := range c.happened {
		t.Happened.add(c.at.Sub(time.UnixMicro(at)))
	}
}

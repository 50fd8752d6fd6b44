package record

import (
	"maps"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/buckets"
	"github.com/vedette-io/vedette/platform/internal/batch"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// Health is a snapshot of the condition of a recorder.
type Health struct {
	// Cluster is the display name of the cluster. ClusterUID is its identity, the UID of
	// the namespace kube-system; it is empty until the cluster has answered.
	Cluster, ClusterUID string
	// Replaced is the number of times that the recorder found a different cluster at the
	// address, including a replacement before the start.
	Replaced uint64
	// Targets are in the order of Config.Targets.
	Targets []TargetHealth
}

// Ready reports whether all targets are ready that this recorder must record.
func (h *Health) Ready() bool {
	for i := range h.Targets {
		if !h.Targets[i].Ready && !h.Targets[i].Standby {
			return false
		}
	}
	return len(h.Targets) > 0
}

// TargetHealth is a snapshot of the condition of one target.
type TargetHealth struct {
	Target Target
	// Ready reports whether the first list was written or the watch was resumed.
	Ready bool
	// Standby reports whether other recorders record the target, and this one waits until
	// they stop. This recorder has joined them, and has seen signs of life of theirs within a
	// lease. See Config.Shards.
	Standby bool
	// Err is the reason why recording has not started, such as a type that the server does
	// not serve, or a recorder that could not join the others. It is nil once recording has
	// started, and while the target is a standby.
	Err error
	// Reflector is the health of the list and watch.
	Reflector reflector.Health
	// Objects is the number of objects that exist now.
	Objects int
	// Queued is the number of deltas that wait to be written. QueuedBytes is their size.
	Queued, QueuedBytes int
	// Spilled is the size of the spilled deltas on disk, in bytes.
	Spilled int64
	// Covered is the resume point: every revision up to this version is in the database.
	// CoveredAt is the time when it was stored.
	Covered   wire.Version
	CoveredAt time.Time
	// Failed is the error of the last batch, and FailedSince is the time of the first of
	// the consecutive failures. Both are zero if the last batch was written.
	Failed      error
	FailedSince time.Time
	Stats

	resumed bool // the reflector began at a resume point, and what it has received is written
}

// settled is the time after which a resumed watch is no longer refused: a server that no
// longer has the events says so at once.
const settled = time.Second

// caughtUp reports whether the recorder has a list or a resumed watch, so another holder of
// the shard may stop. A quiet watch that was resumed has written nothing yet.
func (t *TargetHealth) caughtUp(now time.Time) bool {
	return t.Ready || t.Reflector.Phase == reflector.Watching && now.Sub(t.Reflector.Since) > settled && t.Queued == 0
}

// Result counts written rows: new revisions, new transitions, and duplicates.
type Result = batch.Result

// Stats counts the work of a recorder on a target since the start. The numbers never
// decrease.
type Stats struct {
	Result
	// Batches is the number of committed transactions. Retries is the number of failed
	// attempts.
	Batches, Retries uint64
	// Conflicts is the number of attempts that the database refused because of another
	// transaction. They are normal, and are repeated at once.
	Conflicts uint64
	// Gaps is the number of recorded gaps for each cause.
	Gaps map[string]uint64
	// Stored is the time from reading an event to its commit. Happened is the time from a
	// transition, as the object reports it, to its commit; an object may report whole
	// seconds. Both cover only events of a watch.
	Stored, Happened Histogram
	// Sizes counts batches by their number of revisions. SizeBounds are the bounds of its
	// buckets.
	Sizes [len(SizeBounds) + 1]uint64
}

// committed describes a committed batch.
type committed struct {
	batch.Result
	at       time.Time
	causes   []string     // of the gaps in the batch
	size     int          // number of observations
	seen     []time.Time  // read times of the observations that come from a watch
	happened []int64      // times of the transitions that come from a watch, in microseconds
	objects  int          // number of objects that exist after the batch
	covered  wire.Version // the resume point after the batch
	ready    bool         // this recorder covers the scope
}

// targetHealth is a TargetHealth that a recorder updates and any goroutine reads.
type targetHealth struct {
	mu   sync.Mutex
	now  TargetHealth
	live func(*TargetHealth) // fills in the values that change without the recorder; nil before the first start
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
		now.Ready = now.Ready || now.resumed && now.caughtUp(time.Now())
	}
	return now
}

// watch sets the function that fills in the values that change without the recorder.
func (h *targetHealth) watch(live func(*TargetHealth)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.live = live
}

// restart records that recording starts from scratch.
func (h *targetHealth) restart() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now.Ready, h.now.Standby, h.now.Err, h.live = false, false, nil, nil
}

// standBy records that this recorder does not record the target. elsewhere returns nil while
// others do.
func (h *targetHealth) standBy(elsewhere func() error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now = TargetHealth{Target: h.now.Target, Stats: h.now.Stats}
	h.live = func(t *TargetHealth) {
		t.Err = elsewhere()
		t.Standby = t.Err == nil
	}
}

// notStarted records the reason why recording has not started. A nil error means that it
// has started.
func (h *targetHealth) notStarted(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now.Err = err
}

// conflicted counts a conflict with another transaction.
func (h *targetHealth) conflicted() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now.Conflicts++
}

// failed records a failed attempt to write a batch.
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

// wrote records a committed batch.
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
	t.Sizes[buckets.Of(SizeBounds[:], c.size)]++
	for _, at := range c.seen {
		t.Stored.add(c.at.Sub(at))
	}
	for _, at := range c.happened {
		t.Happened.add(c.at.Sub(time.UnixMicro(at)))
	}
}

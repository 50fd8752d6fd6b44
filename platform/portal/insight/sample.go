package insight

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/insight/likely"
)

const (
	// maxWaits is the maximum number of waits of a queue, the last ones.
	maxWaits = 4000
	// maxSamples limits the cached queues, and keptFor the time.
	maxSamples = 200
	keptFor    = time.Minute
)

// sample is the waits of the jobs of a queue, and how well they predict others.
type sample struct {
	readAt time.Time
	waits  []likely.Wait // in the order of their beginnings
	ran    []ran
	// verdicts are the results of backtests, by size. They are added under the mutex of the
	// sampler.
	verdicts map[sizes]likely.Verdict
}

// ran is the run time of a job that succeeded.
type ran struct {
	gpus   int
	length time.Duration
}

// sampler reads samples from the index, and caches them for a minute.
type sampler struct {
	index *jobindex.Index
	now   func() time.Time

	mu      sync.Mutex
	samples map[poolKey]*sample
}

func newSampler(index *jobindex.Index, now func() time.Time) *sampler {
	return &sampler{index: index, now: now, samples: map[poolKey]*sample{}}
}

// pool is the queue whose jobs are compared.
type pool struct {
	cluster string // name
	// clusterQueue is the one of Kueue, if it is known. Then queues are the names of its
	// LocalQueues, and has reports whether a queue is among them.
	clusterQueue string
	queues       []string
	has          func(namespace, queue string) bool
}

// poolKey identifies a pool.
type poolKey struct{ cluster, clusterQueue, queue string }

// key returns the key of a pool. Without a ClusterQueue the pool has one queue.
func (p *pool) key() poolKey {
	if p.clusterQueue != "" {
		return poolKey{p.cluster, p.clusterQueue, ""}
	}
	return poolKey{p.cluster, "", p.queues[0]}
}

// filter selects the jobs of a pool. If the pool has jobs without a queue, the filter
// selects more.
func (p *pool) filter() (f jobfilter.Filter) {
	f.Terms = []jobfilter.Term{{Key: jobfilter.Cluster, Values: []string{p.cluster}}}
	if names := slices.DeleteFunc(slices.Clone(p.queues), func(q string) bool { return q == "" }); len(names) > 0 {
		slices.Sort(names)
		f.Terms = append(f.Terms, jobfilter.Term{Key: jobfilter.Queue, Values: slices.Compact(names)})
	}
	return f
}

// contains reports whether a job belongs to the pool.
func (p *pool) contains(r *jobindex.Row) bool {
	if p.has != nil {
		return p.has(r.Namespace, r.Queue)
	}
	return r.Queue == p.queues[0]
}

// of returns the sample of a queue.
func (s *sampler) of(p *pool) (*sample, error) {
	now := s.now()
	key := p.key()
	s.mu.Lock()
	kept := s.samples[key]
	s.mu.Unlock()
	if kept != nil && now.Sub(kept.readAt) < keptFor && !now.Before(kept.readAt) {
		return kept, nil
	}
	read := &sample{readAt: now, verdicts: map[sizes]likely.Verdict{}}
	q := jobindex.Query{Filter: p.filter(), From: now.AddDate(0, 0, -likeDays), Unlabeled: true, NewestFirst: true}
	err := s.index.View(func(v *jobindex.View) error {
		v.Each(q, func(r *jobindex.Row) bool {
			if p.contains(r) {
				read.add(r, now)
			}
			return !read.full()
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(read.waits, func(a, b likely.Wait) int { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.GPUs, b.GPUs)) })
	read.waits = slices.Clone(read.waits[max(0, len(read.waits)-maxWaits):])
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.samples) >= maxSamples {
		clear(s.samples)
	}
	s.samples[key] = read
	return read, nil
}

// enoughWaits is the number of waits that are read. They are read in the order of submission, but
// held jobs began to wait later, so more are read than kept.
const enoughWaits = maxWaits + maxWaits/2

// full reports whether earlier jobs would not change a sample.
func (s *sample) full() bool {
	return len(s.waits) >= enoughWaits && (len(s.ran) >= maxWaits || len(s.waits) >= 5*maxWaits)
}

// add adds a job to a sample.
func (s *sample) add(r *jobindex.Row, now time.Time) {
	if w, ok := waitOf(r); ok && !w.Began.Before(now.AddDate(0, 0, -likeDays)) {
		s.waits = append(s.waits, w)
	}
	if r.State == job.Succeeded && r.Ran > 0 && len(s.ran) < maxWaits {
		s.ran = append(s.ran, ran{r.GPUs, r.Ran})
	}
}

// waitOf returns the first wait of a job. It returns false if the job was not observed in the
// line, or when it left the line.
func waitOf(r *jobindex.Row) (w likely.Wait, ok bool) {
	w = likely.Wait{GPUs: r.GPUs}
	for _, span := range r.Life {
		switch {
		case span.State.Waits() && !span.Gap:
			if w.Began.IsZero() {
				w.Began = span.From
			}
		case span.State == job.Starting || span.State == job.Running:
			if w.Began.IsZero() { // it started at once
				w.Began = span.From
			}
			w.Left, w.Started = span.From, !span.Gap
			return w, w.Started
		case !w.Began.IsZero(): // it was put on hold
			w.Left = span.From
			return w, !span.Gap
		}
	}
	if !r.Open() {
		w.Left = r.Ended
	}
	return w, !w.Began.IsZero()
}

// verdictOf returns the result of the backtest of a size.
func (s *sampler) verdictOf(of *sample, size sizes, waits []likely.Wait) likely.Verdict {
	s.mu.Lock()
	v, ok := of.verdicts[size]
	s.mu.Unlock()
	if ok {
		return v
	}
	v = likely.Backtest(waits, of.readAt)
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(of.verdicts) < 100 {
		of.verdicts[size] = v
	}
	return v
}

package workqueue

import "time"

// Bounds are the upper bounds of the buckets of Times.
var Bounds = [...]time.Duration{
	time.Microsecond, 10 * time.Microsecond, 100 * time.Microsecond,
	time.Millisecond, 3 * time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond,
	100 * time.Millisecond, 300 * time.Millisecond,
	time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute, 15 * time.Minute,
}

// Times is how long things took, all of them since the start.
type Times struct {
	// Count is how many, Sum how long together, Max the longest.
	Count uint64
	Sum   time.Duration
	Max   time.Duration
	// Buckets count those up to each of Bounds, and behind them the rest.
	Buckets [len(Bounds) + 1]uint64
}

// Stats is what a queue has done, and what it has in hand, at one instant.
type Stats struct {
	// Adds counts the items that were added, those that were there already
	// included; Retries the calls of Retry; Delays those of both that were delayed.
	// They only grow.
	Adds, Retries, Delays uint64
	// Latency is how long items waited that were handed out: since they were added,
	// their delay was over, or, if they were added while they were handled, since
	// their Done. Work is how long it took from there to Done.
	Latency, Work Times

	// Waiting, Delayed and Handled are how many items are that. One that is handled
	// may be delayed as well.
	Waiting, Delayed, Handled int
	// Depths are the priorities that were ever used, the highest first.
	Depths []Depth
	// Oldest is how long the item waits that waits longest.
	Oldest time.Duration
	// Longest is how long the item is handled that is handled longest; Unfinished
	// is how long together all are that are handled.
	Longest, Unfinished time.Duration
	// Closed says that the queue takes nothing new.
	Closed bool
}

// Depth is how many items wait with a priority.
type Depth struct {
	Priority int8
	Waiting  int
}

// account is what of Stats is kept as it happens.
type counters struct {
	handled       int
	startSum      int64 // the sum of them, of those that are handled
	adds          uint64
	latency, work durations
	buckets       struct{ latency, work [len(Bounds) + 1]uint64 }

	retries, delayed uint64
}

// sums are Times without what can be had from the buckets: of these, each note
// touches one.
type durations struct{ sum, most time.Duration }

func (s *durations) observe(d time.Duration, buckets *[len(Bounds) + 1]uint64) {
	s.sum += d
	if d > s.most {
		s.most = d
	}
	i := 0
	for i < len(Bounds) && d > Bounds[i] {
		i++
	}
	buckets[i]++
}

func (s *durations) times(buckets [len(Bounds) + 1]uint64) Times {
	t := Times{Sum: s.sum, Max: s.most, Buckets: buckets}
	for _, n := range buckets {
		t.Count += n
	}
	return t
}

func (a *counters) started(ready, now int64) time.Duration {
	a.handled++
	a.startSum += now
	waited := time.Duration(max(0, now-ready))
	a.latency.observe(waited, &a.buckets.latency)
	return waited
}

func (a *counters) finished(start, now int64) time.Duration {
	a.handled--
	a.startSum -= start
	took := time.Duration(now - start)
	a.work.observe(took, &a.buckets.work)
	return took
}

// Len returns how many items wait to be handed out: not those that are delayed
// or handled.
func (q *Queue[T]) Len() int {
	q.lock()
	defer q.unlock()
	return q.lenLocked()
}

func (q *Queue[T]) lenLocked() (waiting int) {
	for _, l := range q.levels {
		waiting += l.waiting
	}
	return waiting
}

// Stats returns the state of the queue. It takes the lock while it looks at the
// items that are handled, at those that were raised to a higher priority while they
// waited, and at those that wait for their turn in a lane.
func (q *Queue[T]) Stats() Stats {
	now := q.lock()
	defer q.unlock()
	s := Stats{
		Adds: q.adds, Retries: q.retries, Delays: q.delayed, Latency: q.latency.times(q.buckets.latency), Work: q.work.times(q.buckets.work),
		Waiting: q.lenLocked(), Delayed: len(q.delays.heap), Handled: q.handled,
		Unfinished: time.Duration(int64(q.handled)*now - q.startSum), Closed: q.closing,
	}
	for _, l := range q.levels {
		s.Depths = append(s.Depths, Depth{l.priority, l.waiting})
	}
	if since := q.oldest(); since != never {
		s.Oldest = time.Duration(now - since)
	}
	for _, n := range q.handling.nodes {
		if n != nil {
			s.Longest = max(s.Longest, time.Duration(now-n.start))
		}
	}
	return s
}

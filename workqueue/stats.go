package workqueue

import (
	"time"

	"github.com/vedette-io/vedette/internal/buckets"
)

// Bounds are the upper bounds of the buckets of Times.
var Bounds = [...]time.Duration{
	time.Microsecond, 10 * time.Microsecond, 100 * time.Microsecond,
	time.Millisecond, 3 * time.Millisecond, 10 * time.Millisecond, 30 * time.Millisecond,
	100 * time.Millisecond, 300 * time.Millisecond,
	time.Second, 3 * time.Second, 10 * time.Second, 30 * time.Second, 2 * time.Minute, 15 * time.Minute,
}

// Times is a distribution of durations since the start.
type Times struct {
	// Count is the number of durations, Sum their sum, Max the longest.
	Count uint64
	Sum   time.Duration
	Max   time.Duration
	// Buckets count the durations up to each of Bounds; the last bucket counts the longer
	// ones.
	Buckets [len(Bounds) + 1]uint64
}

// Stats has the counters of a queue, and its state at one instant.
type Stats struct {
	// Adds counts added items, including those that the queue already held. Retries counts
	// the calls of Retry. Delays counts the items of both that were delayed. They only
	// grow.
	Adds, Retries, Delays uint64
	// Latency is the waiting time of items that were handed out: since they were added,
	// since their delay ended, or, if they were added while they were handled, since their
	// Done. Work is the time from there to Done.
	Latency, Work Times

	// Waiting, Delayed and Handled are the numbers of ready, delayed and handled items. A
	// handled item may also be delayed.
	Waiting, Delayed, Handled int
	// Depths has an entry for each priority that was ever used, highest first.
	Depths []Depth
	// Oldest is the longest time for which an item has been waiting.
	Oldest time.Duration
	// Longest is the longest time for which an item has been handled; Unfinished is the sum
	// of these times over all handled items.
	Longest, Unfinished time.Duration
	// Closed means that the queue rejects new items.
	Closed bool
}

// Depth is the number of ready items of a priority.
type Depth struct {
	Priority int8
	Waiting  int
}

// counters is the part of Stats that the queue updates at each event.
type counters struct {
	handled       int
	startSum      int64 // sum of the start times of handled items
	adds          uint64
	latency, work durations
	buckets       struct{ latency, work [len(Bounds) + 1]uint64 }

	retries, delayed uint64
}

// durations are the fields of Times that cannot be computed from the buckets. observe
// writes only one bucket.
type durations struct{ sum, most time.Duration }

func (s *durations) observe(d time.Duration, counts *[len(Bounds) + 1]uint64) {
	s.sum += d
	if d > s.most {
		s.most = d
	}
	counts[buckets.Of(Bounds[:], d)]++
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

// Len returns the number of ready items. It does not count delayed or handled items.
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

// Stats returns the state of the queue. It holds the lock while it visits all handled
// items, all items whose priority was raised while they waited, and all items that wait for
// another item of their serial name.
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

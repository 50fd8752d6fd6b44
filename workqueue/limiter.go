package workqueue

import (
	"math/rand/v2"
	"sync"
	"time"
)

// Limiter computes the delays of retries. The queue counts the retries of each item, so a
// limiter that only depends on them needs no memory. Several goroutines call it at a time,
// without a lock.
type Limiter interface {
	// Delay returns the delay of an item that has been retried retries times before. A
	// negative delay counts as 0.
	Delay(retries int) time.Duration
}

// DefaultLimiter returns the limiter that most controllers use: the longer delay of an
// Exponential and a Bucket with their defaults.
func DefaultLimiter() Limiter { return Longest(Exponential{}, NewBucket(0, 0)) }

// Exponential doubles the delay with each retry of an item. Jitter spreads items that
// failed at the same time.
type Exponential struct {
	// Base is the first delay; 0 means 5 milliseconds.
	Base time.Duration
	// Max is the longest delay; 0 means 1000 seconds.
	Max time.Duration
	// Jitter is the largest part of the delay, up to 1, that is randomly subtracted; 0
	// means 0.1, negative means none.
	Jitter float64
}

// Delay implements Limiter.
func (e Exponential) Delay(retries int) time.Duration {
	d, most, jitter := e.Base, e.Max, e.Jitter
	if d <= 0 {
		d = 5 * time.Millisecond
	}
	if most <= 0 {
		most = 1000 * time.Second
	}
	if jitter == 0 {
		jitter = 0.1
	}
	for ; retries > 0 && d <= most/2; retries-- {
		d *= 2
	}
	if retries > 0 {
		d = most
	}
	d = min(d, most)
	return d - time.Duration(min(max(jitter, 0), 1)*rand.Float64()*float64(d))
}

// Bucket limits the rate of retries over all items, with a burst after a pause.
type Bucket struct {
	interval time.Duration // between two retries
	burst    time.Duration // the most that a pause can save up

	mu   sync.Mutex
	next time.Time // time of the next retry
}

// NewBucket returns a full Bucket: it allows burst retries at once, then rate per second.
// Values of 0 or less mean a rate of 10 and a burst of 100.
func NewBucket(rate float64, burst int) *Bucket {
	if !(rate > 0) {
		rate = 10
	}
	if burst <= 0 {
		burst = 100
	}
	each := time.Duration(max(1, min(float64(time.Second)/rate, float64(maxAge))))
	return &Bucket{interval: each, burst: time.Duration(min(float64(each)*float64(burst), float64(100*maxAge)))}
}

// Delay implements Limiter.
func (b *Bucket) Delay(int) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if full := now.Add(-b.burst); b.next.Before(full) {
		b.next = full
	}
	b.next = b.next.Add(b.interval)
	return max(0, b.next.Sub(now))
}

type longest []Limiter

// Longest returns a limiter with the longest delay of several limiters. It calls all of
// them.
func Longest(limiters ...Limiter) Limiter { return longest(limiters) }

func (l longest) Delay(retries int) (d time.Duration) {
	for _, limiter := range l {
		d = max(d, limiter.Delay(retries))
	}
	return d
}

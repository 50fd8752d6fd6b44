package workqueue

import (
	"math/rand/v2"
	"sync"
	"time"
)

// Limiter says how long retries wait. The queue counts those of each item, so a
// limiter that goes by them needs no memory of its own. It is called without a
// lock, by any number of goroutines at a time.
type Limiter interface {
	// Delay returns how long an item waits that was tried again retries times
	// before; less than 0 counts as 0.
	Delay(retries int) time.Duration
}

// DefaultLimiter returns what most controllers use: the longer of an Exponential
// and a Bucket with their defaults.
func DefaultLimiter() Limiter { return Longest(Exponential{}, NewBucket(0, 0)) }

// Exponential doubles the delay with each retry of an item. Those that failed
// together are spread over a part of it, so that they do not come together again.
type Exponential struct {
	// Base is the first delay; 0 means 5 milliseconds.
	Base time.Duration
	// Max is the longest; 0 means 1000 seconds.
	Max time.Duration
	// Jitter is the part, up to 1, that chance may take off; 0 means 0.1, less than
	// 0 none.
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

// Bucket lets through so many retries a second over all items, and some more at
// once after a pause.
type Bucket struct {
	interval time.Duration // between two
	burst    time.Duration // what a pause saves up at most

	mu   sync.Mutex
	next time.Time // when the one after the last is let through
}

// NewBucket returns a Bucket that is full: burst retries at once, then rate a
// second. 0 or less mean 10 a second and a burst of 100.
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

// Longest asks all of the limiters, and takes the longest delay.
func Longest(limiters ...Limiter) Limiter { return longest(limiters) }

func (l longest) Delay(retries int) (d time.Duration) {
	for _, limiter := range l {
		d = max(d, limiter.Delay(retries))
	}
	return d
}

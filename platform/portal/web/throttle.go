package web

import (
	"math"
	"net/http"
	"sync"
	"time"
)

// Throttle limits the request rate of each person or address. Any goroutine may use it.
type Throttle struct {
	rate, burst float64

	mu      sync.Mutex
	buckets map[string]bucket
	swept   time.Time
}

// bucket is the number of requests that a key may send at an instant.
type bucket struct {
	left float64
	at   time.Time
}

// maxBuckets is the maximum size of the table of a Throttle.
const maxBuckets = 20_000

// NewThrottle returns a Throttle that allows rate requests a second, and burst at once.
func NewThrottle(rate, burst float64) *Throttle {
	return &Throttle{rate: rate, burst: burst, buckets: map[string]bucket{}}
}

// Take counts a request of a key. It returns 0 if the request is allowed, and else the time to
// wait.
func (t *Throttle) Take(key string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := time.Now()
	t.sweep(now)
	b, ok := t.buckets[key]
	if !ok {
		if len(t.buckets) >= maxBuckets {
			key = "" // keys that do not fit the table share one bucket
			if b, ok = t.buckets[key]; !ok {
				b = bucket{t.burst, now}
			}
		} else {
			b = bucket{t.burst, now}
		}
	}
	b.left = math.Min(t.burst, b.left+now.Sub(b.at).Seconds()*t.rate)
	b.at = now
	wait := time.Duration(0)
	if b.left < 1 {
		wait = time.Duration((1-b.left)/t.rate*float64(time.Second)) + 1 // never 0, which allows the request
	} else {
		b.left--
	}
	t.buckets[key] = b
	return wait
}

// sweep removes the keys with full buckets.
func (t *Throttle) sweep(now time.Time) {
	full := time.Duration(t.burst / t.rate * float64(time.Second))
	if now.Sub(t.swept) < max(full, time.Second) {
		return
	}
	t.swept = now
	for key, b := range t.buckets {
		if now.Sub(b.at) >= full {
			delete(t.buckets, key)
		}
	}
}

// Handler returns a handler that refuses excess requests with a problem. key returns the person or
// the address of a request; requests with an empty key are not counted.
func (t *Throttle) Handler(key func(*http.Request) string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if k := key(r); k != "" {
			if wait := t.Take(k); wait > 0 {
				Fail(w, r, TooMany(wait))
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

package delivery

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// TestRate: senders that always use their allowance never exceed the rate in any interval,
// and get most of it.
func TestRate(t *testing.T) {
	testinput.Check(t, func(r *rapid.T) {
		rate := Rate{Count: rapid.IntRange(1, 100).Draw(r, "count"), Per: time.Duration(rapid.IntRange(1, 3600).Draw(r, "seconds")) * time.Second}
		start := time.UnixMicro(1_800_000_000_000_000)
		var at int64
		var sent []time.Time
		pauses := time.Duration(0)
		for now := start; len(sent) < 4*rate.Count; {
			allowed, next := rate.allowance(at, now)
			n := min(allowed, rapid.IntRange(1, 8).Draw(r, "limit"))
			at = rate.take(at, now, n)
			for range n {
				sent = append(sent, now)
			}
			if n == 0 {
				if !next.After(now) {
					r.Fatalf("nothing at %s, and more at %s", now, next)
				}
				now = next
			}
			if rapid.IntRange(0, 9).Draw(r, "idle") == 0 {
				idle := (rate.Per / 3).Truncate(time.Microsecond) // the precision of the database
				now, pauses = now.Add(idle), pauses+idle
			}
		}
		for i := range sent {
			if j := i + rate.Count; j < len(sent) && sent[j].Sub(sent[i]) < rate.Per {
				r.Fatalf("got %d messages within %v, want one less: %v", rate.Count+1, rate.Per, sent[i:j+1])
			}
		}
		if took := sent[len(sent)-1].Sub(start) - pauses; took > 6*rate.Per {
			r.Errorf("%d messages took %v at %+v", len(sent), took, rate)
		}
	})
	if n, _ := (Rate{}).allowance(0, time.Now()); n < 1000 || (Rate{}).take(0, time.Now(), 5) != 0 {
		t.Error("no rate is a limit")
	}
}

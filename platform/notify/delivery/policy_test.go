package delivery_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// TestBackoff: a delivery that always fails is tried ten times with the waits of Standard
// Webhooks, and is then dead. A longer Retry-After is obeyed, up to a day.
func TestBackoff(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.create(t, about(1, "a", "1"))
		waits := []time.Duration{
			5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
		}
		asked := map[int]time.Duration{1: 17 * time.Minute, 2: 300 * time.Hour}
		p := delivery.Policy{Threshold: 100}
		now := start
		for try := 0; ; try++ {
			c := d.claim(t, delivery.ClaimOptions{Now: now, Threshold: 100})
			if len(c.Deliveries) != 1 || c.Deliveries[0].Attempts != try {
				t.Fatalf("try %d: claimed %+v, want one with as many attempts", try, c)
			}
			f := d.finish(t, delivery.Outcome{Result: delivery.Temporary, At: now, Error: "no", Status: "500", RetryAfter: asked[try]}, p, c.Deliveries...)
			one, _, err := delivery.Show(t.Context(), d.DB, c.Deliveries[0].ID)
			if err != nil || one.LastError != "no" || one.Status != "500" {
				t.Fatalf("got %+v and error %v, want the last error no with status 500", one, err)
			}
			if try == len(waits) {
				if f.Dead != 1 || one.State != delivery.Dead || one.Attempts != 10 {
					t.Fatalf("after the last try: %+v", one)
				}
				return
			}
			least, most := waits[try], waits[try]+waits[try]/5
			if after := min(asked[try], 24*time.Hour); after > least {
				least, most = after, max(after, most)
			}
			if wait := one.NextAt.Sub(now); wait < least.Truncate(time.Microsecond) || wait > most {
				t.Fatalf("try %d waits %v, want %v to %v", try, wait, least, most)
			}
			if early := d.claim(t, delivery.ClaimOptions{Now: one.NextAt.Add(-time.Millisecond), Threshold: 100}); len(early.Deliveries) > 0 || !early.Next.Equal(one.NextAt) {
				t.Fatalf("try %d: claimed too early, or the next claim is at %s", try, early.Next)
			}
			now = one.NextAt
		}
	})
}

// TestBreaker: after some successive failures the channel pauses, each time longer. Then
// one replica tries one delivery. A success ends the pauses.
func TestBreaker(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		for i := range 12 {
			d.create(t, about(int64(i+1), "a", fmt.Sprint(i)))
		}
		p := delivery.Policy{Threshold: 3, Pause: 10 * time.Second, MaxPause: time.Minute, Backoff: make([]time.Duration, 50)}
		o := delivery.ClaimOptions{Limit: 5, Threshold: 3, Lease: 30 * time.Second, Now: start}
		first, second := d.claim(t, o), d.claim(t, o)
		fail := delivery.Outcome{Result: delivery.Temporary, At: start}
		d.finish(t, fail, p, first.Deliveries[:2]...)
		if c := d.claim(t, o); len(c.Deliveries) != 4 {
			t.Fatalf("two failures: claimed %d", len(c.Deliveries))
		}
		f := d.finish(t, fail, p, first.Deliveries[2:]...)
		if c := d.claim(t, o); len(c.Deliveries) > 0 || c.Channel.Cause != delivery.Broken || !c.Next.Equal(f.Channel.PausedUntil.Truncate(time.Microsecond)) {
			t.Fatalf("three failures: got %+v, want nothing claimed, and the channel paused as broken", c)
		}
		// A result from before the pause does not extend it.
		if g := d.finish(t, fail, p, second.Deliveries[0]); !g.Channel.PausedUntil.Equal(f.Channel.PausedUntil.Truncate(time.Microsecond)) {
			t.Errorf("the pause went from %s to %s", f.Channel.PausedUntil, g.Channel.PausedUntil)
		}
		pause := f.Channel.PausedUntil.Sub(start)
		for range 5 { // 10 s, 20 s, 40 s, then a minute
			o.Now = o.Now.Add(pause)
			trial := d.claim(t, o)
			if len(trial.Deliveries) != 1 {
				t.Fatalf("after %v: claimed %d", pause, len(trial.Deliveries))
			}
			if c := d.claim(t, o); len(c.Deliveries) > 0 {
				t.Fatal("two replicas try a broken channel")
			}
			fail.At = o.Now
			f = d.finish(t, fail, p, trial.Deliveries...)
			if next := f.Channel.PausedUntil.Sub(o.Now); next < min(2*pause*8/10, time.Minute-time.Microsecond) || next > 72*time.Second {
				t.Fatalf("paused for %v after %v", next, pause)
			}
			pause = f.Channel.PausedUntil.Sub(o.Now) + time.Microsecond
		}
		o.Now = o.Now.Add(pause)
		abandoned := d.claim(t, o) // its worker crashes
		o.Now = o.Now.Add(o.Lease)
		trial := d.claim(t, o)
		if len(abandoned.Deliveries) != 1 || len(trial.Deliveries) != 1 {
			t.Fatalf("a trial whose worker crashed: %d, then %d", len(abandoned.Deliveries), len(trial.Deliveries))
		}
		d.finish(t, delivery.Outcome{At: o.Now}, p, trial.Deliveries...)
		if c := d.claim(t, o); len(c.Deliveries) != 5 {
			t.Errorf("after a success: claimed %d", len(c.Deliveries))
		}
	})
}

// TestThrottled: the channel pauses as long as the endpoint requests; the try does not
// count.
func TestThrottled(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.create(t, about(1, "a", "1"), about(2, "a", "2"), about(3, "a", "3"))
		o := delivery.ClaimOptions{Limit: 2, Now: start}
		c := d.claim(t, o)
		d.finish(t, delivery.Outcome{Result: delivery.Throttling, RetryAfter: 10 * time.Minute, At: start}, delivery.Policy{}, c.Deliveries[0])
		d.finish(t, delivery.Outcome{At: start}, delivery.Policy{}, c.Deliveries[1]) // it was in progress
		o.Now = start.Add(10*time.Minute - time.Second)
		if c := d.claim(t, o); len(c.Deliveries) > 0 || c.Channel.Cause != delivery.Throttled || !c.Next.Equal(start.Add(10*time.Minute)) {
			t.Fatalf("in the pause: %+v", c)
		}
		o.Now = start.Add(10 * time.Minute)
		c = d.claim(t, o)
		if len(c.Deliveries) != 2 || c.Deliveries[0].Attempts+c.Deliveries[1].Attempts != 0 {
			t.Fatalf("after the pause: %+v", c)
		}
		// After 410, nothing is sent until a person enables the channel.
		d.finish(t, delivery.Outcome{Result: delivery.Disabled, Status: "410", At: o.Now}, delivery.Policy{}, c.Deliveries...)
		o.Now = o.Now.Add(1000 * time.Hour)
		if c := d.claim(t, o); len(c.Deliveries) > 0 || c.Channel.DisabledAt.IsZero() {
			t.Fatalf("disabled channel: got %+v, want nothing claimed", c)
		}
		if err := delivery.Enable(t.Context(), d.DB, "chat", "liwei"); err != nil {
			t.Fatal(err)
		}
		if c := d.claim(t, o); len(c.Deliveries) != 2 {
			t.Fatalf("enabled channel: got %+v, want 2 claimed", c)
		}
	})
}

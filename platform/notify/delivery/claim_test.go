package delivery_test

import (
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// TestOrder: only the first delivery of a lane can be claimed, and the next one after the
// first is sent. Repeats of a key are ignored.
func TestOrder(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		if n := d.create(t, about(1, "a", "1a1"), about(1, "a", "1a2"), about(2, "a", "2a1"), about(1, "a", "1a1")); n != 3 {
			t.Errorf("created %d, want 3", n)
		}
		if n := d.create(t, about(1, "a", "1a2"), about(1, "b", "1b1"), about(1, "a", "1a3")); n != 2 {
			t.Errorf("created %d, want 2", n)
		}
		o := delivery.ClaimOptions{Limit: 10, Worker: "w", Now: start.Add(time.Second)}
		first := d.claim(t, o)
		if got := keys(first.Deliveries); !slices.Equal(got, []string{"1a1", "2a1", "1b1"}) {
			t.Fatalf("claimed %q, want 1a1, 2a1 and 1b1", got)
		}
		if got := d.claim(t, o); len(got.Deliveries) > 0 {
			t.Fatalf("claimed %q meanwhile, want nothing", keys(got.Deliveries))
		}
		d.finish(t, delivery.Outcome{At: o.Now, Status: "200"}, delivery.Policy{}, first.Deliveries...)
		o.Now = time.Now().Add(time.Second) // an input: when the claim is made
		second := d.claim(t, o)
		if got := keys(second.Deliveries); !slices.Equal(got, []string{"1a2"}) {
			t.Fatalf("claimed %q after the first", got)
		}
		d.finish(t, delivery.Outcome{Result: delivery.Permanent, Error: "refused"}, delivery.Policy{}, second.Deliveries...)
		third := d.claim(t, o)
		if got := keys(third.Deliveries); !slices.Equal(got, []string{"1a3"}) {
			t.Fatalf("claimed %q after the second", got)
		}
	})
}

// TestFencing: after a claim was taken back, its worker can neither change the delivery
// nor extend the claim.
func TestFencing(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.create(t, about(1, "a", "1"))
		stale := d.claim(t, delivery.ClaimOptions{Worker: "stale", Lease: time.Second, Now: start})
		now := start.Add(time.Second)
		valid := d.claim(t, delivery.ClaimOptions{Worker: "valid", Lease: time.Hour, Now: now})
		if len(stale.Deliveries) != 1 || len(valid.Deliveries) != 1 || valid.Rescued != 1 {
			t.Fatalf("claimed %+v, then %+v; want one each, the second rescued", stale, valid)
		}
		for _, result := range []delivery.Result{delivery.Delivered, delivery.Temporary, delivery.Permanent, delivery.Released} {
			f := d.finish(t, delivery.Outcome{Result: result, At: now}, delivery.Policy{}, stale.Deliveries...)
			if f.Lost != 1 || f.Sent+f.Again+f.Dead > 0 {
				t.Errorf("result %d of a stale claim: got %+v, want it lost", result, f)
			}
		}
		kept, err := delivery.Extend(t.Context(), d.DB, "chat", stale.Deliveries, now.Add(24*time.Hour), now)
		if err != nil || len(kept) > 0 {
			t.Errorf("the stale claim keeps %v, %v", kept, err)
		}
		one, _, err := delivery.Show(t.Context(), d.DB, valid.Deliveries[0].ID)
		if err != nil || one.State != delivery.Sending || one.Token != valid.Deliveries[0].Token || one.ClaimedBy != "valid" || !one.NextAt.Equal(valid.Until) {
			t.Errorf("got %+v and error %v, want the valid claim unchanged", one, err)
		}
		if f := d.finish(t, delivery.Outcome{At: now}, delivery.Policy{}, valid.Deliveries...); f.Sent != 1 {
			t.Errorf("the valid result: %+v", f)
		}
	})
}

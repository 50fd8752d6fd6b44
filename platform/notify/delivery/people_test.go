package delivery_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// TestRecover resends exactly the deliveries that failed on a channel since a time, with
// the same keys.
func TestRecover(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		d.create(t, about(1, "a", "early"), about(2, "a", "late"), about(3, "a", "sent"), about(4, "a", "waiting"))
		fail := func(result delivery.Result, at time.Time) {
			c := d.claim(t, delivery.ClaimOptions{Now: at})
			d.finish(t, delivery.Outcome{Result: result, At: at}, delivery.Policy{}, c.Deliveries...)
		}
		fail(delivery.Permanent, start)
		fail(delivery.Permanent, start.Add(time.Hour))
		fail(delivery.Delivered, start.Add(time.Hour))
		if n, err := delivery.Recover(t.Context(), d.DB, "chat", start.Add(time.Minute), "liwei"); err != nil || n != 1 {
			t.Fatalf("recovered %d, error %v; want 1", n, err)
		}
		all, err := delivery.List(t.Context(), d.DB, delivery.Filter{States: []delivery.State{delivery.Waiting}})
		if err != nil || !slices.Equal(keys(all), []string{"waiting", "late"}) || !all[1].Replay || !all[1].Late || all[1].Attempts != 0 {
			t.Errorf("waiting: got %+v and error %v, want waiting, and late as a replay", all, err)
		}
		acts, err := delivery.Acts(t.Context(), d.DB, 10)
		if err != nil || len(acts) != 1 || acts[0].Actor != "liwei" || acts[0].Action != "recover" {
			t.Errorf("acts: got %+v and error %v, want recover by liwei", acts, err)
		}
	})
}

// TestDigest: a digest collects items until its window ends, each once.
func TestDigest(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		digest := about(0, "a", "digest/1")
		digest.NextAt = start.Add(time.Minute)
		add := func(keys ...string) {
			var items []delivery.Item
			for _, k := range keys {
				items = append(items, delivery.Item{Key: k, Object: 7, Kind: "Failed", Event: []byte(k)})
			}
			d.tx(t, func(tx *sqldb.Tx) error { return delivery.AppendDigest(t.Context(), tx, digest, items) })
		}
		add("1", "2")
		add("2", "3")
		held, err := delivery.HeldOf(t.Context(), d.DB, delivery.LaneOf(0, "chat", "a"))
		if err != nil || len(held) != 1 || held[0].Key != "digest/1" || !held[0].NextAt.Equal(digest.NextAt) {
			t.Fatalf("held: got %+v and error %v, want digest/1 at its time", held, err)
		}
		closing := func(now time.Time) (closed int) {
			d.tx(t, func(tx *sqldb.Tx) (err error) {
				closed, err = delivery.CloseDigests(t.Context(), tx, now)
				return err
			})
			return closed
		}
		if n := closing(digest.NextAt.Add(-time.Second)); n != 0 || len(d.claim(t, delivery.ClaimOptions{Now: digest.NextAt}).Deliveries) > 0 {
			t.Errorf("closed %d too early", n)
		}
		if n := closing(digest.NextAt); n != 1 {
			t.Errorf("closed %d, want 1", n)
		}
		c := d.claim(t, delivery.ClaimOptions{Now: digest.NextAt})
		if len(c.Deliveries) != 1 {
			t.Fatalf("claimed %+v, want one", c)
		}
		_, items, err := delivery.Show(t.Context(), d.DB, c.Deliveries[0].ID)
		var got []string
		for _, i := range items {
			got = append(got, string(i.Event))
		}
		if err != nil || !slices.Equal(got, []string{"1", "2", "3"}) {
			t.Errorf("items: got %q and error %v, want 1, 2 and 3", got, err)
		}
		if n, err := delivery.Recent(t.Context(), d.DB, "chat", "a", start); n != 1 || err != nil {
			t.Errorf("recent: got %d and error %v, want 1", n, err)
		}
		if n, err := delivery.Recent(t.Context(), d.DB, "chat", "a", start.Add(time.Second)); n != 0 || err != nil {
			t.Errorf("recent, a second later: got %d and error %v, want 0", n, err)
		}
	})
}

// TestAck: an acknowledged message is not escalated; others are escalated once.
func TestAck(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		one, two := about(1, "a", "1"), about(2, "a", "2")
		one.EscalateAt, two.EscalateAt = start.Add(time.Hour), start.Add(time.Hour)
		d.create(t, one, two, about(1, "b", "3"))
		if n, err := delivery.Ack(t.Context(), d.DB, 1, "liwei"); n != 1 || err != nil {
			t.Errorf("acknowledged %d, error %v; want 1", n, err)
		}
		escalations := func(now time.Time) (all []delivery.Delivery) {
			d.tx(t, func(tx *sqldb.Tx) (err error) {
				all, err = delivery.Escalations(t.Context(), tx, now, 10)
				return err
			})
			return all
		}
		if got := escalations(start); len(got) > 0 {
			t.Errorf("too early: got the escalations %q, want none", keys(got))
		}
		got := escalations(start.Add(time.Hour))
		if !slices.Equal(keys(got), []string{"2"}) {
			t.Fatalf("escalations: got %q, want 2", keys(got))
		}
		d.tx(t, func(tx *sqldb.Tx) error {
			if n, err := delivery.Escalated(t.Context(), tx, got[0].ID); n != 1 || err != nil {
				t.Errorf("escalated %d, error %v; want 1", n, err)
			}
			return nil
		})
		if got := escalations(start.Add(time.Hour)); len(got) > 0 {
			t.Errorf("again: %q", keys(got))
		}
		all, err := delivery.List(t.Context(), d.DB, delivery.Filter{Object: 1})
		if err != nil || len(all) != 2 || all[1].AckedBy != "liwei" || all[0].AckedBy != "" {
			t.Errorf("got %+v and error %v, want two messages, the second acknowledged by liwei", all, err)
		}
	})
}

// TestMutes: mutes match what they select, until they end.
func TestMutes(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		add := func(m delivery.Mute) {
			t.Helper()
			if err := delivery.AddMute(t.Context(), d.DB, m); err != nil {
				t.Fatal(err)
			}
		}
		add(delivery.Mute{Person: "liwei", Object: 7})
		add(delivery.Mute{Channel: "chat", Receiver: "a", Digests: true, Until: start})
		add(delivery.Mute{Channel: "chat", Receiver: "a", Digests: true, Until: start.Add(time.Hour)}) // the same mute with a later end
		add(delivery.Mute{Person: "liwei", Rule: "r", Until: start.Add(-time.Hour)})
		for _, m := range []delivery.Mute{{Object: 7, Until: start}, {Person: "liwei"}} {
			if err := delivery.AddMute(t.Context(), d.DB, m); err == nil {
				t.Errorf("%+v was stored, want an error", m)
			}
		}
		all, err := delivery.Mutes(t.Context(), d.DB, start)
		if err != nil || len(all) != 2 {
			t.Fatalf("got mutes %+v and error %v, want 2", all, err)
		}
		muted := func(one delivery.Delivery) bool {
			return slices.ContainsFunc(all, func(m delivery.Mute) bool { return m.Matches(&one, start) })
		}
		job := delivery.Delivery{Kind: "Failed", Person: "liwei", Channel: "chat", Receiver: "a", Object: 7}
		other, digest, later := job, job, all[1]
		other.Object, digest.Object, digest.Kind = 8, 0, "Digest"
		if !muted(job) || muted(other) || !muted(digest) || later.Matches(&digest, start.Add(time.Hour)) {
			t.Errorf("muted: job %v, other job %v, digest %v, after its end %v; want true, false, true, false", muted(job), muted(other), muted(digest), later.Matches(&digest, start.Add(time.Hour)))
		}
		d.tx(t, func(tx *sqldb.Tx) error { return delivery.EndMutes(t.Context(), tx, []int64{7, 8}) })
		if err := delivery.RemoveMute(t.Context(), d.DB, all[1].ID, "liwei"); err != nil {
			t.Error(err)
		}
		if err := delivery.RemoveMute(t.Context(), d.DB, all[1].ID, "liwei"); !errors.Is(err, delivery.ErrUnknown) {
			t.Errorf("RemoveMute: got error %v, want %v", err, delivery.ErrUnknown)
		}
		if all, err := delivery.Mutes(t.Context(), d.DB, start); err != nil || len(all) > 0 {
			t.Errorf("got mutes %+v and error %v, want none", all, err)
		}
	})
}

// TestSubscriptions: an address is valid after its owner entered the code, with at most
// five attempts. Only the owner changes a subscription.
func TestSubscriptions(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		s := delivery.Subscription{Person: "liwei", Cluster: "gpu-west", Namespace: "team", Name: "train-7", Channel: "mail", Address: "liwei@example.com", CreatedBy: "liwei"}
		subscribe := func(s delivery.Subscription, code string) int64 {
			t.Helper()
			id, err := delivery.Subscribe(t.Context(), d.DB, s, code, time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		verified := func(i int) bool {
			t.Helper()
			all, err := delivery.Subscriptions(t.Context(), d.DB, "liwei")
			if err != nil || len(all) <= i {
				t.Fatalf("got subscriptions %+v and error %v, want more than %d", all, err, i)
			}
			return !all[i].VerifiedAt.IsZero()
		}
		id := subscribe(s, "123456")
		for range 5 {
			if err := delivery.Verify(t.Context(), d.DB, id, "654321"); !errors.Is(err, delivery.ErrCode) {
				t.Fatalf("Verify: got error %v, want %v", err, delivery.ErrCode)
			}
		}
		if err := delivery.Verify(t.Context(), d.DB, id, "123456"); !errors.Is(err, delivery.ErrCode) || verified(0) {
			t.Errorf("the sixth guess: %v", err)
		}
		if again := subscribe(s, "777777"); again != id {
			t.Errorf("subscribing again gives %d, not %d", again, id)
		}
		if err := delivery.Verify(t.Context(), d.DB, id, "777777"); err != nil || !verified(0) {
			t.Errorf("the right code: %v", err)
		}
		s.Name = "train-8"
		if _, err := delivery.Subscribe(t.Context(), d.DB, s, "123456", -time.Second); err != nil {
			t.Fatal(err)
		}
		all, _ := delivery.Subscriptions(t.Context(), d.DB, "")
		if err := delivery.Verify(t.Context(), d.DB, all[1].ID, "123456"); !errors.Is(err, delivery.ErrCode) || verified(1) {
			t.Errorf("an expired code: %v", err)
		}
		if s.Name = "train-9"; subscribe(s, "") == 0 || !verified(2) {
			t.Error("an address of the table of people is not verified")
		}
		if err := delivery.Unsubscribe(t.Context(), d.DB, id, "mallory", "mallory"); !errors.Is(err, delivery.ErrUnknown) {
			t.Errorf("unsubscribe by another person: got %v, want ErrUnknown", err)
		}
		if err := delivery.MuteSubscription(t.Context(), d.DB, id, "liwei", start, "liwei"); err != nil {
			t.Error(err)
		}
		if all, _ := delivery.Subscriptions(t.Context(), d.DB, "liwei"); !all[0].MutedUntil.Equal(start) {
			t.Errorf("got %+v, want it muted until %v", all[0], start)
		}
		if err := delivery.Unsubscribe(t.Context(), d.DB, id, "liwei", "liwei"); err != nil {
			t.Error(err)
		}
		if all, _ := delivery.Subscriptions(t.Context(), d.DB, "liwei"); len(all) != 2 {
			t.Errorf("got subscriptions %+v, want 2", all)
		}
	})
}

// TestCounts: unsent deliveries and dead letters are counted, with the creation time of
// the oldest.
func TestCounts(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		old, young := about(1, "a", "old"), about(1, "a", "young")
		young.CreatedAt = start.Add(time.Hour)
		other := about(2, "a", "other")
		other.Channel = "mail"
		d.create(t, old, young, about(3, "a", "sent"), about(4, "a", "dead"), other)
		for _, result := range []delivery.Result{delivery.Delivered, delivery.Permanent} {
			c := d.claim(t, delivery.ClaimOptions{Limit: 3, Now: start})
			for _, one := range c.Deliveries {
				o := delivery.Outcome{Result: delivery.Released, At: start}
				if one.Key == map[delivery.Result]string{delivery.Delivered: "sent", delivery.Permanent: "dead"}[result] {
					o.Result = result
				}
				d.finish(t, o, delivery.Policy{}, one)
			}
		}
		got, err := delivery.Counts(t.Context(), d.DB)
		for i := range got {
			got[i].Oldest = got[i].Oldest.UTC()
		}
		want := []delivery.Count{
			{Channel: "chat", State: delivery.Behind, N: 1, Oldest: young.CreatedAt},
			{Channel: "chat", State: delivery.Waiting, N: 1, Oldest: start},
			{Channel: "chat", State: delivery.Dead, N: 1, Oldest: start},
			{Channel: "mail", State: delivery.Waiting, N: 1, Oldest: start},
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, want %v, %v", got, want, err)
		}
	})
}

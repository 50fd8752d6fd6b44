package delivery_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestCreateBehindFrontThatEnds: the planner adds to a lane while a worker stores that the
// front was sent. In either order, the new delivery does not stay behind a front that no
// longer exists.
func TestCreateBehindFrontThatEnds(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		for i := range 10 { // the worker tries while the planner has not committed
			d.create(t, about(1, "a", fmt.Sprint("front/", i)))
			c := d.claim(t, delivery.ClaimOptions{})
			finished := make(chan error, 1)
			d.tx(t, func(tx *sqldb.Tx) error {
				if _, err := delivery.Create(t.Context(), tx, []delivery.Delivery{about(1, "a", fmt.Sprint("next/", i))}); err != nil {
					return err
				}
				go func() {
					_, err := delivery.Finish(t.Context(), d.DB, "chat", []delivery.Outcome{{Delivery: c.Deliveries[0]}}, delivery.Policy{})
					finished <- err
				}()
				dbtest.Blocked(t, d.String(), func() bool { return len(finished) > 0 })
				return nil
			})
			if err := <-finished; err != nil {
				t.Fatal(err)
			}
			next := d.claim(t, delivery.ClaimOptions{})
			if len(next.Deliveries) != 1 || next.Deliveries[0].Key != fmt.Sprint("next/", i) {
				t.Fatalf("round %d: claimed %q, want the next message", i, keys(next.Deliveries))
			}
			d.finish(t, delivery.Outcome{}, delivery.Policy{}, next.Deliveries...)
		}
	})
}

// TestCreateBehindFrontThatEnded is the opposite order: the worker holds the row of the
// channel after the planner has read the front.
func TestCreateBehindFrontThatEnded(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		if strings.HasPrefix(d.String(), "sqlite") {
			return // this database has only one writer at a time
		}
		d.create(t, about(1, "a", "front"))
		created := make(chan error, 1)
		d.tx(t, func(tx *sqldb.Tx) error {
			if _, err := tx.Exec(t.Context(), "UPDATE notify_channels SET token = token + 1 WHERE name = 'chat'"); err != nil {
				return err
			}
			go func() {
				created <- d.Transact(t.Context(), func(tx *sqldb.Tx) error {
					_, err := delivery.Create(t.Context(), tx, []delivery.Delivery{about(1, "a", "next")})
					return err
				})
			}()
			dbtest.Blocked(t, d.String(), func() bool { return len(created) > 0 })
			if len(created) > 0 {
				t.Error("Create does not wait for the row of the channel")
			}
			_, err := tx.Exec(t.Context(), "UPDATE deliveries SET state = 5 WHERE key_text = 'front'")
			return err
		})
		if err := <-created; err != nil {
			t.Fatal(err)
		}
		if c := d.claim(t, delivery.ClaimOptions{}); len(c.Deliveries) != 1 {
			t.Errorf("claimed %q, want one", keys(c.Deliveries))
		}
	})
}

// TestClaimsOfReplicas: replicas that claim concurrently never get the same delivery.
func TestClaimsOfReplicas(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		var all []delivery.Delivery
		for i := range 200 {
			all = append(all, about(int64(i), "a", fmt.Sprint(i)))
		}
		d.create(t, all...)
		type answer struct {
			keys []string
			err  error
		}
		answers := make(chan answer)
		ctx := patience.Context(t, "the claims of all replicas")
		for range 4 {
			go func() {
				var got answer
				for range 25 {
					c, err := claimAgain(ctx, d.DB)
					if err != nil {
						got.err = err
						break
					}
					got.keys = append(got.keys, keys(c.Deliveries)...)
				}
				answers <- got
			}()
		}
		seen := map[string]bool{}
		for range 4 {
			got := <-answers
			if got.err != nil {
				t.Error(got.err)
			}
			for _, k := range got.keys {
				if seen[k] {
					t.Errorf("%s was claimed twice", k)
				}
				seen[k] = true
			}
		}
		if len(seen) != 200 {
			t.Errorf("%d were claimed, want 200", len(seen))
		}
	})
}

// claimAgain claims, and retries while the database aborts the transaction.
func claimAgain(ctx context.Context, db *sqldb.DB) (delivery.Claimed, error) {
	for {
		c, err := delivery.Claim(ctx, db, "chat", delivery.ClaimOptions{Limit: 2})
		if err == nil || ctx.Err() != nil {
			return c, err
		}
	}
}

// TestHostileTexts: texts that are too long, or that a database would refuse, stop neither
// the planner nor a worker. Keys that differ only after many characters are different.
func TestHostileTexts(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		nasty := "a\x00b\xff\u202e'; DROP TABLE deliveries; --" + strings.Repeat("\U0001F600", 20_000)
		one := about(1, nasty, nasty+"1")
		one.Kind, one.Rule, one.Person, one.Role, one.Event = nasty, nasty, nasty, nasty, []byte(strings.Repeat(nasty, 20)) // 1.6 MB
		two := one
		two.Key = nasty + "2"
		if n := d.create(t, one, two, one); n != 2 {
			t.Errorf("created %d, want 2", n)
		}
		if n := d.create(t, two); n != 0 {
			t.Errorf("created %d repeats, want 0", n)
		}
		c := d.claim(t, delivery.ClaimOptions{Worker: nasty, Limit: 5})
		if len(c.Deliveries) != 1 || string(c.Deliveries[0].Event) != string(one.Event) {
			t.Fatalf("claimed %d, want one with its event unchanged", len(c.Deliveries))
		}
		d.finish(t, delivery.Outcome{Result: delivery.Disabled, Status: nasty, Error: nasty, Ref: nasty}, delivery.Policy{}, c.Deliveries...)
		if err := delivery.Enable(t.Context(), d.DB, "chat", nasty); err != nil {
			t.Error(err)
		}
		c = d.claim(t, delivery.ClaimOptions{})
		d.finish(t, delivery.Outcome{Status: nasty, Ref: nasty}, delivery.Policy{}, c.Deliveries...)
		if _, err := delivery.Subscribe(t.Context(), d.DB, delivery.Subscription{
			Person: nasty, Cluster: nasty, Type: nasty, Namespace: nasty, Name: nasty, UID: nasty, Labels: nasty[:1000], States: nasty[:1000], Channel: nasty, Address: nasty[:1000], CreatedBy: nasty,
		}, nasty, time.Hour); err != nil {
			t.Error(err)
		}
		if err := delivery.AddMute(t.Context(), d.DB, delivery.Mute{Person: nasty, Channel: nasty, Receiver: nasty, Rule: nasty, Object: 1, CreatedBy: nasty}); err != nil {
			t.Error(err)
		}
		for _, wrong := range []delivery.Delivery{{Key: "k"}, {Channel: "chat"}, {Key: "k", Channel: nasty}, {Key: "k", Channel: "chat", State: delivery.Sent}} {
			err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
				_, err := delivery.Create(t.Context(), tx, []delivery.Delivery{wrong})
				return err
			})
			if err == nil || len(err.Error()) > 200 {
				t.Errorf("create of key %.50s: got %v, want an error of at most 200 bytes", wrong.Key, err)
			}
		}
	})
}

// TestPoison: a delivery whose workers always crash becomes a dead letter eventually, and
// the next delivery of its lane is sent.
func TestPoison(t *testing.T) {
	d := open(t, "sqlite:"+t.TempDir()+"/history.db")
	d.create(t, about(1, "a", "poison"), about(1, "a", "next"))
	now := start
	for range 100 {
		c := d.claim(t, delivery.ClaimOptions{Lease: time.Second, Now: now})
		if len(c.Deliveries) != 1 || c.Deliveries[0].Key != "poison" || c.Deliveries[0].Attempts != 0 {
			t.Fatalf("claimed %+v, want poison with no attempts", c)
		}
		now = now.Add(time.Second)
	}
	if c := d.claim(t, delivery.ClaimOptions{Now: now}); len(c.Deliveries) != 1 || c.Deliveries[0].Key != "next" {
		t.Fatalf("claimed %+v, want next", c)
	}
}

// TestPlannersExclude checks that a transaction of a planner sees everything that those
// before it have written.
func TestPlannersExclude(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		const planners, rounds = 4, 25
		var work sync.WaitGroup
		for i := range planners {
			work.Go(func() {
				for range rounds {
					err := d.Transact(t.Context(), func(tx *sqldb.Tx) error {
						if err := delivery.LockPlanners(t.Context(), tx, fmt.Sprint(i)); err != nil {
							return err
						}
						content, err := delivery.Mark(t.Context(), tx, "count")
						if err != nil {
							return err
						}
						n, _ := strconv.Atoi(content) // empty at first
						return delivery.SetMark(t.Context(), tx, "count", strconv.Itoa(n+1))
					})
					if err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		work.Wait()
		if got, err := delivery.Mark(t.Context(), d.DB, "count"); err != nil || got != strconv.Itoa(planners*rounds) {
			t.Errorf("the transactions counted to %q (error %v), want %d", got, err, planners*rounds)
		}
	})
}

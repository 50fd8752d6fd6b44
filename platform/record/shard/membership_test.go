package shard_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/record/shard"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// mortal is a recorder that crashes.
type mortal struct {
	*shard.Coordinator
	offer *shard.Offer
	crash func() // it ends without a further statement
}

// mortal starts a recorder with a database of its own, which offers shard 1.
func (w *world) mortal(name string) *mortal {
	w.Helper()
	d, err := sqldb.Open(w.Context(), w.url)
	if err != nil {
		w.Fatal(err)
	}
	c, err := shard.New(shard.Config{DB: d, Name: name, Replicas: 1, Lease: lease, Logger: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err != nil {
		w.Fatal(err)
	}
	m := &mortal{Coordinator: c, offer: c.Offer(model.Scope{Cluster: 1, Resource: 1}, func() shard.Sample { return shard.Sample{Ready: true} })}
	ctx, cancel := context.WithCancel(w.Context())
	var work sync.WaitGroup
	work.Go(func() {
		if err := c.Run(ctx); err != nil {
			w.Error(err)
		}
	})
	m.crash = sync.OnceFunc(func() {
		_ = d.Close()
		cancel()
		work.Wait()
	})
	w.Cleanup(m.crash)
	return m
}

// TestCrashLoop: while every recorder lives for half a lease, one of them takes over from a dead
// member, not before the end of the lease. It does not matter whether each has a name of its own.
func TestCrashLoop(t *testing.T) {
	shard.WithoutNamelocks(t)
	for name, next := range map[string]func(n int) string{
		"one name":  func(int) string { return "dead" },
		"new names": func(n int) string { return fmt.Sprint("r", n) },
	} {
		t.Run(name, func(t *testing.T) {
			each(t, func(w *world) {
				dead := w.member("dead", 1)
				began := time.Now()
				for n := 0; ; n++ {
					m := w.mortal(next(n))
					<-time.After(lease / 2) // an input: the life of the recorder
					held := m.offer.Held()
					m.crash()
					if held {
						break
					}
					if time.Since(began) > 4*lease { // an input: virtual time, which the lives of the recorders fill
						w.Fatalf("nobody has taken over after %v", time.Since(began))
					}
					if !w.fenced(1, dead) && time.Since(began) <= lease { // an input: virtual time
						w.Fatalf("the member is dead after %v", time.Since(began))
					}
				}
				if w.fenced(1, dead) {
					w.Error("the dead member can still write")
				}
			})
		})
	}
}

// TestCrashLoopBesideLive: members that live short beside one that gives signs of life do not take
// it for dead.
func TestCrashLoopBesideLive(t *testing.T) {
	each(t, func(w *world) {
		a := w.start("a", 1, 1)
		w.until("a:1")
		for n := range 8 {
			m := w.mortal(fmt.Sprint("r", n))
			<-time.After(lease / 2) // an input: the life of the recorder
			m.crash()
		}
		if s := a.Stats(); s.Removed != 0 || w.held() != "a:1" {
			w.Errorf("the living member was removed %d times, and the group holds %s", s.Removed, w.held())
		}
	})
}

// TestLateOffer: shards do not wait for the death of a member that only offers them. A shard
// without a holder does not wait at all.
func TestLateOffer(t *testing.T) {
	t.Run("unheld", func(t *testing.T) {
		each(t, func(w *world) {
			w.insert("dead", false, 1, 2, 3, 4, 5, 6)
			began := time.Now()
			w.start("a", 1, 1, 2, 3, 4, 5, 6)
			w.until("a:6")
			if d := time.Since(began); d > lease/5 {
				w.Errorf("a member holds all shards after %v", d)
			}
		})
	})
	t.Run("held once", func(t *testing.T) {
		each(t, func(w *world) {
			w.insert("dead", false, 1, 2, 3, 4, 5, 6)
			w.start("a", 2, 1, 2, 3, 4, 5, 6)
			began := time.Now()
			w.start("b", 2, 1, 2, 3, 4, 5, 6)
			w.until("a:6 b:6")
			if d := time.Since(began); d > lease*3/5 {
				w.Errorf("all shards have two holders after %v", d)
			}
		})
	})
}

// TestElsewhere: nobody stands by for a dead member, or before a sign of life was seen. The
// counters say that the shard is not held.
func TestElsewhere(t *testing.T) {
	shard.WithoutNamelocks(t)
	each(t, func(w *world) {
		expect := func(m *mortal, unheld int, want string) {
			w.Helper()
			patience.Until(w, "the offer says "+want, func() string {
				err, s := m.offer.Elsewhere(), m.Stats()
				if s.Unheld == unheld && (err == nil && want == "" || err != nil && want != "" && strings.Contains(err.Error(), want)) {
					return ""
				}
				return fmt.Sprintf("got %v and %+v", err, s)
			})
		}
		id := w.member("a", 1)
		same := w.mortal("a")
		expect(same, 1, `has not joined the others: the name "a" belongs to a recorder that may be alive`)
		b := w.mortal("b")
		expect(b, 1, "no recorder with a sign of life records it")
		same.crash()
		err := w.d.Transact(w.Context(), func(tx *sqldb.Tx) error {
			_, err := model.BeatShardMember(w.Context(), tx, id, "a", 0)
			return err
		})
		if err != nil {
			w.Fatal(err)
		}
		expect(b, 0, "")
		if b.offer.Held() {
			w.Error("the shard has two holders")
		}
		expect(b, 1, "no recorder with a sign of life records it")
		patience.Until(w, "b takes over", func() string {
			if b.offer.Held() && b.Stats().Unheld == 0 {
				return ""
			}
			return fmt.Sprintf("%+v", b.Stats())
		})
		c := w.mortal("c")
		expect(c, 0, "")
		b.crash()
		expect(c, 1, "no recorder with a sign of life records it")
	})
}

// TestElsewhereIsForgotten: knowledge about other recorders is true for a lease only.
func TestElsewhereIsForgotten(t *testing.T) {
	each(t, func(w *world) {
		w.start("a", 1, 1)
		w.until("a:1")
		b := w.mortal("b")
		patience.Until(w, "b stands by", func() string { return text(b.offer.Elsewhere()) })
		b.crash()               // its database is gone
		<-time.After(2 * lease) // an input: the outage
		if err := b.offer.Elsewhere(); err == nil || !strings.Contains(err.Error(), "the database was last read 2s ago") {
			w.Errorf("got %v", err)
		}
	})
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestUnheldOffers: an offer that is not in the tables yet counts as unheld, except for a process that
// is not a member: another one may record its shard.
func TestUnheldOffers(t *testing.T) {
	each(t, func(w *world) {
		a := w.start("a", 1, 1)
		if s := a.Stats(); s.Held == 0 && s.Unheld != s.Offered {
			w.Errorf("before the first step the counters are %+v", s)
		}
		w.until("a:1")
		same := w.mortal("a")
		patience.Until(w, "it sees the signs of life", func() string {
			if s := same.Stats(); s.Unheld == 0 && s.Shards == 1 && s.Held == 0 {
				return ""
			}
			return fmt.Sprintf("got %+v", same.Stats())
		})
		if err := same.offer.Elsewhere(); err == nil {
			w.Error("a process that is not a member stands by")
		}
	})
}

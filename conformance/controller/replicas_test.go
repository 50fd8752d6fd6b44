package controller_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/kube"
)

const (
	leaseFor = 3 * time.Second
	jobs     = 24
)

// exact makes the tests check times. By default they only check that jobs move, because a
// busy machine may take any time.
var exact = flag.Bool("exact", false, "check how soon jobs move to other replicas, on a machine without other load")

// history has the replicas that handled each job, in the order of the server.
type history struct {
	mu sync.Mutex
	of map[string][]turn
}

// turn is a status write of a replica.
type turn struct {
	by    string
	token uint64
	at    time.Time
}

// follow collects all status writes until ctx is done.
func (h *history) follow(ctx context.Context, t *testing.T, w *world) {
	for ev, err := range w.jobs.Watch(ctx, kube.Where{}, 0) {
		if err != nil {
			if ctx.Err() == nil {
				t.Error(err)
			}
			return
		}
		s := ev.Object.Status
		if s.HandledBy == "" {
			continue
		}
		h.mu.Lock()
		name := ev.Object.Name
		turns := h.of[name]
		if last := len(turns) - 1; last >= 0 {
			if s.Token < turns[last].token || s.HandledBy != turns[last].by && s.Token == turns[last].token {
				t.Errorf("%s: %s wrote with token %d after %s wrote with %d", name, s.HandledBy, s.Token, turns[last].by, turns[last].token)
			}
		}
		h.of[name] = append(turns, turn{s.HandledBy, s.Token, time.Now()})
		h.mu.Unlock()
	}
}

// owners returns how many jobs each replica handled last, among the jobs handled since a
// time.
func (h *history) owners(since time.Time) map[string]int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := map[string]int{}
	for _, turns := range h.of {
		if last := turns[len(turns)-1]; last.at.After(since) {
			n[last.by]++
		}
	}
	return n
}

// handedOver returns how long after a time other replicas handled the jobs of one: the
// first and the last of n.
func (h *history) handedOver(from string, since time.Time) (first, last time.Duration, n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, turns := range h.of {
		before := slices.IndexFunc(turns, func(t turn) bool { return t.at.After(since) })
		if before <= 0 || turns[before-1].by != from {
			continue
		}
		after := slices.IndexFunc(turns, func(t turn) bool { return t.at.After(since) && t.by != from })
		if after < 0 {
			continue
		}
		took := turns[after].at.Sub(since)
		if n++; n == 1 || took < first {
			first = took
		}
		last = max(last, took)
	}
	return first, last, n
}

// TestReplicas kills replicas under load, with one leader or with sharding. No two
// replicas handle a job at the same time: the fencing tokens that they write only grow.
// Jobs move to other replicas; within the duration of the lease on an idle machine.
func TestReplicas(t *testing.T) {
	for _, c := range []struct {
		mode     string
		replicas int
	}{{"elect", 2}, {"share", 3}} {
		t.Run(c.mode, func(t *testing.T) {
			w := newWorld(t)
			ctx, cancel := context.WithCancel(t.Context())
			h := &history{of: map[string][]turn{}}
			var work sync.WaitGroup
			defer work.Wait()
			defer cancel()
			for i := range jobs {
				if err := w.set(ctx, fmt.Sprint("job-", i), 1); err != nil {
					t.Fatal(err)
				}
			}
			work.Go(func() { h.follow(ctx, t, w) })
			loading, quiet := context.WithCancel(ctx)
			defer quiet()
			var load sync.WaitGroup
			load.Go(func() { w.load(loading, t) })

			run := func(name string) *process {
				return start(t, w.plane.Kubeconfig(), "trainjob", "-replicas", c.mode, "-identity", name, "-lease", leaseFor.String(), "-workers", "4", "-listen", "none")
			}
			replicas := map[string]*process{}
			for i := range c.replicas {
				name := fmt.Sprint("replica-", i)
				replicas[name] = run(name)
			}
			all := c.replicas
			if c.mode == "elect" {
				all = 1
			}
			working := func(n int) func() string {
				return func() string {
					if got := h.owners(time.Now().Add(-2 * time.Second)); len(got) != n {
						return fmt.Sprint(got)
					}
					return ""
				}
			}
			patience.Until(t, "all replicas work", working(all))
			<-time.After(leaseFor) // an input: a lease, after which jobs no longer change their replica
			var victim string
			patience.Until(t, "a replica works", func() string {
				if victim = anyOf(h.owners(time.Now().Add(-2 * time.Second))); victim == "" {
					return "no replica wrote a status in the last two seconds"
				}
				return ""
			})
			killed := time.Now()
			replicas[victim].kill()
			patience.Until(t, "all jobs of "+victim+" are handled by others", func() string {
				if got := h.owners(killed)[victim]; got > 0 || len(h.owners(killed)) == 0 || sum(h.owners(killed)) < jobs {
					return fmt.Sprint(h.owners(killed))
				}
				return ""
			})
			first, last, n := h.handedOver(victim, killed)
			t.Logf("%s: %s was killed; its %d jobs were handled by others after %v to %v, with a lease of %v", c.mode, victim, n, first.Round(time.Millisecond), last.Round(time.Millisecond), leaseFor)
			if *exact && first > 2*leaseFor {
				t.Errorf("the handover took too long")
			}
			again := run(victim + "-again")
			if c.mode == "share" {
				patience.Until(t, "all replicas work again", working(all))
			} else {
				again.says("another replica leads")
			}
			delete(replicas, victim)
			leaver := anyOf(h.owners(time.Now().Add(-2*time.Second)), victim+"-again")
			if p := replicas[leaver]; p != nil {
				left := time.Now()
				p.stop()
				stopped := time.Now()
				patience.Until(t, "all jobs of "+leaver+" are handled by others", func() string {
					if got := h.owners(stopped); got[leaver] > 0 || sum(got) < jobs {
						return fmt.Sprint(got)
					}
					return ""
				})
				first, last, n := h.handedOver(leaver, left)
				t.Logf("%s: %s stopped; its %d jobs were handled by others after %v to %v", c.mode, leaver, n, first.Round(time.Millisecond), last.Round(time.Millisecond))
			}
			quiet()
			load.Wait()
			patience.Until(t, "all jobs have their pods, and no other pods exist", func() string { return w.problem(t.Context()) })
		})
	}
}

// load changes all jobs continuously, so that each is handled several times a second.
func (w *world) load(ctx context.Context, t *testing.T) {
	random := testinput.Rand(t)
	tick := time.NewTicker(20 * time.Millisecond) // an input: the pace of the writer
	defer tick.Stop()
	for i := 0; ctx.Err() == nil; i++ {
		<-tick.C
		if err := w.set(ctx, fmt.Sprint("job-", i%jobs), random.IntN(3)); err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}
}

func anyOf(of map[string]int, but ...string) string {
	for name := range of {
		if !slices.Contains(but, name) {
			return name
		}
	}
	return ""
}

func sum(of map[string]int) (n int) {
	for _, one := range of {
		n += one
	}
	return n
}

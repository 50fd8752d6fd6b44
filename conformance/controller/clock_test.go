package controller_test

import (
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/conformance/clock"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
)

var clocks = flag.Bool("clocks", false, "run the test whose program is compiled with another clock")

// TestClockJumps moves the clocks of the machines of replicas ahead and back, each on its
// own. No two replicas handle a job at the same time: the fencing tokens that they write
// only grow. After each jump all jobs are handled again within three leases.
func TestClockJumps(t *testing.T) {
	if !*clocks {
		return
	}
	testinput.Uncached(t)
	dir := t.TempDir()
	if err := gobuild.Into(t.Context(), dir, "-overlay", clock.Overlay(t), "./examples/trainjob"); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []string{"elect", "share"} {
		t.Run(mode, func(t *testing.T) {
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
			random := testinput.Rand(t)
			clocks := map[string]*clock.Clock{}
			for i := range 2 {
				name := fmt.Sprint("replica-", i)
				clocks[name] = clock.New(t)
				startIn(t, filepath.Join(dir, "trainjob"), []string{"KUBECONFIG=" + w.plane.Kubeconfig(), clocks[name].Env()}, "trainjob", "-replicas", mode, "-identity", name, "-lease", leaseFor.String(), "-workers", "4", "-listen", "none")
			}
			handled := func(since time.Time) func() string {
				return func() string {
					if got := h.owners(since); sum(got) < jobs {
						return fmt.Sprint(got)
					}
					return ""
				}
			}
			patience.Until(t, "all jobs are handled", handled(time.Now()))
			// The certificate of the API server is valid from an hour ago.
			for _, ahead := range []time.Duration{time.Hour, -50 * time.Minute, 10 * time.Second, -10 * time.Second, 0} {
				worker := anyOf(h.owners(time.Now().Add(-2 * time.Second)))
				for name, c := range clocks {
					if name == worker || random.IntN(2) == 0 {
						c.Move(ahead)
					}
				}
				jumped := time.Now()
				patience.Until(t, fmt.Sprintf("all jobs are handled although the clock of %s is %v ahead", worker, ahead), handled(jumped))
				t.Logf("the clock of %s is %v ahead; all jobs were handled after %v by %v", worker, ahead, time.Since(jumped).Round(100*time.Millisecond), h.owners(jumped))
			}
			quiet()
			load.Wait()
			patience.Until(t, "all jobs have their pods, and no other pods exist", func() string { return w.problem(t.Context()) })
		})
	}
}

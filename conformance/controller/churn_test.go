package controller_test

import (
	"context"
	"flag"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/conformance/dice"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

// churn is how long the test creates, changes and deletes jobs.
var churn = flag.Duration("churn", 25*time.Second, "how long TestNothingIsMissing disturbs the controller")

const names = 30

// TestNothingIsMissing creates, changes and deletes TrainJobs and pods at random, while
// it kills the controller and the API server again and again. In the end, every job has
// its pods, and there are no other pods.
func TestNothingIsMissing(t *testing.T) {
	w := newWorld(t)
	var done atomic.Int64
	random := dice.New(t)
	ctx, cancel := context.WithCancel(t.Context())
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			tick := time.NewTicker(20 * time.Millisecond) // an input: the pace of the writer
			defer tick.Stop()
			for ctx.Err() == nil {
				<-tick.C
				if w.disturb(ctx, random) == nil {
					done.Add(1)
				}
			}
		})
	}
	var controllers []*process
	began := time.Now()
	server := 0
	for n := 0; time.Since(began) < *churn; n++ { // an input: the length of the disturbance
		p := start(t, w.plane.Kubeconfig(), "trainjob", "-workers", "4", "-listen", "none")
		controllers = append(controllers, p)
		if n%2 == 1 {
			<-time.After(2 * time.Second) // an input: the pace of the disturbance
			w.plane.KillAPIServer()
			server++
			if err := w.plane.StartAPIServer(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(time.Duration(3+random.IntN(4)) * time.Second) // an input: the pace of the disturbance
		p.kill()
	}
	cancel()
	work.Wait()
	last := start(t, w.plane.Kubeconfig(), "trainjob", "-workers", "4", "-listen", "none")
	controllers = append(controllers, last)
	settled := time.Now()
	patience.Until(t, "all jobs have their pods, and no other pods exist", func() string { return w.problem(t.Context()) })
	took := time.Since(settled)
	last.stop()
	conflicts, reconciled := 0, 0
	for _, p := range controllers {
		c, r := p.conflicts(p == last)
		conflicts, reconciled = conflicts+c, reconciled+r
	}
	t.Logf("%d changes, %d of them deletions of jobs, and %d reconciles, %d of them conflicts; the controller was killed %d times, the API server %d times; correct %v after the last start",
		done.Load(), w.deleted.Load(), reconciled, conflicts, len(controllers)-1, server, took.Round(time.Millisecond))
	if conflicts == 0 || done.Load() < 100 || w.deleted.Load() < 20 || len(controllers) < 3 || server == 0 {
		t.Error("not enough disturbance: no conflicts, few changes or deletions, or nothing was killed")
	}
}

// disturb makes one random change. Errors are expected: the API server is killed, too.
func (w *world) disturb(ctx context.Context, random *dice.Dice) error {
	name := fmt.Sprintf("job-%d", random.IntN(names))
	switch random.IntN(10) {
	case 0:
		return w.deleteJob(ctx, name)
	case 1:
		return w.pods.Delete(ctx, key(fmt.Sprintf("%s-%d", name, random.IntN(4))), kube.DeleteOptions{})
	case 2, 3, 4, 5: // these cause conflicts
		_, err := w.jobs.Patch(ctx, key(name), kube.MergePatch(map[string]any{
			"metadata": map[string]any{"annotations": map[string]any{"example.com/n": fmt.Sprint(random.Uint64())}},
		}))
		return err
	}
	err := w.set(ctx, name, random.IntN(5))
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// deleteJob deletes a job with the version that was read as a precondition. Without it, an
// API server may delete a job although a finalizer was added meanwhile, and the writer of
// the finalizer gets no error (kubernetes/kubernetes#77988). The remaining pods would then
// be unknown to any controller.
func (w *world) deleteJob(ctx context.Context, name string) error {
	job, err := w.jobs.Get(ctx, key(name))
	if err != nil {
		return err
	}
	version, err := wire.ParseVersion(job.ResourceVersion)
	if err != nil {
		return err
	}
	if err = w.jobs.Delete(ctx, key(name), kube.DeleteOptions{Version: version}); err == nil {
		w.deleted.Add(1)
	}
	return err
}

var keyOf = regexp.MustCompile(` key=(\S+) `)

// conflicts returns the number of reconciles with a conflict, and of all completed ones.
// In a process that was not killed, each conflict must have been retried until it was
// resolved.
func (p *process) conflicts(whole bool) (conflicts, reconciled int) {
	open := map[string]bool{}
	for _, line := range p.lines() {
		m := keyOf.FindStringSubmatch(line)
		switch {
		case m == nil:
		case strings.Contains(line, `msg="reconcile failed"`):
			reconciled++
			if !strings.Contains(line, "retry=") {
				p.t.Errorf("not retried: %s", line)
			}
			if strings.Contains(line, "the object has been modified") {
				conflicts++
				open[m[1]] = true
			}
		case strings.Contains(line, "msg=reconciled"):
			reconciled++
			delete(open, m[1])
		}
	}
	if whole && len(open) > 0 {
		p.t.Errorf("unresolved conflicts: %v", open)
	}
	return conflicts, reconciled
}

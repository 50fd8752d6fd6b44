package simulation

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
)

// Platform runs every job in the server, of any submitter. A watch reports jobs, suspensions and
// deletions.
type Platform struct {
	*world
	cluster *kube.Cluster
	known   map[types.UID]*tracked // used by Run only

	mu     sync.Mutex
	plans  map[string]jobPlan // of the jobs of the users, by name
	ended  map[string]int     // number of jobs by how they ended
	open   int                // jobs that wait or run
	change chan struct{}      // closed at the next change of ended and open
}

// tracked is a job that the platform has seen.
type tracked struct {
	started bool // seen without suspension
	held    bool
	stop    context.CancelCauseFunc
	done    chan struct{} // closed when the run has ended
}

// stopReason is the reason why a run stops: the job was suspended or deleted, and perhaps
// cancelled.
type stopReason struct{ deleted, cancelled bool }

// Error implements error.
func (s *stopReason) Error() string {
	return fmt.Sprintf("the job was stopped (deleted %v, cancelled %v)", s.deleted, s.cancelled)
}

// New returns the platform of a server, which needs Admit for its defaults. elapse lets the time
// of the simulation elapse.
func New(server *apitest.Server, cluster *kube.Cluster, elapse Elapse) *Platform {
	return &Platform{
		world: newWorld(server, elapse), cluster: cluster, known: map[types.UID]*tracked{}, plans: map[string]jobPlan{},
		ended: map[string]int{}, change: make(chan struct{}),
	}
}

// Run runs all jobs of the server until ctx is done, whoever submits them: it writes the changes
// of a queue, the job controller and nodes in their order. The words of a command determine how
// its job ends, see planOf.
//
// Errors: the first error of the server.
func (p *Platform) Run(ctx context.Context) error {
	jobs, err := informer.Watch[batchv1.Job](p.cluster, informer.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var work sync.WaitGroup
	work.Go(func() {
		if err := jobs.Run(ctx); err != nil {
			cancel(err)
		}
	})
	for ev := range jobs.Changes(ctx, informer.SubscriptionConfig{Mode: store.Lossless}) {
		job, err := ev.Object()
		if err != nil {
			cancel(err)
			break
		}
		p.observe(ctx, ev.Kind(), job, func(do func() error) {
			work.Go(func() {
				if err := do(); err != nil {
					cancel(err)
				}
			})
		})
	}
	work.Wait()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// observe starts and stops the run of a job that has changed. start starts a goroutine.
func (p *Platform) observe(ctx context.Context, kind store.ChangeKind, j *batchv1.Job, start func(func() error)) {
	t := p.known[j.UID]
	cancelled := j.Annotations[job.CancelledByAnnotation] != ""
	held := Suspended(j) && (cancelled || t != nil && t.started)
	switch {
	case kind == store.Deleted:
		delete(p.known, j.UID)
		start(func() error {
			if t != nil {
				t.stop(&stopReason{true, cancelled})
				<-t.done
			}
			return removePods(p.server, j)
		})
	case t == nil && finished(j):
	case t == nil:
		t = &tracked{}
		p.known[j.UID] = t
		p.begin(ctx, t, j, start)
	case held && !t.held:
		t.held, t.started = true, false
		t.stop(&stopReason{false, cancelled})
	case t.held && !Suspended(j) && !finished(j):
		t.held = false
		p.begin(ctx, t, j, start)
	}
	t.started = t.started || !Suspended(j)
}

// finished reports whether a job has ended.
func finished(job *batchv1.Job) bool {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == "True" {
			return true
		}
	}
	return false
}

// begin starts a run after the previous one of the job has ended.
func (p *Platform) begin(ctx context.Context, t *tracked, job *batchv1.Job, start func(func() error)) {
	p.mu.Lock()
	plan, own := p.plans[job.Name]
	p.open++
	p.mu.Unlock()
	if !own {
		plan = planOf(job)
	}
	before, done := t.done, make(chan struct{})
	ctx, t.stop = context.WithCancelCause(ctx)
	t.done = done
	r := &jobRun{world: p.world, plan: plan, job: job}
	start(func() error {
		defer close(done)
		if before != nil {
			<-before
		}
		how, err := r.toEnd(ctx)
		if gone(err) {
			<-ctx.Done() // the watch will soon report the reason
			how, err = "", nil
		}
		if err == nil && how == "" {
			how, err = stopped(r, context.Cause(ctx))
		}
		p.over(how)
		return err
	})
}

// gone reports whether an error means that the job was deleted.
func gone(err error) bool { return errors.Is(err, errGone) || apierrors.IsNotFound(err) }

// stopped ends a run that was stopped, and returns how the job ended, "" if it has not.
func stopped(r *jobRun, cause error) (string, error) {
	why := &stopReason{}
	if !errors.As(cause, &why) {
		return "", nil
	}
	if !why.deleted {
		if err := r.halt(); err != nil && !gone(err) {
			return "", err
		}
	}
	switch {
	case why.cancelled:
		return jobCancelled, nil
	case why.deleted:
		return jobDeleted, nil
	}
	return "", nil
}

// plan sets the plan of a job of the demo.
func (p *Platform) plan(name string, plan jobPlan) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.plans[name] = plan
}

// over notes that a run has ended.
func (p *Platform) over(how string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open--
	if how != "" {
		p.ended[how]++
	}
	close(p.change)
	p.change = make(chan struct{})
}

// await waits until ok returns true for the numbers of open and of ended jobs.
//
// Errors: the cause of ctx.
func (p *Platform) await(ctx context.Context, ok func(open, ended int) bool) error {
	for {
		p.mu.Lock()
		open, ended, change := p.open, 0, p.change
		for _, n := range p.ended {
			ended += n
		}
		p.mu.Unlock()
		if ctx.Err() == nil && ok(open, ended) {
			return nil
		}
		select {
		case <-change:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// outcomes counts the ended jobs by outcome.
func (p *Platform) outcomes() (byEnd map[string]int, total int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	byEnd = map[string]int{}
	for how, n := range p.ended {
		byEnd[how] = n
		total += n
	}
	return byEnd, total
}

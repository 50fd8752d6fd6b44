package portaljobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/joblist"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// Times of a job that is awaited through a portal.
const (
	askEvery    = time.Second
	recordedFor = time.Minute // maximum delay until a recorder stores a new job
	awaitedPods = 200         // whose states are printed
)

// Watch follows a job through a portal. One goroutine uses it.
type Watch struct {
	Jobs *Jobs
	Ref  api.JobRef
	Con  *console.Console
	// State is called with each state of the job, and pod repeatedly with the name and the state
	// of each pod.
	State func(job.Status) error
	Pod   func(name string, s job.Status) error

	id     int64           // of the object; 0 before the portal shows the job
	seen   map[string]bool // transitions
	failed func(error)
}

// Run calls the functions until the job has ended. shown is closed when the portal shows the
// job.
//
// Errors: the portal refuses, or does not show the job in time; those of the functions.
func (w *Watch) Run(ctx context.Context, shown chan<- struct{}) error {
	w.seen, w.failed = map[string]bool{}, joblist.ReportOnce(w.Con)
	began := time.Now()
	tick := time.NewTicker(askEvery)
	defer tick.Stop()
	for {
		before := w.id
		ended, err := w.ask(ctx)
		if before == 0 && w.id != 0 {
			close(shown)
		}
		var p *api.Problem
		switch {
		case ended, ctx.Err() != nil:
			return nil
		case errors.As(err, &p) && p.Type == api.ProblemUnknown && before == 0:
			if time.Since(began) > recordedFor {
				return fmt.Errorf("the portal at %s does not show %s after %v: is a recorder running that records %s?", w.Jobs.Address(), w.Ref.Name, recordedFor, w.Ref.Type)
			}
		case errors.As(err, &p) && p.Status < http.StatusInternalServerError && p.Status != http.StatusTooManyRequests:
			return err
		case errors.As(err, &p), errors.Is(err, errAway):
			w.failed(fmt.Errorf("%w; trying again", err))
		case err != nil:
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// errAway is an error of a portal that does not answer.
var errAway = errors.New("the portal cannot be asked")

// ask sends one round of requests. ended reports that the job has ended.
func (w *Watch) ask(ctx context.Context) (ended bool, err error) {
	if w.id == 0 {
		detail, err := w.Jobs.Job(ctx, w.Ref, nil)
		if err != nil {
			return false, away(err)
		}
		w.id = detail.Job.ID
	}
	for t, err := range w.Jobs.h.TransitionsOf(ctx, w.id) {
		if err != nil {
			return false, away(err)
		}
		if key := t.Version.String() + " " + t.To; !w.seen[key] {
			w.seen[key] = true
			if err := w.State(statusOf(&t)); err != nil {
				return false, err
			}
		}
		if job.State(t.To).Final() {
			return true, nil
		}
	}
	pods, err := w.Jobs.Pods(ctx, w.Ref, url.Values{"limit": {fmt.Sprint(awaitedPods)}})
	if err != nil {
		return false, away(err)
	}
	for _, p := range pods.Pods {
		if err := w.Pod(p.Name, job.Status{State: job.State(p.State), Reason: p.Reason, Message: p.Message}); err != nil {
			return false, err
		}
	}
	return false, nil
}

// away marks the errors of a portal that does not answer.
func away(err error) error {
	var p *api.Problem
	if errors.As(err, &p) {
		return err
	}
	return fmt.Errorf("%w: %w", errAway, err)
}

// statusOf returns the new state of a transition.
func statusOf(t *history.Transition) job.Status {
	return job.Status{State: job.State(t.To), Raw: t.ToRaw, Reason: t.Reason, Message: t.Message}
}

package portal

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// Figures of the portal.
const (
	Load       = "load"    // s from the start of the process until it answers
	BodiesRead = "settled" // s from the start until it has the resources of every job
	FirstPaint = "paint"   // s until the browser paints first
	Rows       = "rows"    // s until the browser shows jobs
	Failed     = "failed"  // requests
	Cores      = "cores"   // CPU time per second, during requests and transitions
)

// Answers measures the answers of the portal, while a recorder commits transitions. Task.N is the
// number of jobs, Task.Rate the number of transitions per second, and Task.Events the number of
// requests of each operation.
func Answers(ctx context.Context, t *contest.Task) (*contest.Result, error) {
	h, err := openHistory(ctx, t)
	if err != nil {
		return nil, err
	}
	r, err := answersOf(ctx, t, h)
	return r, errors.Join(err, h.db.Close())
}

func answersOf(ctx context.Context, t *contest.Task, h *history) (*contest.Result, error) {
	f := measure.Figures{}
	begun := time.Now()
	p, err := Start(ctx, "serve", h.url)
	if err != nil {
		return nil, err
	}
	if err := p.loaded(ctx, begun, f); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	rec := h.record(ctx, t.Rate)
	result, err := measured(ctx, t, p, f)
	return result, errors.Join(err, rec.stop(ctx, h), p.stop())
}

// loaded waits until the portal has read the history, including the bodies of jobs.
func (r *Running) loaded(ctx context.Context, begun time.Time, f measure.Figures) error {
	if err := r.ready(ctx); err != nil {
		return err
	}
	f[Load] = time.Since(begun).Seconds()
	err := Settled(ctx, r.URL)
	f[BodiesRead] = time.Since(begun).Seconds()
	slog.Info("the portal has read the history", "seconds", f[Load], "bodies", f[BodiesRead])
	return err
}

// Settled waits until a portal answers, and has read the bodies of all jobs.
func Settled(ctx context.Context, base string) error {
	return until(ctx, "the portal reads bodies", func() (bool, error) { // the portal reads the oldest jobs last
		list, err := read[api.JobList](ctx, http.DefaultClient, base+api.Prefix+"/jobs?sort=submitted&limit=1")
		return err == nil && len(list.Jobs) > 0 && list.Jobs[0].GPUs >= 0, ctx.Err()
	})
}

// measured measures a portal beside a recorder.
func measured(ctx context.Context, t *contest.Task, p *Running, f measure.Figures) (*contest.Result, error) {
	base := p.URL + api.Prefix
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 8}}
	defer client.CloseIdleConnections()
	s, err := sampleOf(ctx, client, base)
	if err != nil {
		return nil, err
	}
	before, err := p.Usage(ctx, false)
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	took, sizes, failed := ask(ctx, client, base, s, t.Events)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	seconds := time.Since(begun).Seconds()
	after, err := p.Usage(ctx, true)
	if err != nil {
		return nil, err
	}
	f[Cores] = (after[measure.CPU] - before[measure.CPU]) / seconds
	f[measure.Heap], f[measure.Peak], f[RSS] = after[measure.Heap], after[measure.Peak], after[RSS]
	slog.Info("answers were measured", "seconds", seconds, "cores", f[Cores], "heap", f[measure.Heap])
	if f[FirstPaint], f[Rows], err = Paint(ctx, p.URL, t.Paints); err != nil {
		return nil, err
	}
	r := &contest.Result{Figures: f}
	var goal []time.Duration
	var goalSizes [][]int
	for i, o := range operations {
		part := measure.Figures{}
		if o.goal {
			goal, goalSizes = append(goal, took[i]...), append(goalSizes, sizes[i])
		}
		measure.Latency(took[i], part)
		part[Failed] = failed[i]
		f[Failed] += failed[i]
		r.Parts = append(r.Parts, contest.Part{Name: o.name, Figures: part})
	}
	r.Curve = measure.Latency(goal, f)
	floor, err := answersFloor(ctx, client, goalSizes)
	r.Parts = append(r.Parts, contest.Part{Name: Floor, Figures: floor})
	return r, err
}

// pause is the interval of requests. The portal refuses more than 50 a second of one person.
const pause = 25 * time.Millisecond

// ask sends n requests of each operation, in turn, one at a time. It returns the durations and
// sizes of the answers, and the number of failures.
func ask(ctx context.Context, client *http.Client, base string, s *sample, n int) (took [][]time.Duration, sizes [][]int, failed []float64) {
	took, sizes, failed = make([][]time.Duration, len(operations)), make([][]int, len(operations)), make([]float64, len(operations))
	pace := time.NewTicker(pause)
	defer pace.Stop()
	for range n {
		for i, o := range operations {
			select {
			case <-pace.C:
			case <-ctx.Done():
				return took, sizes, failed
			}
			url := base + o.path(s)
			begun := time.Now()
			body, err := get(ctx, client, url)
			if err != nil {
				slog.Warn("a request failed", "operation", o.name, "err", err)
				failed[i]++
			}
			took[i], sizes[i] = append(took[i], time.Since(begun)), append(sizes[i], len(body))
		}
	}
	return took, sizes, failed
}

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/apitest"
)

// workload simulates the users, the queue, the job controller and the nodes of a small
// training platform. The seed determines what happens to each job; only the interleaving
// of the jobs depends on the clock.
type workload struct {
	server *apitest.Server
	seed   uint64
	speed  float64
	gpus   chan struct{} // holds a token for each running job

	mu    sync.Mutex
	ended map[string]int // number of jobs by outcome
	began time.Time
}

// gpus is the number of jobs that run at the same time. It is small, so that others queue.
const gpus = 3

// maxOpen bounds the jobs that exist at the same time.
const maxOpen = 8

func newWorkload(server *apitest.Server, seed uint64, speed float64) *workload {
	return &workload{
		server: server, seed: seed, speed: speed,
		gpus: make(chan struct{}, gpus), ended: map[string]int{}, began: time.Now(),
	}
}

// run submits jobs one after the other, and returns when all have ended. With 0 jobs, it
// submits jobs until ctx is done.
//
// Errors: the cause of ctx; the first error of the server.
func (w *workload) run(ctx context.Context, jobs int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	open := make(chan struct{}, maxOpen)
	chance := rand.New(rand.NewPCG(w.seed, 1<<63)) // each goroutine has its own source
	var work sync.WaitGroup
	for i := 0; (jobs == 0 || i < jobs) && ctx.Err() == nil; i++ {
		select {
		case open <- struct{}{}:
		case <-ctx.Done():
			continue
		}
		job := newDemoJob(w, i)
		work.Go(func() {
			if err := job.run(ctx); err != nil {
				cancel(err)
			}
			<-open
		})
		w.pass(ctx, chance, 600)
	}
	work.Wait()
	return context.Cause(ctx)
}

// pass waits for about that many milliseconds of simulated time.
func (w *workload) pass(ctx context.Context, chance *rand.Rand, about int) {
	ms := float64(about/2+chance.IntN(about)) / w.speed
	pause(ctx, time.Duration(ms*float64(time.Millisecond)))
}

// over returns how many jobs have ended.
func (w *workload) over() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, some := range w.ended {
		n += some
	}
	return n
}

// summary describes how the jobs ended.
func (w *workload) summary() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	total := 0
	var parts []string
	for _, how := range []string{"succeeded", "succeeded after a retry", "failed", "deleted by their user"} {
		if n := w.ended[how]; n > 0 {
			total += n
			parts = append(parts, fmt.Sprintf("%d %s", n, how))
		}
	}
	if total == 0 {
		return "No job has ended."
	}
	return fmt.Sprintf("%d jobs in %v: %s.", total, time.Since(w.began).Round(time.Second), strings.Join(parts, ", "))
}

func (w *workload) count(how string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended[how]++
}

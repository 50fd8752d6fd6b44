package demo

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/pause"
)

// world is the server, the clock and the nodes that all parts of the demo share.
type world struct {
	server *apitest.Server
	seed   uint64
	speed  float64
	gpus   chan struct{} // holds a token for each running job
}

// nodes is the number of jobs that run at the same time. It is small, so that jobs queue.
const nodes = 3

// gpusOfNode is the number of GPUs that one pod can have.
const gpusOfNode = 8

func newWorld(server *apitest.Server, seed uint64, speed float64) *world {
	return &world{server: server, seed: seed, speed: speed, gpus: make(chan struct{}, nodes)}
}

// pass waits for about that many milliseconds of simulated time.
func (w *world) pass(ctx context.Context, chance *rand.Rand, about int) {
	w.wait(ctx, time.Duration(about/2+chance.IntN(about))*time.Millisecond)
}

// wait waits for a simulated time.
func (w *world) wait(ctx context.Context, d time.Duration) {
	_ = pause.For(ctx, time.Duration(float64(d)/w.speed))
}

package simulation

import (
	"context"
	"math/rand/v2"
	"time"

	"github.com/vedette-io/vedette/apitest"
)

// world is the server, the clock and the nodes that all parts of the simulation share.
type world struct {
	server *apitest.Server
	elapse Elapse
	gpus   chan struct{} // holds a token for each running job
}

// Elapse lets a time of the simulation elapse. It returns at the latest when ctx is done.
type Elapse func(ctx context.Context, d time.Duration)

// nodes is the number of jobs that run at the same time. It is small, so that jobs queue.
const nodes = 3

// gpusOfNode is the number of GPUs that one pod can have.
const gpusOfNode = 8

func newWorld(server *apitest.Server, elapse Elapse) *world {
	return &world{server: server, elapse: elapse, gpus: make(chan struct{}, nodes)}
}

// pass waits for about that many milliseconds of simulated time.
func (w *world) pass(ctx context.Context, chance *rand.Rand, about int) {
	w.elapse(ctx, time.Duration(about/2+chance.IntN(about))*time.Millisecond)
}

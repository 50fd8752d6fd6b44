package feed

import (
	"math/rand/v2"
	"time"
)

// jitter returns a random duration between d/2 and 3d/2, so that replicas do not run in
// step.
func jitter(d time.Duration) time.Duration { return d/2 + rand.N(d) }

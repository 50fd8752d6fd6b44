package contract

import (
	"testing"
	"testing/synctest"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// Engine is an implementation of client-go's interfaces.
type Engine struct {
	// Ours selects the side of each Difference.
	Ours bool
	// Wrap changes the configuration of clients before they are created.
	Wrap func(*rest.Config) *rest.Config
	// NewSharedIndexInformer is the function of tools/cache with options.
	NewSharedIndexInformer func(cache.ListerWatcher, runtime.Object, cache.SharedIndexInformerOptions) cache.SharedIndexInformer
	// NewQueue returns a queue with a rate limiter. The suite shuts it down.
	NewQueue func(workqueue.TypedRateLimiter[string]) workqueue.TypedRateLimitingInterface[string]
}

// ClientGo is client-go itself.
func ClientGo() Engine {
	return Engine{
		Wrap:                   func(c *rest.Config) *rest.Config { return c },
		NewSharedIndexInformer: cache.NewSharedIndexInformerWithOptions,
		NewQueue:               workqueue.NewTypedRateLimitingQueue[string],
	}
}

// point is one requirement, and its test.
type point struct {
	name string
	test func(*stage)
}

// Run runs the suite. Each point is a subtest with its number and a name.
func Run(t *testing.T, e Engine) {
	RunInformers(t, e)
	RunQueues(t, e)
}

// RunInformers runs points 1 to 28.
func RunInformers(t *testing.T, e Engine) {
	for _, points := range [][]point{storePoints, handlerPoints, lifePoints, protocolPoints, faultPoints} {
		for _, p := range points {
			t.Run(p.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					s := newStage(t, e)
					defer s.end()
					p.test(s)
				})
			})
		}
	}
}

// RunQueues runs points 29 and 30.
func RunQueues(t *testing.T, e Engine) {
	for _, p := range queuePoints {
		t.Run(p.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { p.test(&queueStage{t: t, e: e}) })
		})
	}
}

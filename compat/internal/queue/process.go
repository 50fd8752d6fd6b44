package queue

import (
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

// process returns a queue of client-go of that name, which is shut down, and whether
// the process has a provider for its metrics. That shows in that the queue asks its
// clock for a ticker.
func process(name string) (q *clientgo.Typed[struct{}], counted bool) {
	asked := &tickers{}
	q = clientgo.NewTypedWithConfig(clientgo.TypedQueueConfig[struct{}]{Name: name, Clock: asked})
	q.ShutDown() // joins the goroutine that asks
	return q, asked.asked
}

// still is a clock whose tickers do not tick.
type still struct{ clock.RealClock }

func (still) NewTicker(time.Duration) clock.Ticker { return silent{} }

type silent struct{}

func (silent) C() <-chan time.Time { return nil }
func (silent) Stop()               {}

// tickers is such a clock that notes whether it was asked for one.
type tickers struct {
	still
	asked bool
}

func (t *tickers) NewTicker(time.Duration) clock.Ticker {
	t.asked = true
	return silent{}
}

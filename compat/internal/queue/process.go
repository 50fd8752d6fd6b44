package queue

import (
	"reflect"
	"time"

	clientgo "k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
)

// process returns the struct with the metrics of a queue of client-go of that name. ok is
// false if the process has no provider for them: then client-go keeps an empty struct.
func process(name string) (metrics reflect.Value, ok bool) {
	c := newStill()
	q := clientgo.NewTypedWithConfig(clientgo.TypedQueueConfig[struct{}]{Name: name, Clock: c})
	q.ShutDown()
	c.end()
	v := reflect.ValueOf(q).Elem().FieldByName("metrics")
	for v.Kind() == reflect.Interface || v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	return v, v.Kind() != reflect.Struct || v.NumField() > 0
}

// still is a clock whose tickers do not tick until the end.
type still struct {
	clock.RealClock
	over chan time.Time
}

func newStill() still { return still{over: make(chan time.Time)} }

// end ends the goroutine of a queue that is shut down. Since client-go 0.35 the queue does so itself.
func (s still) end() { close(s.over) }

func (s still) NewTicker(time.Duration) clock.Ticker { return silent{s.over} }

type silent struct{ over <-chan time.Time }

func (s silent) C() <-chan time.Time { return s.over }
func (silent) Stop()                 {}

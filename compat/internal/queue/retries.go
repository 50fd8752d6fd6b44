package queue

import clientgo "k8s.io/client-go/util/workqueue"

// Retries counts items that are delayed.
type Retries struct {
	metric clientgo.CounterMetric
	meter  clientgo.TypedDelayingInterface[struct{}] // counts for the provider of the process
}

// NewRetries returns the counter of a queue; nil without a name, or if the
// provider is nil and the process has none.
func NewRetries(name string, provider clientgo.MetricsProvider) *Retries {
	if name == "" {
		return nil
	}
	if provider != nil {
		return &Retries{metric: provider.NewRetriesMetric(name)}
	}
	if _, counted := process(name); !counted {
		return nil
	}
	return &Retries{meter: clientgo.NewTypedDelayingQueueWithConfig(clientgo.TypedDelayingQueueConfig[struct{}]{
		Name: name, Clock: newStill(), Queue: none{},
	})}
}

// Count counts one.
func (r *Retries) Count() {
	switch {
	case r == nil:
	case r.metric != nil:
		r.metric.Inc()
	default:
		r.meter.AddAfter(struct{}{}, 0) // counts each call, also one without a delay
	}
}

// Stop ends the goroutine of the counter.
func (r *Retries) Stop() {
	if r != nil && r.meter != nil {
		r.meter.ShutDown()
	}
}

// none is a queue without items.
type none struct{}

func (none) Add(struct{})          {}
func (none) Len() int              { return 0 }
func (none) Get() (struct{}, bool) { return struct{}{}, true }
func (none) Done(struct{})         {}
func (none) ShutDown()             {}
func (none) ShutDownWithDrain()    {}
func (none) ShuttingDown() bool    { return false }

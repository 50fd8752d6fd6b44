package informer

import "time"

// HandlerConfig is the configuration of a handler. The zero value works.
type HandlerConfig struct {
	// Name identifies the handler in logs, health and metrics; default its number.
	Name string
	// Subscription selects the events of the handler; by default every change, in order
	// (store.EveryChange). A slow handler does not block others: if it lags by more than
	// Config.Backlog changes, it gets the folded changes of each object, and Health
	// shows that.
	Subscription SubscriptionConfig
	// Retry is the maximum number of retries of an event after an error. The backoff
	// doubles from MinBackoff (default 100 ms) to MaxBackoff (default 30 s), and later
	// events wait. Default 0: the error is reported, and the next event follows. Negative:
	// no limit. Use a workqueue for work that may fail for long.
	Retry                  int
	MinBackoff, MaxBackoff time.Duration
	// Panics determines what happens after the handler or one of its filters panics;
	// default RetryOnPanic. After the panic of a filter, RetryOnPanic and SkipOnPanic let
	// the change pass: a consumer can ignore a change, but not miss one.
	Panics PanicPolicy
	// BatchSize is the maximum number of events for one call of OnBatch or OnChanges;
	// default 1,000.
	BatchSize int
	// Report is called for each failure, on the goroutine of the handler: an error, or a
	// panic with its stack (*PanicError). Default: Config.Logger gets the failure.
	Report func(error)
}

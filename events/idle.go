package events

import (
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
)

// reportAfter is how long an Event may wait for a Run that does not run before the log
// reports it.
const reportAfter = 8 * time.Second

var (
	errNotRun = errors.New("the publisher is not running")
	errEnded  = errors.New("the Run of the publisher has ended")
)

// idleMonitor reports a publisher that has Events and is not running.
type idleMonitor struct {
	log *faultlog.Reporter

	logging sync.Mutex // held while the monitor logs; locked before mu

	mu    sync.Mutex
	why   error       // nil while Run runs
	since time.Time   // of the first Event that waits
	timer *time.Timer // nil until an Event waits
}

func newIdleMonitor(controller string, log func() *slog.Logger) *idleMonitor {
	return &idleMonitor{why: errNotRun, log: &faultlog.Reporter{
		Fault: "events: Events are not sent", Over: "events: the publisher is running now", Logger: log, Attrs: []any{"controller", controller},
	}}
}

// expectRun records that an Event waits.
func (i *idleMonitor) expectRun() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.why != nil && i.timer == nil {
		i.since = time.Now()
		i.timer = time.AfterFunc(reportAfter, i.report)
	}
}

// report logs that Events wait, if that is still true.
func (i *idleMonitor) report() {
	i.logging.Lock()
	defer i.logging.Unlock()
	i.mu.Lock()
	why, since := i.why, i.since
	i.mu.Unlock()
	if why == nil {
		return
	}
	remedy := "call its Run, such as with AddFunc of a manager"
	if errors.Is(why, errEnded) {
		remedy = "end its Run after everything that publishes Events"
	}
	i.log.See(faultlog.State{Kind: "not running", Err: why, Remedy: remedy, Attrs: []any{"age", time.Since(since).String()}})
}

// running records that Run runs.
func (i *idleMonitor) running() {
	i.mu.Lock()
	i.why = nil
	late := i.timer != nil && !i.timer.Stop()
	i.timer = nil
	i.mu.Unlock()
	if late {
		i.logging.Lock()
		defer i.logging.Unlock()
		i.log.See(faultlog.State{})
	}
}

// ended records that Run has ended.
func (i *idleMonitor) ended() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.why = errEnded
}

// notRun returns the reason why Run does not run; nil if it runs.
func (i *idleMonitor) notRun() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.why
}

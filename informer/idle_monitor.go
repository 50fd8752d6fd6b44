package informer

import (
	"errors"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
)

// reportAfter is how long the program may wait for an informer that is not running, and
// how long one call of a handler may take, before the log reports it.
const reportAfter = 8 * time.Second

// errNotRun explains why an informer is empty.
var errNotRun = errors.New("the informer is not running")

// idleMonitor reports an engine that is not running although the program waits for it.
type idleMonitor struct {
	remedy string
	mu     sync.Mutex
	log    *faultlog.Reporter
	timer  *time.Timer // nil until the program waits
}

// These constants name the method that runs an informer.
const (
	runIt      = "call its Run, or put it into controller.Config.Runners"
	runFactory = "call the Run of its factory, or put that into controller.Config.Runners"
)

// running logs that the engine runs, if reportIdle has reported the contrary. The caller
// has changed the state of the engine before.
func (i *idleMonitor) running() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer != nil && !i.timer.Stop() {
		i.log.See(faultlog.State{})
	}
}

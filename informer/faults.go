package informer

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
)

// reportAfter is how long the program may wait for an informer that is not running, and
// how long one call of a handler may take, before the log reports it.
const reportAfter = 8 * time.Second

// errNotRun explains why an informer is empty.
var errNotRun = errors.New("the informer is not running")

// log returns a reporter for one kind of fault of the engine.
func (e *engine) log(fault, over string, attrs ...any) *faultlog.Reporter {
	return &faultlog.Reporter{Fault: fault, Over: over, Logger: e.cfg.logger, Attrs: append([]any{"resource", e.named()}, attrs...)}
}

// named returns the name of the followed type, for people.
func (e *engine) named() string {
	if e.cfg.Resource == "" {
		return "objects"
	}
	return strings.TrimSuffix(e.cfg.Resource, ".") // a built-in type: "Pod.v1."
}

// listWatchLog logs the faults of one list and watch.
type listWatchLog struct {
	follow, objects *faultlog.Reporter
	invalid         uint64
}

func (e *engine) listWatchLog(lw *listWatch) *listWatchLog {
	attrs := []any{"scope", lw.scope.String()}
	if src, ok := lw.source.(interface{ Cluster() *kube.Cluster }); ok {
		attrs = append(attrs, "host", src.Cluster().Host())
	}
	return &listWatchLog{
		follow:  e.log("informer: list and watch fail", "informer: list and watch work again", attrs...),
		objects: e.log("informer: an unusable object is skipped", "", attrs...),
	}
}

// see takes the current health of the reflector.
func (l *listWatchLog) see(h reflector.Health) {
	if h.Phase == reflector.Stopped {
		return
	}
	l.follow.See(faultOf(h))
	if h.Invalid > l.invalid && h.LastInvalid != nil {
		l.invalid = h.Invalid
		l.objects.See(faultlog.State{Err: h.LastInvalid, Attrs: []any{"skipped", h.Invalid}})
	}
}

func (l *listWatchLog) stop() {
	l.follow.Stop()
	l.objects.Stop()
}

// faultOf returns the current fault of a reflector.
func faultOf(h reflector.Health) faultlog.State {
	if h.Err == nil {
		return faultlog.State{}
	}
	return faultlog.State{Kind: h.Fault.String(), Err: h.Err, Remedy: kube.Remedy(h.Err), Attrs: []any{"synced", h.Synced}}
}

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

// expectRun records that the program waits for data of the engine.
func (e *engine) expectRun() {
	i := &e.idle
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer == nil && e.stateNow() == engineNew {
		i.log = e.log("informer: the program waits for an informer that is not running", "informer: the informer is running now")
		i.timer = time.AfterFunc(reportAfter, e.reportIdle)
	}
}

// reportIdle logs that the engine is not running, if that is still true.
func (e *engine) reportIdle() {
	e.idle.mu.Lock()
	defer e.idle.mu.Unlock()
	if e.stateNow() == engineNew {
		e.idle.log.See(faultlog.State{Kind: "not running", Err: errNotRun, Remedy: e.idle.remedy})
	}
}

// running logs that the engine runs, if reportIdle has reported the contrary. The caller
// has changed the state of the engine before.
func (i *idleMonitor) running() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer != nil && !i.timer.Stop() {
		i.log.See(faultlog.State{})
	}
}

func (e *engine) stateNow() engineState {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// handlerLog monitors the calls of one handler.
type handlerLog struct {
	mu    sync.Mutex
	hangs *faultlog.Reporter
	timer *time.Timer // runs during a call
}

func (r *Registration) newLog() *handlerLog {
	l := &handlerLog{hangs: r.engine.log("informer: a handler does not return", "informer: a handler has returned", "handler", r.cfg.Name)}
	l.hangs.Logger = r.logger
	l.timer = time.AfterFunc(reportAfter, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if called, change := r.calling(); !called.IsZero() {
			l.hangs.See(faultlog.State{
				Kind:   "hanging",
				Err:    fmt.Errorf("the call has lasted %v; later events wait", reportAfter),
				Remedy: "do long work in a workqueue or a controller",
				Attrs:  []any{"event", change.Kind.String(), "object", change.Last().Key().String()},
			})
		}
	})
	l.timer.Stop()
	return l
}

func (l *handlerLog) stop() {
	l.timer.Stop()
	l.hangs.Stop()
}

// calling returns the start of the handler's current call and its change. The time is
// zero if no call is in progress.
func (r *Registration) calling() (time.Time, store.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.called, r.with
}

// begins marks the start of a call of the handler, and returns marks its end.
func (r *Registration) begins(change store.Change) {
	r.mu.Lock()
	r.called, r.with = time.Now(), change
	r.mu.Unlock()
	r.log.timer.Reset(reportAfter)
}

func (r *Registration) returns() {
	overdue := !r.log.timer.Stop()
	r.mu.Lock()
	r.called, r.with = time.Time{}, store.Change{}
	r.mu.Unlock()
	if overdue {
		r.log.mu.Lock()
		defer r.log.mu.Unlock()
		r.log.hangs.See(faultlog.State{})
	}
}

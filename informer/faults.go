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

// patience is how long nobody may run an informer that is waited for, and how long a
// handler may take for one call, until the log says so.
const patience = 8 * time.Second

// errNotRun is why an informer shows nothing.
var errNotRun = errors.New("the informer is not running")

// log returns what writes faults of the engine to the log.
func (e *engine) log(fault, over string, attrs ...any) *faultlog.Reporter {
	return &faultlog.Reporter{Fault: fault, Over: over, Logger: e.cfg.logger, Attrs: append([]any{"resource", e.named()}, attrs...)}
}

// named returns what the engine follows, for people.
func (e *engine) named() string {
	if e.cfg.Resource == "" {
		return "objects"
	}
	return strings.TrimSuffix(e.cfg.Resource, ".") // of a built-in type: "Pod.v1."
}

// memberLog writes the faults of one member to the log.
type memberLog struct {
	follow, objects *faultlog.Reporter
	invalid         uint64
}

func (e *engine) memberLog(m *member) *memberLog {
	attrs := []any{"scope", m.scope.String()}
	if src, ok := m.source.(interface{ Cluster() *kube.Cluster }); ok {
		attrs = append(attrs, "host", src.Cluster().Host())
	}
	return &memberLog{
		follow:  e.log("informer: list and watch fail", "informer: list and watch work again", attrs...),
		objects: e.log("informer: an object is skipped that cannot be used", "", attrs...),
	}
}

// see takes the health of the member as it is now.
func (l *memberLog) see(h reflector.Health) {
	if h.Phase == reflector.Stopped {
		return
	}
	l.follow.See(faultOf(h))
	if h.Invalid > l.invalid && h.LastInvalid != nil {
		l.invalid = h.Invalid
		l.objects.See(faultlog.State{Err: h.LastInvalid, Attrs: []any{"skipped", h.Invalid}})
	}
}

func (l *memberLog) stop() {
	l.follow.Stop()
	l.objects.Stop()
}

// faultOf returns what is wrong with a reflector.
func faultOf(h reflector.Health) faultlog.State {
	if h.Err == nil {
		return faultlog.State{}
	}
	return faultlog.State{Kind: h.Fault.String(), Err: h.Err, Remedy: kube.Remedy(h.Err), Attrs: []any{"synced", h.Synced}}
}

// idle says that nobody runs an engine that somebody waits for.
type idle struct {
	remedy string
	mu     sync.Mutex
	log    *faultlog.Reporter
	timer  *time.Timer // nil as long as nobody waits
}

// Who runs an informer.
const (
	runIt      = "call its Run, or put it into controller.Config.Runs"
	runFactory = "call the Run of its factory, or put that into controller.Config.Runs"
)

// expect notes that somebody waits for what the engine brings.
func (e *engine) expect() {
	i := &e.idle
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer == nil && e.stateNow() == engineNew {
		i.log = e.log("informer: it is waited for, and nobody runs it", "informer: it runs now")
		i.timer = time.AfterFunc(patience, e.alarm)
	}
}

// alarm says that nobody runs the engine, if that is so.
func (e *engine) alarm() {
	e.idle.mu.Lock()
	defer e.idle.mu.Unlock()
	if e.stateNow() == engineNew {
		e.idle.log.See(faultlog.State{Kind: "not running", Err: errNotRun, Remedy: e.idle.remedy})
	}
}

// calm says that the engine runs, if the contrary was said. Its state says so already.
func (i *idle) calm() {
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

// handlerLog watches the calls of one handler.
type handlerLog struct {
	mu    sync.Mutex
	hangs *faultlog.Reporter
	timer *time.Timer // runs during a call
}

func (r *Registration) newLog() *handlerLog {
	l := &handlerLog{hangs: r.engine.log("informer: a handler does not return", "informer: a handler has returned", "handler", r.cfg.Name)}
	l.hangs.Logger = r.logger
	l.timer = time.AfterFunc(patience, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		if called, change := r.calling(); !called.IsZero() {
			l.hangs.See(faultlog.State{
				Kind:   "hanging",
				Err:    fmt.Errorf("it has not returned for %v; later events wait", patience),
				Remedy: "return sooner, and leave long work to a workqueue or a controller",
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

// calling returns since when the handler is being called, and with what; zero if it is
// not.
func (r *Registration) calling() (time.Time, store.Change) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.called, r.with
}

// begins and returns enclose a call of the handler.
func (r *Registration) begins(change store.Change) {
	r.mu.Lock()
	r.called, r.with = time.Now(), change
	r.mu.Unlock()
	r.log.timer.Reset(patience)
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

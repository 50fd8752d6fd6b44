package contest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/bench/serve"
	"github.com/vedette-io/vedette/bench/workload"
	"github.com/vedette-io/vedette/internal/dbtest"
)

// Task is what one process does.
type Task struct {
	Contestant string
	Action     Action
	URL        string
	Kinds      []string
	N          int // objects of each kind
	Encoding   workload.Encoding
	Mode       serve.Mode
	Events     int // that the server sends once it is told to start
	Relists    int // lists that come beside them
	Handlers   int
	// Reads is what the handlers look at, unless the action says so.
	Reads Reading
	// Index: the caches have an index by the label "app".
	Index bool
	// Lookup is what reconcilers read, Lookups how often, and LookupRate how many times
	// in a second; zero: as fast as they can. HotKeys is how many different objects they
	// ask for; zero: all.
	Lookup                       Lookup
	Lookups, LookupRate, HotKeys int
	Dir                          string
	// Database is the kind of database of a keeper: sqlite, postgres or mariadb.
	Database string
	// Rate is how many transitions there are in a second, for messengers and portals.
	Rate int
	// Paints is how often a browser loads the portal; 0: there is no browser.
	Paints int
	// Streams are the clients of a portal, of which Slow read slowly, for Length.
	Streams, Slow int
	Length        time.Duration
	// Memory is how much may be resident before the contestant gives up, in bytes;
	// zero: as much as there is.
	Memory uint64
	// Timeout bounds all of it.
	Timeout time.Duration
}

// Result is what a process has measured of itself.
type Result struct {
	Figures measure.Figures
	Curve   measure.Curve `json:",omitempty"`
	// Parts are figures of parts of the task, such as those of each operation of a portal.
	Parts []Part `json:",omitempty"`
}

// Part is one of several things that a task has measured.
type Part struct {
	Name    string
	Figures measure.Figures
}

// Action is something to do.
type Action string

// The actions with a server, that with a database, those with a store alone, and those with a queue.
const (
	Sync    Action = "sync"    // the first list
	Events  Action = "events"  // the first list, then events, which are what is measured
	Latency Action = "latency" // the same, with the time from frame to handler
	Stuck   Action = "stuck"   // the same, beside a handler that never returns
	Look    Action = "look"    // the first list, then lookups beside events
	Prepare Action = "prepare" // a process before the measured one, for a warm start

	Keep Action = "keep" // the first list and then events, into a database

	Notify Action = "notify" // transitions at a steady rate, told to a receiver

	Portal  Action = "portal"  // requests to the portal over a large history; see package portal
	Streams Action = "streams" // many streams of the portal; see package portal

	Overhead Action = "overhead" // what a store costs beside its objects
	Commit   Action = "commit"   // one change
	Beside   Action = "beside"   // one change, while readers list everything

	QueueWorkers    Action = "queue-workers"    // producers and workers of a queue
	QueuePriorities Action = "queue-priorities" // the same, with three priorities
	QueueBatches    Action = "queue-batches"    // the same, a hundred at a time
	QueueAlone      Action = "queue-alone"      // one goroutine that adds, gets and does
	QueueDelayed    Action = "queue-delayed"    // items that are not due
)

// Actions are all there is.
var Actions = map[Action]func(context.Context, *Task) (*Result, error){
	Sync: doSync, Events: doEvents, Latency: doLatency, Look: doLook, Stuck: doStuck, Prepare: doPrepare, Keep: doKeep, Notify: doNotify,
	Overhead: doOverhead, Commit: doCommit, Beside: doBeside,
	QueueWorkers: doQueue(singly), QueuePriorities: doQueue(byPriority), QueueBatches: doQueue(inBatches),
	QueueAlone: doQueueAlone, QueueDelayed: doQueueDelayed,
}

// Do does a task.
//
// Errors: what does not exist; a contestant that does not have all objects or
// events in time.
func Do(task Task) (*Result, error) {
	do := Actions[task.Action]
	if do == nil {
		return nil, fmt.Errorf("there is no action %q", task.Action)
	}
	ctx, cancel := context.WithTimeout(context.Background(), task.Timeout)
	defer cancel()
	r, err := do(ctx, &task)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", task.Action, task.Contestant, err)
	}
	return r, nil
}

// Main does a task and prints the result, for who has started this process.
func Main(task Task) error {
	defer dbtest.Stop()
	r, err := Do(task)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(r)
}

// open opens the contestant of a task.
func (t *Task) open(handlers []Handler) (Cache, error) {
	c, err := Of(t.Contestant)
	if err != nil {
		return nil, err
	}
	env := Env{URL: t.URL, Objects: c.Objects, Encoding: c.Form(t.Encoding).Encoding, Mode: t.Mode, Handlers: handlers, Index: t.Index, Dir: t.Dir}
	for _, name := range t.Kinds {
		k, err := workload.Of(name)
		if err != nil {
			return nil, err
		}
		env.Kinds = append(env.Kinds, k)
	}
	return c.Open(env)
}

// follow runs a cache in the background until ctx is done. failed gets what Run
// returned.
func follow(ctx context.Context, c Cache) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() { failed <- c.Run(ctx) }()
	return func() error {
		cancel()
		return <-failed
	}
}

// wait waits for a channel to be closed.
func wait(ctx context.Context, what string, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
}

// control tells the server of the bench something.
func control(ctx context.Context, url, what string) (serve.State, error) {
	var state serve.State
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/bench/"+what, nil)
	if err != nil {
		return state, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return state, err
	}
	defer resp.Body.Close()
	return state, json.NewDecoder(resp.Body).Decode(&state)
}

// Reset puts a server back to where it began.
func Reset(url string) error {
	_, err := control(context.Background(), url, "reset")
	return err
}

func doSync(ctx context.Context, t *Task) (*Result, error) {
	mark, err := measure.Begin()
	if err != nil {
		return nil, err
	}
	a := newAudience(t.Handlers, t.N*len(t.Kinds), t.Reads, nil)
	c, err := t.open(a.handlers)
	if err != nil {
		return nil, err
	}
	stop := follow(ctx, c)
	if err := wait(ctx, "the first list", c.Synced()); err != nil {
		return nil, err
	}
	if t.Handlers > 0 {
		if err := wait(ctx, "the first list, handled", a.initial); err != nil {
			return nil, err
		}
	}
	f, err := mark.Times()
	if err != nil {
		return nil, err
	}
	if want := t.N * len(t.Kinds); c.Len() != want {
		return nil, fmt.Errorf("it has %d objects, want %d", c.Len(), want)
	}
	if err := mark.Memory(f); err != nil {
		return nil, err
	}
	runtime.KeepAlive(c)
	state, err := control(ctx, t.URL, "state")
	if err != nil {
		return nil, err
	}
	f["lists"] = float64(state.Lists)
	return &Result{Figures: f}, stop()
}

// doPrepare leaves behind what a later process of the same case starts from.
func doPrepare(ctx context.Context, t *Task) (*Result, error) {
	c, err := t.open(nil)
	if err != nil {
		return nil, err
	}
	stop := follow(ctx, c)
	if err := wait(ctx, "the first list", c.Synced()); err != nil {
		return nil, err
	}
	return &Result{Figures: measure.Figures{}}, stop()
}

// audience counts what its handlers are told.
type audience struct {
	handlers []Handler
	initial  chan struct{} // closed when all were told of the first list
	ended    chan struct{} // closed when all were told of the end
	told     atomic.Int64
}

// newAudience makes handlers that look at so much. each, if it is not nil, is called
// for every event with its stamp, on the goroutine of its handler.
func newAudience(handlers, n int, reads Reading, each func(sent int64)) *audience {
	a := &audience{initial: make(chan struct{}), ended: make(chan struct{})}
	var waiting, running atomic.Int64
	waiting.Store(int64(handlers))
	running.Store(int64(handlers))
	if n == 0 {
		close(a.initial)
	}
	for range handlers {
		told := 0
		a.handlers = append(a.handlers, Handler{Reads: reads, Told: func(name string, sent int64) {
			told++
			if told == n && waiting.Add(-1) == 0 {
				close(a.initial)
			}
			if told > n {
				a.told.Add(1)
			}
			if each != nil && sent > 0 {
				each(sent)
			}
			if name == workload.EndName && running.Add(-1) == 0 {
				close(a.ended)
			}
		}})
	}
	return a
}

// errMemory says that a contestant took more memory than it may.
var errMemory = errors.New("it took more memory than it may")

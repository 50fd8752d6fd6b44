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
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// Task is the work of one process.
type Task struct {
	Contestant string
	Action     Action
	URL        string
	Kinds      []string
	N          int // objects of each kind
	Encoding   workload.Encoding
	Mode       serve.Mode
	Events     int // number of events that the server sends after the start
	Relists    int // number of relists during the events
	Handlers   int
	// Reads selects the reads of the handlers, unless the action determines them.
	Reads Reading
	// Index adds an index by the label "app" to the caches.
	Index bool
	// Lookup selects the reads of reconcilers, Lookups is their number, and LookupRate
	// the number per second; zero means as fast as possible. HotKeys is the number of
	// different objects; zero means all.
	Lookup                       Lookup
	Lookups, LookupRate, HotKeys int
	Dir                          string
	// Database is the kind of database of a keeper: sqlite, postgres or mariadb.
	Database string
	// Rate is the number of transitions per second, for messengers and portals.
	Rate int
	// Paints is how many times a browser loads the portal; 0 means no browser.
	Paints int
	// Streams is the number of clients of a portal, Slow the number of slow ones among
	// them, and Length the duration.
	Streams, Slow int
	Length        time.Duration
	// Memory is the limit of the resident memory, in bytes, above which the contestant
	// gives up; zero means no limit.
	Memory uint64
	// Timeout is the maximum duration of the task.
	Timeout time.Duration
}

// Result is the measurement of a process.
type Result struct {
	Figures measure.Figures
	Curve   measure.Curve `json:",omitempty"`
	// Parts are figures of parts of the task, such as those of each operation of a portal.
	Parts []Part `json:",omitempty"`
}

// Part is one of several measurements of a task.
type Part struct {
	Name    string
	Figures measure.Figures
}

// Action is a kind of task.
type Action string

// The actions with a server, with a database, with a store alone, and with a queue.
const (
	Sync    Action = "sync"    // the first list
	Events  Action = "events"  // the first list, then measured events
	Latency Action = "latency" // the same, with the latency from frame to handler
	Stuck   Action = "stuck"   // the same, with a handler that never returns
	Look    Action = "look"    // the first list, then lookups during events
	Prepare Action = "prepare" // an unmeasured process that prepares a warm start

	Keep Action = "keep" // the first list and then events, into a database

	Notify Action = "notify" // transitions at a steady rate, with messages to a receiver

	Portal  Action = "portal"  // requests to the portal over a large history; see package portal
	Streams Action = "streams" // many streams of the portal; see package portal

	Overhead Action = "overhead" // memory of a store beyond its objects
	Commit   Action = "commit"   // one change
	Beside   Action = "beside"   // one change, while readers list everything

	QueueWorkers    Action = "queue-workers"    // producers and workers of a queue
	QueuePriorities Action = "queue-priorities" // the same, with three priorities
	QueueBatches    Action = "queue-batches"    // the same, a hundred at a time
	QueueAlone      Action = "queue-alone"      // one goroutine that adds, gets and finishes
	QueueDelayed    Action = "queue-delayed"    // items with a delay
)

// Actions are all actions.
var Actions = map[Action]func(context.Context, *Task) (*Result, error){
	Sync: doSync, Events: doEvents, Latency: doLatency, Look: doLook, Stuck: doStuck, Prepare: doPrepare, Keep: doKeep, Notify: doNotify,
	Overhead: doOverhead, Commit: doCommit, Beside: doBeside,
	QueueWorkers: doQueue(singly), QueuePriorities: doQueue(byPriority), QueueBatches: doQueue(inBatches),
	QueueAlone: doQueueAlone, QueueDelayed: doQueueDelayed,
}

// Do does a task.
//
// Errors: an unknown name; a contestant that does not have all objects or events in time.
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

// Main does a task and prints the result, in the process of a task.
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
	env := Env{URL: t.URL, Objects: c.Objects, Encoding: c.Form(t.Encoding).Encoding, Mode: t.Mode, Handlers: handlers, Index: t.Index, Dir: t.Dir, N: t.N * len(t.Kinds)}
	for _, name := range t.Kinds {
		k, err := workload.Of(name)
		if err != nil {
			return nil, err
		}
		env.Kinds = append(env.Kinds, k)
	}
	return c.Open(env)
}

// follow runs a cache in the background until ctx is done. stop returns the error of Run.
func follow(ctx context.Context, c Cache) (stop func() error) {
	ctx, cancel := context.WithCancel(ctx)
	failed := make(chan error, 1)
	go func() { failed <- c.Run(ctx) }()
	return func() error {
		cancel()
		return <-failed
	}
}

// wait waits until a channel is closed.
func wait(ctx context.Context, what string, done <-chan struct{}) error {
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", what, ctx.Err())
	}
}

// control sends a command to the server of the bench.
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

// Reset resets a server to its initial state.
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
	if limit, ok := c.(interface{ entropy() (float64, error) }); ok {
		if f[measure.Heap], err = limit.entropy(); err != nil {
			return nil, err
		}
	}
	runtime.KeepAlive(c)
	state, err := control(ctx, t.URL, "state")
	if err != nil {
		return nil, err
	}
	f["lists"] = float64(state.Lists)
	return &Result{Figures: f}, stop()
}

// doPrepare writes the files with which a later process of the same case starts.
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

// audience counts the events of its handlers.
type audience struct {
	handlers []Handler
	initial  chan struct{} // closed when all handlers have got the first list
	ended    chan struct{} // closed when all handlers have got the end
	told     atomic.Int64
}

// newAudience creates handlers with a kind of reads. each, if it is not nil, is called
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

// errMemory is the error of a contestant that exceeded its memory limit.
var errMemory = errors.New("it exceeded its memory limit")

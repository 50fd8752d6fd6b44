package workqueue

import (
	"errors"
	"math"
	"time"
)

var (
	// ErrClosed is returned for an item that a closed queue rejects, and by Get if a closed
	// queue has no item left to hand out.
	ErrClosed = errors.New("workqueue is closed")
	// ErrFull is returned for a new item if the queue is full and Config.Full is Refuse.
	ErrFull = errors.New("workqueue is full")
	// ErrNotHandled is returned by Done for an item that is not being handled.
	ErrNotHandled = errors.New("item is not being handled")
)

// DefaultAge is the default of Config.Age.
const DefaultAge = 10 * time.Second

const unlimited = math.MaxInt

// maxAge keeps the difference of two priorities within an int64.
const maxAge = 365 * 24 * time.Hour

// Full is what a full queue does with a new item.
type Full uint8

const (
	// Wait blocks the caller until there is room or its context is done. Callers get
	// room in the order in which they came.
	Wait Full = iota
	// Refuse returns ErrFull.
	Refuse
)

// Config configures a queue. The zero value is a queue without groups and without a
// limit, with the retries that most controllers use.
type Config[T comparable] struct {
	// Limit is the maximum number of items in the queue: ready, delayed and handled ones. 0
	// means no limit. An item that the queue already holds can always be added again, for
	// instance by the worker that handles it. A worker that adds other items to a full
	// queue waits for the other workers.
	Limit int
	// Full determines what happens to new items beyond Limit; default Wait.
	Full Full
	// Age is the waiting time that counts as much as one step of priority. 0 means
	// DefaultAge; the maximum is one year. An item of priority p has the position of
	// an item of priority 0 that was added p times Age earlier.
	Age time.Duration
	// Group returns the group of an item, for example its namespace. Within a priority
	// the groups take turns, so that a group with many items does not delay the others.
	// nil means one group.
	Group func(T) string
	// Serial returns the name of the object whose items are handled in order, for example
	// when items are revisions of objects. Items of one name are handed out one at a
	// time, in the order in which they became ready. nil means that items are
	// independent.
	Serial func(T) string
	// Limiter returns the delay of a retry; nil means DefaultLimiter.
	Limiter Limiter
	// Observer receives the events of items; nil means none.
	Observer Observer[T]
	// Clock returns the time since some fixed instant; nil means the real clock. Each call
	// of the queue calls it, on any number of goroutines, without a lock. A delay ends at
	// the first call after it is over by this clock; a real timer of the same length makes
	// such a call. With a clock that stands still the queue does not age, delay or measure,
	// and is fastest.
	Clock func() time.Duration

	// Report receives the first panic of each of the functions above; nil means that the
	// default logger of log/slog receives it. A panic is recovered: the name of the group or
	// the serial name is "", the delay is that of Exponential, the Observer misses the
	// event, and the real clock is used.
	Report func(error)
	// CrashOnPanic means that panics are not recovered. After a panic of the Observer the
	// queue cannot be used.
	CrashOnPanic bool
}

// Observer counts items for metrics that are pushed. For metrics that are pulled, Stats
// costs less and lets Add work without the lock. The queue calls the Observer under its
// lock, in the order of events, so the methods must return at once and must not call the
// queue. Each Added of an item is followed by one Taken and one Done, unless
// Drain returns the item.
type Observer[T comparable] interface {
	// Added reports that an item became pending: it is ready, or will be ready at its Done.
	// A delayed item is added when its delay ends.
	Added(item T)
	// Taken reports that a worker has the item, and the time since Added.
	Taken(item T, ago time.Duration)
	// Done reports that the worker is done with the item, and how long it took.
	Done(item T, took time.Duration)
}

// Options are the priority and the delay with which an item is added.
type Options struct {
	// Priority puts the item before items of lower priority, unless they have waited
	// longer by Config.Age for each step of the difference.
	Priority int8
	// After is the delay; 0 or less means none.
	After time.Duration
}

// Work is an item that was handed out. It belongs to the caller until Done.
type Work[T comparable] struct {
	Item T
	// Priority is the highest priority with which the item was added.
	Priority int8
	// Retries is the number of calls of Retry for the item since Forget, or since the
	// queue began to hold it.
	Retries int
	// Waited is the time for which the item was ready.
	Waited time.Duration
}

// Leftover is an item that Drain returns because the queue did not hand it out.
type Leftover[T comparable] struct {
	Item     T
	Priority int8
	Retries  int
	// Due is the end of its delay; zero if it was not delayed.
	Due time.Time
}

func (c Config[T]) withDefaults() Config[T] {
	if c.Limit <= 0 {
		c.Limit = unlimited
	}
	if c.Age <= 0 {
		c.Age = DefaultAge
	}
	c.Age = min(c.Age, maxAge)
	if c.Limiter == nil {
		c.Limiter = DefaultLimiter()
	}
	return c
}

package workqueue

import (
	"errors"
	"math"
	"time"
)

var (
	// ErrClosed is returned for an item that a closed queue does not take, and by
	// Get once a closed queue has nothing left to hand out.
	ErrClosed = errors.New("workqueue is closed")
	// ErrFull is returned for an item that has no room, if Config.Full is Refuse.
	ErrFull = errors.New("workqueue is full")
	// ErrNotHandled is returned by Done for an item that nobody handles.
	ErrNotHandled = errors.New("item is not being handled")
)

// DefaultAge is what Config.Age is if it is not set.
const DefaultAge = 10 * time.Second

const unlimited = math.MaxInt

// maxAge keeps the difference of two priorities within an int64.
const maxAge = 365 * 24 * time.Hour

// Full says what becomes of an item that a queue has no room for.
type Full uint8

const (
	// Wait makes who adds wait for room, first come first served, until its
	// context is done.
	Wait Full = iota
	// Refuse gives it ErrFull.
	Refuse
)

// Config says how a queue behaves. The zero value works: one line, first come
// first served, without a bound, and retries as controllers have them.
type Config[T comparable] struct {
	// Limit is how many items the queue may hold: those that wait, are delayed or
	// are handled. 0 means no bound but the number of different items. An item that
	// it holds can always be added again, by the worker that handles it for
	// instance; a worker that adds other items to a queue that is full waits for
	// the other workers.
	Limit int
	// Full says what happens to more items than that.
	Full Full
	// Age is how long an item waits to be worth one priority more; 0 means
	// DefaultAge, more than a year a year. An item of priority p stands where one of
	// priority 0 would that came p times Age earlier.
	Age time.Duration
	// Group names what an item belongs to: its namespace, for instance. Within a
	// priority the groups that wait take turns, so that one that floods does not
	// hold up the others. nil means one group.
	Group func(T) string
	// Serial names what must be dealt with in order: the object, if items are its
	// revisions. No two workers have items of the same name, which are handed out
	// in the order in which they came to wait. nil means that items have nothing to
	// do with each other.
	Serial func(T) string
	// Limiter says how long a retry waits; nil means DefaultLimiter.
	Limiter Limiter
	// Observer is told what happens to the items; nil means nobody is.
	Observer Observer[T]
	// Clock returns the time that the queue goes by, since any instant before; nil means the
	// real one. It is called for each call of the queue, by any number of goroutines,
	// without a lock. A delay ends at the first call after it is over by this clock; a
	// real timer of the same length is such a call. A queue whose clock stands still
	// neither ages, delays nor measures, and is the fastest.
	Clock func() time.Duration
}

// Observer counts items for metrics that are pushed; Stats is cheaper for those that are
// pulled, and lets Add do without the lock. The queue calls it under its lock, in the order
// in which things happen, so its methods return at once, do not panic and do not call the
// queue.
// Each Added of an item is followed by one Taken of it and one Done, unless Drain
// returns the item.
type Observer[T comparable] interface {
	// Added says that an item came to wait, or will at its Done, and did not before.
	// A delayed item is added when its delay ends.
	Added(item T)
	// Taken says that a worker has the item, and how long ago it was Added.
	Taken(item T, ago time.Duration)
	// Done says that the worker is done with it, and how long it took.
	Done(item T, took time.Duration)
}

// Options say how an item is added.
type Options struct {
	// Priority puts it before those of a lower one that have not waited longer by
	// Config.Age for each step.
	Priority int8
	// After is how long it is delayed; at most 0 means not at all.
	After time.Duration
}

// Work is an item that was handed out. It is the caller's until Done.
type Work[T comparable] struct {
	Item T
	// Priority is the highest with which it was added.
	Priority int8
	// Retries is how often Retry was called for it since Forget, or since the queue
	// came to hold it.
	Retries int
	// Waited is how long it was ready to be handed out.
	Waited time.Duration
}

// Left is an item that a drained queue did not hand out.
type Leftover[T comparable] struct {
	Item     T
	Priority int8
	Retries  int
	// Due is when its delay ends; zero if it was not delayed.
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

// Package workqueue hands out items to workers: each item once while it waits, never
// to two workers at a time, in the order of arrival, with priorities, delays and retries.
//
// # Data flow
//
//	Add, AddAfter, AddWith, AddAll -> ready -> Get, GetBatch, TryGet -> handled -> Done
//	                  \-> delayed -/              Retry -> delayed, then ready again
//	Worker.Next = Done of the item before, and Get, in one step
//	Close, Drain -> items that were not handed out
//	Config.Observer, Stats <- counts and durations
//
// An item is any comparable value, and its type determines which changes are folded.
// Keys of objects fold: however often an object changes while its key waits, a worker
// gets the key once, and reads the latest state. Revisions (key, resourceVersion and the
// data that the worker needs) do not fold, since each is a different item: a worker gets
// every change. If Config.Serial returns the object's name, workers get the revisions of
// each object in order, one at a time, while other workers handle other objects.
//
// # Ownership
//
// Any goroutine may call any method. An item belongs to the worker from Get to
// Done. A Worker belongs to one goroutine. Config.Group, Config.Serial and Config.Limiter
// are called by the goroutine that adds, without a lock. Group and Serial must always return
// the same for an item, and an item must be equal to itself (NaN is not).
//
// # Guarantees
//
//  1. A ready item is in the queue once, and no two workers have it at a time. If
//     it is added while it is handled, it becomes ready again at its Done, once.
//  2. First come, first served: within a priority, items are handed out in the
//     order in which they became ready, whichever goroutine added them.
//  3. An item of priority p has the position of an item of priority 0 that became
//     ready p times Config.Age earlier. So an item waits only for earlier items, and
//     for those that follow it within Age times the difference. No item starves. A
//     ready item moves up when it is added with a higher priority, and never down.
//  4. With Config.Group, waiting groups take turns within a priority: an
//     item waits for at most as many items of each other group as of its own, itself
//     included. Which priority is served depends on its oldest item,
//     whichever group's turn it is.
//  5. With Config.Serial, no two workers have items of one name. Items of a name are
//     handed out in the order in which they became ready, whatever their priorities. An
//     item that must wait for its name delays no other name. A retry keeps its place:
//     later items of its name wait for it, also while it is delayed.
//  6. A delay is a lower bound. The earliest of several delays counts, and an item
//     that is added without a delay meanwhile does not become ready a second time. Due
//     items are handed out in the order in which they became due.
//  7. A call that waits returns when its context is done, and no item is lost.
//  8. A closed queue rejects items that it does not hold, and hands out the ready
//     ones. Drain waits until they are done, and returns the rest: the delayed items,
//     or all pending items if its context ends. No item is dropped silently.
//
// # Limits
//
// A queue holds an item once, so the number of objects bounds a queue of keys. Where
// each item is new, Config.Limit bounds the queue, and producers wait or get an error.
// An item costs about 150 bytes beside itself, which the queue reuses; after a burst it
// keeps the memory of 65,536 items. Up to 64 items wait in an inbox until the next call
// takes the lock. There is one timer and no goroutine. If times do not matter,
// Config.Clock may stand still, which saves reading the clock.
//
// By guarantee 3, an item may wait for many others if the difference is large: at the
// default Age of 10 seconds, an item of priority -100 may wait for all items of the next
// 1,000 seconds. If more than 64 delays end at one instant, items that are added just
// then may be handed out between them. Within a name of Config.Serial, an item of a
// high priority waits for those before it, which do not inherit its priority.
//
// # Errors
//
// Methods that add return [ErrClosed] or, if Config.Full is Refuse, [ErrFull]. Get
// returns ErrClosed when no item is left and no handled item can become ready again.
// Done returns [ErrNotHandled] for an item that is not handled. Calls that may wait
// return the cause of a canceled context.
package workqueue

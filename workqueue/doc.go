// Package workqueue hands out items to workers: each once while it waits, never
// to two at a time, first come first served, with priorities, delays and retries.
//
// # Data flow
//
//	Add, AddAfter, AddWith, AddAll -> waits -> Get, GetSome, TryGet -> handled -> Done
//	                  \-> delayed -/              Retry -> delayed, then again
//	Close, Drain -> what was not handed out
//	Config.Observer, Stats <- what happened
//
// An item is anything that can be compared, and what it is decides what is
// folded. Keys of objects fold: however often an object changes while its key
// waits, its worker gets the key once, and looks up the latest state. Revisions
// (key, resourceVersion and what the worker needs of the state) do not fold,
// since each is an item of its own: the worker gets every change. With
// Config.Serial naming the object it gets them in order, one at a time for each
// object, while other workers deal with other objects.
//
// # Ownership
//
// Any goroutine may call any method. An item belongs to the worker from Get to
// Done. Config.Group, Config.Serial and Config.Limiter are called by who adds,
// without a lock; Group and Serial must always say the same of an item, which
// must be equal to itself (NaN is not).
//
// # Guarantees
//
//  1. An item that waits is there once, and no two workers have it at a time. If
//     it is added while it is handled it waits again at its Done, once.
//  2. First come, first served: within a priority items are handed out in the
//     order in which they came to wait, whoever added them.
//  3. An item of priority p stands where one of priority 0 would that came p times
//     Config.Age earlier. So an item waits only for those that came before it, or
//     within Age times the difference after it, and nothing starves. An item that
//     waits moves up when it is added with a higher priority, and never down.
//  4. With Config.Group the groups that wait take turns within a priority: an
//     item waits for at most as many of each other group as of its own, itself
//     included. A priority is served when its oldest item's time has come,
//     whichever group's turn it is.
//  5. With Config.Serial no two workers have items of one name, and they come in
//     the order in which they came to wait, whatever their priorities; an item
//     that may not go yet holds up no other name. A retry keeps its place: what
//     comes after it waits, also while it is delayed.
//  6. A delay is a lower bound. Of several the earliest counts, and an item that
//     is added at once does not come a second time for it. What is due is handed
//     out in the order in which it became so.
//  7. A context that is done ends the call that waits with it, and no item is lost
//     with it.
//  8. A closed queue takes no items that it does not hold, and hands out what
//     waits. Drain waits for it to be done, and returns the rest: what is delayed,
//     or everything if its context ends. No item is dropped in silence.
//
// # Limits
//
// A queue holds an item once, so keys of objects need no other bound than there
// are objects. Where each item is new, Config.Limit says how many it may hold, and
// who adds waits or is refused. An item costs about 150 bytes beside itself, which
// are used again; after a burst what 65,536 items need is kept. Up to 64 items wait to be
// filed by the next call that looks at the queue. There is one timer and no goroutine. A queue
// whose times nobody needs saves the clock: Config.Clock may stand still.
//
// What an item waits for by guarantee 3 may be much if the difference is large:
// at the default Age of 10 seconds an item of priority -100 may wait for what
// comes in the next 1,000 seconds. If more than 64 delays end at one instant,
// what is added just then may come between them. Within a name of Config.Serial an item of a high
// priority waits for those before it, which gain nothing by it.
//
// # Errors
//
// What adds returns [ErrClosed] or, if Config.Full says so, [ErrFull]; Get returns
// ErrClosed when nothing is left and nothing that is handled can come back; Done
// returns [ErrNotHandled] for an item that is not handled. All calls that may
// wait return the cause of a cancelled context.
package workqueue

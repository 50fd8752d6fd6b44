// Package controller reconciles: it makes keys of what happens to objects, and
// calls a function for each until it says that all is well.
//
// # Data flow
//
//	informer -> Source (Objects, Owners, Mapped) -> keys -> workqueue -> Func(ctx, View, Request) error
//	Func -> nil: done; Again: once more, later; Terminal: not before a change; any error: once more, with backoff
//	kube.Client writes with ctx -> what the next reconcile of the key waits to see
//	Lease -> which keys are this replica's, until when, and with which token
//	informer -> Revisions -> workqueue: every state instead of the latest; Revision.ID is the same after a restart
//
// Reconcile does all of it for one informer in one call; New takes several
// sources and a Config. Both return nil once their context is done, so a program
// tests the error before it ends with it:
//
//	if err := controller.Reconcile(ctx, pods, reconcile); err != nil {
//		log.Fatal(err)
//	}
//
// What keeps a controller from its work is logged without being asked for: sources that
// are not synced, Leases that cannot be used, and by the informers why.
// [Config.Logger] says where.
//
// # Ownership
//
// Run blocks on the caller's goroutine, starts those it needs, and has joined
// them when it returns; what Config.Runs names runs a little longer than the
// reconciles. Func is called on the goroutines of workers. Objects that it reads from
// the view are its own. Health, Trigger and the like may be called from anywhere.
//
// # Guarantees
//
//  1. Nothing is reconciled before all sources are synced. From then on every key
//     that a source has named is reconciled after the last change that it was named
//     for, until that returns nil, Again or Terminal.
//  2. No two reconciles of a key run at a time, also not in two replicas, as far as
//     clocks run at the same rate; Request.Token covers the rest.
//  3. A view shows all informers of a factory at one instant, which is not earlier
//     than any of the reasons of the request.
//  4. A reconcile sees what the ones before it of that key have written with their
//     contexts through any client of package kube, if a source or Reads follows the
//     type. It waits for that for up to Config.WriteWait,
//     and other keys do not wait with it.
//  5. What happens goes before what was there at first. Neither starves.
//  6. A panic, an error, a timeout ends one reconcile and nothing else.
//  7. A state has the same Revision.ID whenever it is told: after a restart, in another
//     replica. A deletion has one ID, seen or missed. With filters that choose updates
//     that needs a history (RevisionsConfig.Origin), and Revisions refuses to run
//     without one unless it is told to.
//  8. When the controller stops, no reconcile begins, those that run get a grace, and then
//     their context ends. A key whose reconcile was cut short does not count as done.
//
// # Several replicas
//
// With Elect one replica holds a Lease, and has all keys. With Share each has the
// keys for which it beats the others (rendezvous hashing); when a replica comes or
// goes, only its keys move. The rules for a Lease are the same in both:
//
// A holder that has asked for a renewal at s, and was granted it, works until s
// and two thirds of the duration, by its own clock; then the contexts of its
// reconciles end, and they have the last third to return. Everybody else counts
// the whole duration from when he saw the Lease change last, by his own clock, and
// looks again before he concludes anything. No two clocks are compared. Writes
// need the version that was read.
//
// With Share each replica has a Lease of its own, in which it publishes the names
// of those that it yields to. It yields to all that live: it has no key for which
// one of them beats it. And it has keys only once it has read, after it has
// published, that all that live yield to it. A replica that comes publishes, and
// waits; the others stop what they do for keys it beats them for, publish that they yield
// to it, and it begins. Of one that dies, the Lease ends; the others publish
// without it, look again, and have its keys. One that leaves ends its reconciles
// first, then its Lease.
//
// Who takes over also waits, for a while, until its informers show what the one
// before has written, as far as its Lease tells: all of it if that was handed over,
// what it had written when it renewed last if it died.
//
// The token of a request is the version of the write that began the term, and was
// made after it was seen that nobody else has the keys; so who has a key later has
// a higher token. A process that was stopped in the middle of a reconcile may write
// once it goes on, before it looks at the clock: whoever has to be safe from that
// checks tokens where he writes (Fence). Deleting a Lease by hand lets a replica
// that starts then believe in the holder's end too early: do not.
//
// # Limits
//
// A key costs a place in the queue, about 150 bytes, while it waits. Of the reasons
// for a key the last 8 are kept. What reconciles have written is kept until the
// informers show it: one entry for each key, type and namespace, and one for each
// deletion. A write whose answer was lost may have been made, and is not waited
// for: before a finalizer goes, ask the server what is left. A replica remembers what it heard of the keys of others for 10 to 20
// minutes, at most 200,000; beyond that, a deletion that its owner died of is not
// known to its successor. A reconcile that ignores its context holds up Run, and
// the hand-over of its key. Replicas that share list their Leases every eighth of
// the duration each: for more than about 50 of them make that longer.
//
// # Errors
//
// New and Revisions refuse illegal configurations. Run returns what ends the controller by
// itself. What a reconcile returns is in the log, and the last of it in
// Health.Stats; ErrTimeout, ErrStopping and ErrNotOurs are causes of contexts.
// PanicError has the stack of a panic. Fence returns ErrFenced.
package controller

// Package controller reconciles: it derives keys from changes of objects, and calls a
// function for each key until the function reports success.
//
// # Data flow
//
//	informer -> Source (Objects, Owners, MappedObjects, Mapped) -> keys -> workqueue -> Func(ctx, View, Request) error
//	Func -> nil: done; RequeueAfter: repeated later; Terminal: not retried until a change; other errors: retried with backoff
//	kube.Client writes with ctx -> the next reconcile of the key waits until the informers show them
//	Lease -> the keys of this replica, the end of its term, and its fencing token
//	informer -> Revisions -> workqueue: every state instead of the latest; Revision.ID is the same after a restart
//
// Reconcile does all of this for one informer in one call; New takes several sources and
// a Config. Both return nil once their context is done, so a program should check the
// error before it exits with it:
//
//	if err := controller.Reconcile(ctx, pods, reconcile); err != nil {
//		log.Fatal(err)
//	}
//
// The controller logs the faults that keep it from working: sources that are not synced, with
// the reason from their informers, and unusable Leases. [Config.Logger] sets the
// logger.
//
// # Ownership
//
// Run blocks on the caller's goroutine, starts the goroutines that it needs, and has
// joined them when it returns. The runners in Config.Runners run a little longer than the
// reconciles. Workers call Func on their goroutines. Objects that Func reads from the
// view belong to it. Health, Trigger and similar methods may be called from any
// goroutine.
//
// # Guarantees
//
//  1. No reconcile starts before all sources are synced. From then on, every key that
//     a source has named is reconciled after the last change for which it was named,
//     until the reconcile returns nil, RequeueAfter or Terminal.
//  2. Two reconciles of one key never run at the same time, not even in two replicas,
//     provided that clocks run at the same rate; Request.Token covers the rest.
//  3. A view shows all informers of a factory at one instant, which is not earlier
//     than any of the reasons of the request.
//  4. A reconcile sees the writes of earlier reconciles of its key, if they used their
//     contexts with a client of package kube, and if a source (ReadOnly included) follows the
//     type. It waits for these writes for up to Config.WriteWait; other keys do not
//     wait with it.
//  5. Changes take priority over the initial objects. Neither starves.
//  6. A panic, an error or a timeout ends one reconcile and nothing else.
//  7. A state has the same Revision.ID whenever it is reported: after a restart, or in
//     another replica. A deletion has one ID, seen or missed. With filters that choose
//     updates, this needs a history (RevisionsConfig.FirstVersion); Revisions refuses to run
//     without one unless the configuration allows it. With
//     informer.WarmStart.AtLeastOnce, Revisions reports every revision at least once
//     across kills, until Revision.Acknowledge; without it, Revisions keeps nothing over a
//     restart. A recorder (package record) keeps all states for several replicas.
//  8. When the controller stops, no new reconcile begins. Running reconciles get a
//     grace period, and then their context ends. A key whose reconcile was cut short
//     does not count as done.
//
// # Several replicas
//
// With LeaderElection, one replica holds a Lease and has all keys. With Sharding, each replica has
// the keys for which it ranks first (rendezvous hashing); when a replica joins or
// leaves, only its keys move. Both use the same rules for a Lease:
//
// A holder that requested a renewal at time s, and received it, works until s plus two
// thirds of the duration, by its own clock. Then the contexts of its reconciles end,
// and the reconciles have the last third to return. Every other replica counts the
// whole duration from when it last saw the Lease change, by its own clock, and reads
// the Lease again before it acts. No two clocks are compared. Writes need the version
// that was read.
//
// With Sharding, each replica has its own Lease, in which it publishes the names of
// the replicas that it yields to. It yields to all live replicas: it has no key for
// which one of them ranks higher. And it has keys only once it has read, after its own
// publication, that all live replicas yield to it. A new replica publishes and waits.
// The others stop work on the keys for which it ranks higher and publish that they
// yield to it; then it begins. When a replica crashes, its Lease expires; the others
// publish without it, read the Leases again, and take its keys. A replica that leaves
// first ends its reconciles, then its Lease.
//
// A replica that takes over also waits, for a limited time, until its informers show
// the writes of its predecessor that the Lease records: all writes if the Lease was
// handed over, or the writes up to the last renewal if the predecessor crashed.
//
// The token of a request is the version of the write that began the term. That write
// happens after the replica has seen that no other replica has the keys, so a later
// owner of a key has a higher token. A process that was suspended in the middle of a
// reconcile may write when it resumes, before it checks the clock. To reject such a
// write, check tokens where the write happens (Fence). Do not delete a Lease by hand: a
// replica that starts afterwards may assume too early that the holder has stopped.
//
// # Limits
//
// A waiting key costs about 150 bytes in the queue. The last 8 reasons for a key are
// kept. Writes of reconciles are kept until the informers show them: one entry for each
// key, type and namespace, and one for each deletion. A write whose response was lost
// may have happened, and the controller does not wait for it: before removing a finalizer,
// list the remaining objects on the server. A replica remembers events of other
// replicas' keys for 10 to 20 minutes, at most 200,000 entries. Beyond that, if a replica crashes while it
// handles a deletion, its successor does not learn of the deletion. A reconcile that
// ignores its context delays Run, and the handover of its key: the log and Health name
// the key 8 seconds after the end of the context. With Sharding, each replica lists
// the Leases every eighth of the duration: for more than about 50 replicas, increase
// the duration.
//
// # Errors
//
// New and Revisions reject invalid configurations. Run returns the error that ended the
// controller. The log has the error of each reconcile, and Health.Stats has the last of
// them; ErrTimeout, ErrStopping and ErrNotOurs are causes of contexts. PanicError has
// the stack of a panic. Fence returns ErrFenced.
package controller

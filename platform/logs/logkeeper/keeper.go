package logkeeper

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/internal/pause"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Keeper keeps the ends of logs. Create it with New.
type Keeper struct {
	cfg       Config
	count     counters
	faults    faults
	pods      *informer.Informer[corev1.Pod]
	roster    *roster
	lineage   *lineage
	shelf     *shelf
	fetches   *fetches
	followers *followers
	watching  *informer.Registration

	ran  atomic.Bool
	ctx  context.Context // of Run
	work sync.WaitGroup  // goroutines of Run
}

// ErrRunTwice is the error of a second call of Run.
var ErrRunTwice = errors.New("logkeeper: Run was called twice; a keeper runs once")

// New returns a keeper. It sends no request.
//
// Errors: an invalid configuration.
func New(cfg Config) (*Keeper, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	k := &Keeper{cfg: cfg, roster: newRoster()}
	k.count.s.Cluster = cfg.ClusterName
	k.faults = newFaults(&k.cfg)
	k.pods, err = informer.Watch[corev1.Pod](cfg.Cluster, informer.Config{Namespaces: cfg.Namespaces, Logger: cfg.Logger})
	if err != nil {
		return nil, err
	}
	k.lineage = newLineage(metadataOf(cfg.Cluster), k.start, k.faults.denied, k.faults.owners)
	k.shelf = newShelf(cfg.Store, cfg.Hold, &k.count, k.faults.database)
	k.fetches = &fetches{
		cfg: &k.cfg, fetcher: &fetcher{cluster: cfg.Cluster, lines: cfg.Lines, bytes: cfg.Bytes}, shelf: k.shelf, lineage: k.lineage,
		faults: &k.faults, count: &k.count, start: k.start, lookup: k.lookup, lost: k.unread, identity: k.identity,
		queue: newQueue[task](k.cfg.limits()), wake: make(chan struct{}, 1),
	}
	k.followers = newFollowers(k.fetches)
	k.watching, err = k.pods.Handle(informer.Handler[corev1.Pod]{OnEvent: k.watch}, informer.HandlerConfig{Name: "logs"})
	return k, err
}

// writers is the number of goroutines that write to the database.
const writers = 2

// lastWrites is the maximum time that Run writes the remaining logs after ctx has ended.
const lastWrites = 5 * time.Second

// Run keeps logs until ctx ends, and then returns nil. Call it once. All its goroutines
// have ended when it returns.
//
// Errors: ErrRunTwice.
func (k *Keeper) Run(ctx context.Context) error {
	if k.ran.Swap(true) {
		return ErrRunTwice
	}
	k.ctx = ctx
	k.start(func(ctx context.Context) { _ = k.pods.Run(ctx) }) // it fails only if called twice
	k.start(k.resolve)
	k.start(k.fetches.dispatch)
	k.start(k.sweep)
	for range writers {
		k.start(k.shelf.write)
	}
	<-ctx.Done()
	k.work.Wait()
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastWrites)
	defer cancel()
	k.shelf.drain(last)
	k.faults.stop()
	return nil
}

// start runs a function on a goroutine that Run joins. Call it only from goroutines of
// Run.
func (k *Keeper) start(f func(ctx context.Context)) {
	k.work.Go(func() { f(k.ctx) })
}

// Stats returns the counters. Any goroutine may call it.
func (k *Keeper) Stats() Stats {
	s := k.count.get()
	s.Pods, s.Tails = k.roster.size(), k.followers.count()
	s.Held, s.HeldBytes, s.Failing = k.shelf.state()
	s.Waiting, s.Fetching, s.Stalled = k.fetches.state()
	select {
	case <-k.watching.Synced():
		s.Synced = true
	default:
	}
	return s
}

// sweep finds the runs that ended before the keeper started.
func (k *Keeper) sweep(ctx context.Context) {
	select {
	case <-k.watching.Synced():
	case <-ctx.Done():
		return
	}
	s := &sweeper{fetches: k.fetches, roster: k.roster, pods: func() *store.Snapshot { return k.pods.Snapshot().Records() }}
	s.run(ctx)
}

// resolveEvery is the interval in which unknown types are resolved.
const resolveEvery = 30 * time.Second

// resolve resolves the kinds of types until all are known.
func (k *Keeper) resolve(ctx context.Context) {
	for {
		err := errors.Join(k.cfg.Keep.resolve(ctx, k.cfg.Cluster), k.cfg.Tail.resolve(ctx, k.cfg.Cluster))
		if ctx.Err() != nil {
			return
		}
		k.faults.types.See(faultlog.State{Err: err, Remedy: "until the server serves them, pods are recognized by the names of kinds"})
		if err == nil || pause.For(ctx, resolveEvery) != nil {
			return
		}
	}
}

// identityAge is the maximum age of the identity of the cluster.
const identityAge = 30 * time.Second

// identity returns the UID of the cluster. Another cluster may have replaced it.
func (k *Keeper) identity(ctx context.Context) (string, error) {
	return k.cfg.Cluster.Identity(ctx, time.Now().Add(-identityAge))
}

// watch handles an event of a pod.
func (k *Keeper) watch(_ context.Context, ev informer.Event[corev1.Pod]) error {
	selected, decided := k.roster.decided(ev.UID())
	if decided && !selected && ev.Kind() != store.Deleted {
		return nil
	}
	pod, err := ev.Object()
	if err != nil {
		return fmt.Errorf("the logs of pod %s are not kept: %w", ev.Key(), err)
	}
	switch {
	case ev.Kind() == store.Deleted:
		k.deleted(pod, ev.Seen())
	case ev.Initial():
		k.see(pod, time.Time{}, initial)
	default:
		k.see(pod, ev.Seen(), live)
	}
	return nil
}

// occasion is the reason why a pod is checked.
type occasion uint8

const (
	live    occasion = iota // it has changed
	initial                 // it existed when the keeper started
	late                    // its owners have become known
)

// see handles a revision of a pod. seen is when it was read from the server.
func (k *Keeper) see(pod *corev1.Pod, seen time.Time, why occasion) {
	selected, decided := k.roster.decided(string(pod.UID))
	if !decided {
		selected = k.decide(pod)
	}
	if !selected {
		return
	}
	n := k.roster.take(pod, why == initial)
	for _, e := range n.skipped {
		t := newTask(pod, e, true, seen)
		k.start(func(ctx context.Context) { k.fetches.lose(ctx, t, failure{loss: Restarted}) })
	}
	for _, e := range n.ended {
		switch t := newTask(pod, e, true, seen); why {
		case live:
			k.add(t, fresh)
		case late:
			t.unsure = true
			k.add(t, old)
		case initial: // the sweeper finds it
		}
	}
	for _, r := range n.deleting {
		k.fetches.add(newTask(pod, r.unended(), false, seen), fresh)
	}
	for _, r := range n.running {
		k.followers.follow(pod, r, seen)
	}
}

// add requests the log of an ended run, immediately or, if there is no room, later.
func (k *Keeper) add(t task, u urgency) {
	if !k.fetches.add(t, u) {
		k.roster.leave(t.id())
	}
}

// decide decides whether a pod is selected. If its owners must be read first, the pod is
// checked again when they are known.
func (k *Keeper) decide(pod *corev1.Pod) (selected bool) {
	selects := func(owners []owner, whole bool) (keep, tail verdict, open bool) {
		keep, tail = k.cfg.Keep.selects(pod, owners, whole), k.cfg.Tail.selects(pod, owners, whole)
		return keep, tail, keep == unsure && tail != yes || tail == unsure
	}
	nearest, owned := controller(pod)
	if !owned {
		keep, tail, _ := selects(nil, true)
		k.roster.decide(pod, keep == yes || tail == yes, tail == yes)
		return keep == yes || tail == yes
	}
	keep, tail, open := selects([]owner{nearest}, false)
	if open || keep == yes || tail == yes { // read the job of a selected pod before it is needed
		var later func()
		if open {
			key, uid := wire.Key{Namespace: pod.Namespace, Name: pod.Name}, string(pod.UID)
			later = func() { k.reconsider(key, uid) }
		}
		if owners, whole := k.lineage.above(pod.Namespace, nearest, later); open {
			if keep, tail, open = selects(owners, whole); open {
				return false
			}
		}
	}
	k.roster.decide(pod, keep == yes || tail == yes, tail == yes)
	return keep == yes || tail == yes
}

// reconsider checks a pod again.
func (k *Keeper) reconsider(key wire.Key, uid string) {
	if pod, there := k.lookup(key, uid); there {
		k.see(pod, time.Time{}, late)
	}
}

// lookup returns the current state of a pod. It also finds the pods of a namespace while
// the server refuses another namespace.
func (k *Keeper) lookup(key wire.Key, uid string) (*corev1.Pod, bool) {
	e, found := k.pods.Snapshot().Records().Get(key)
	if !found || e.UID() != uid {
		return nil, false
	}
	pod, err := wire.Codec[corev1.Pod]{}.Decode(e.Record())
	return pod, err == nil
}

// deleted handles the deletion of a pod: unread logs are lost.
func (k *Keeper) deleted(pod *corev1.Pod, seen time.Time) {
	uid := string(pod.UID)
	told := map[runID]bool{}
	tell := func(t task, why failure) {
		if !told[t.id()] {
			told[t.id()] = true
			k.start(func(ctx context.Context) { k.unread(ctx, t, why) })
		}
	}
	k.followers.podGone(uid)
	waiting := k.fetches.podGone(uid)
	n := k.roster.remove(pod)
	for _, e := range n.ended { // ends that only the deletion shows
		tell(newTask(pod, e, true, seen), failure{})
	}
	for _, u := range waiting {
		tell(u.task, u.failure)
	}
	for _, r := range n.running {
		tell(newTask(pod, r.unended(), false, seen), failure{})
	}
}

// unread handles a run whose log was not read, for the last failure if there was one. A
// follower may still read it.
func (k *Keeper) unread(ctx context.Context, t task, why failure) {
	if why.loss == "" {
		why = failure{loss: PodGone}
	}
	if t.run.unstarted || !k.followers.take(t, why) {
		k.fetches.lose(ctx, t, why)
	}
}

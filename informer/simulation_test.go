package informer_test

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

const (
	simPhases      = 30
	simSubscribers = 20
)

// TestSimulation runs a server and twenty subscribers for hours of fake time with hundreds of
// faults. There are quick, slow and panicking subscribers of all modes; some are early, some
// late. After each phase all have the objects of the server. Subscribers of store.Lossless,
// and those of store.EveryChange that were quick enough, have seen every revision, unless an
// expired version made a list necessary.
func TestSimulation(t *testing.T) {
	for n := range testinput.Cases(t, testinput.Size(t, 2, 8)) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { newSimulation(t).run() })
		})
	}
}

// simulation is one run.
type simulation struct {
	*world
	random *rand.Rand
	inf    *informer.Informer[corev1.Pod]
	byNode *informer.Index[corev1.Pod]
	subs   []*simSubscriber
	phase  []revision // the writes of this phase
	faults int
	whole  int // number of phases without a relist
	behind int // number of times that a subscriber of EveryChange got folded changes

	injected []*apitest.Injection
}

// revision is one state of one object.
type revision struct {
	uid     string
	version wire.Version
}

// simSubscriber applies its events to a map of its own.
type simSubscriber struct {
	s      *simulation
	name   string
	mode   store.Mode
	slow   time.Duration // maximum time for each event
	panics bool          // panics for random events

	mu      sync.Mutex
	random  *rand.Rand
	objects map[string]revision
	seen    map[revision]int
	folded  bool // got folded changes
	early   bool // subscribed before the phase
	cancel  func()
}

// newSimulation returns a simulation with a server and an informer, which do not run.
func newSimulation(t *testing.T) *simulation {
	s := &simulation{world: &world{t: t}, random: testinput.Rand(t)}
	s.srv, s.cluster = serve(t, apitest.Config{})
	s.ctx, s.cancel = context.WithCancel(t.Context())
	s.inf = must(informer.Watch[corev1.Pod](s.cluster, informer.Config{Backlog: 20, Logger: slog.New(slog.DiscardHandler)}))
	s.byNode = informer.IndexBy(s.inf, func(p *corev1.Pod) string { return p.Spec.NodeName })
	return s
}

// run runs all phases.
func (s *simulation) run() {
	defer s.work.Wait()
	defer s.cancel()
	for i := range 10 {
		s.create(podOn("n0", fmt.Sprint("pod-", i)))
	}
	began := time.Now()
	for i := range simSubscribers / 2 {
		s.subscribe(i)
	}
	s.world.run(s.inf)
	for i := range simSubscribers / 2 {
		s.subscribe(i)
	}
	s.restore()
	for phase := range simPhases {
		s.phase = nil
		for _, sub := range s.subs {
			sub.early = true
		}
		before, _ := s.inf.Health()
		s.disturb()
		s.restore()
		after, _ := s.inf.Health()
		if after.Relists == before.Relists {
			s.whole++
		}
		s.check(phase, after.Relists == before.Relists)
		if s.t.Failed() {
			break
		}
	}
	s.t.Logf("%v of fake time, %d faults, %d of %d phases without a relist, %d times behind", time.Since(began).Round(time.Minute), s.faults, s.whole, simPhases, s.behind)
	if s.whole == 0 || s.whole == simPhases || s.behind == 0 {
		s.t.Errorf("got %d of %d phases without a relist and %d subscribers behind, want some of each kind", s.whole, simPhases, s.behind)
	}
}

// subscribe adds a subscriber of one of five kinds.
func (s *simulation) subscribe(i int) {
	sub := &simSubscriber{
		s: s, name: fmt.Sprint("subscriber ", len(s.subs), " of kind ", i%5),
		random:  split(s.random),
		objects: map[string]revision{}, seen: map[revision]int{},
	}
	s.subs = append(s.subs, sub)
	ctx, cancel := context.WithCancel(s.ctx)
	sub.cancel = cancel
	pull := func(mode store.Mode) {
		sub.mode = mode
		s.work.Go(func() {
			for ev := range s.inf.Changes(ctx, informer.SubscriptionConfig{Mode: mode}) {
				sub.apply(ctx, ev)
			}
		})
	}
	handle := func(h informer.Handler[corev1.Pod], cfg informer.HandlerConfig) {
		sub.mode = cfg.Subscription.Mode
		cfg.Retry, cfg.Panics = -1, informer.RetryOnPanic
		r := s.handle(s.inf, h, cfg)
		sub.cancel = r.Remove
	}
	one := func(ctx context.Context, ev informer.Event[corev1.Pod]) error {
		sub.apply(ctx, ev)
		return nil
	}
	switch i % 5 {
	case 0:
		pull(store.Lossless)
	case 1:
		sub.slow = 3 * time.Second
		pull(store.Latest)
	case 2:
		sub.slow = 200 * time.Millisecond
		if i%2 == 0 {
			sub.slow *= 100
		}
		pull(store.EveryChange)
	case 3:
		sub.slow, sub.panics = time.Second, true
		handle(informer.Handler[corev1.Pod]{OnEvent: one}, informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Mode: store.Latest, Resync: 11 * time.Minute}})
	case 4:
		handle(informer.Handler[corev1.Pod]{OnBatch: func(ctx context.Context, events []informer.Event[corev1.Pod]) error {
			for _, ev := range events {
				sub.apply(ctx, ev)
			}
			return nil
		}}, informer.HandlerConfig{BatchSize: 7, Subscription: informer.SubscriptionConfig{Mode: store.Lossless}})
	}
}

// apply applies an event, and checks that the event follows from the state before.
func (b *simSubscriber) apply(ctx context.Context, ev informer.Event[corev1.Pod]) {
	if b.slow > 0 {
		select {
		case <-time.After(time.Duration(b.random.Int64N(int64(b.slow)))):
		case <-ctx.Done():
			return
		}
	}
	if b.panics && b.random.IntN(5) == 0 {
		panic("on purpose")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	key, now := ev.Key().String(), revision{ev.UID(), ev.Version()}
	was, exists := b.objects[key]
	valid := false
	b.folded = b.folded || ev.Changes() > 1
	switch {
	case ev.CameAndWent():
		valid = !exists && b.mode == store.EveryChange
	case ev.Resync():
		valid = exists && was == now
	case ev.Kind() == store.Added:
		valid = !exists
		b.objects[key] = now
		b.seen[now]++
	case ev.Kind() == store.Updated:
		valid = exists && was.uid == now.uid && was.version < now.version
		b.objects[key] = now
		b.seen[now]++
	default:
		valid = exists && was.uid == now.uid
		delete(b.objects, key)
		if !ev.Missed() {
			b.seen[now]++
		}
	}
	if !valid {
		b.s.t.Errorf("%s: got %v of %s at %v, which does not follow from %v", b.name, ev.Kind(), key, now, was)
	}
}

// disturb changes objects, injects faults, and adds and removes subscribers for some minutes.
func (s *simulation) disturb() {
	outage := false
	for range 40 + s.random.IntN(40) {
		<-time.After(time.Duration(s.random.Int64N(int64(3 * time.Second))))
		switch n := s.random.IntN(100); {
		case n < 70:
			s.write()
		case n < 85:
			s.fault()
		case n < 88 && !outage:
			outage = true
			s.faults++
			s.srv.Unavailable()
		case n < 94 && outage:
			outage = false
			if err := s.srv.Available(); err != nil {
				s.t.Fatal(err)
			}
		case n < 95:
			s.faults++
			s.srv.Compact()
		case n < 96:
			<-time.After(time.Duration(s.random.Int64N(int64(time.Hour)))) // the machine is suspended
		case n < 98 && len(s.subs) < 2*simSubscribers:
			s.subscribe(s.random.IntN(5))
		case n < 99 && len(s.subs) > simSubscribers:
			i := s.random.IntN(len(s.subs))
			s.subs[i].cancel()
			s.subs = append(s.subs[:i:i], s.subs[i+1:]...)
		}
	}
}

// write creates a random pod. If it exists, write changes or deletes it.
func (s *simulation) write() {
	name := fmt.Sprint("pod-", s.random.IntN(30))
	obj, err := s.srv.Get(pod(name))
	if err != nil {
		obj, err = s.srv.Create(podOn(fmt.Sprint("n", s.random.IntN(5)), name))
	} else if s.random.IntN(5) == 0 {
		s.delete(name)
		return // only the server knows the version of a deletion
	} else {
		p := obj.(*corev1.Pod)
		p.Spec.NodeName = fmt.Sprint("n", s.random.IntN(1000))
		obj, err = s.srv.Update(p)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	p := obj.(*corev1.Pod)
	v, err := wire.ParseVersion(p.ResourceVersion)
	if err != nil {
		s.t.Fatal(err)
	}
	s.phase = append(s.phase, revision{string(p.UID), v})
}

// fault injects a random fault.
func (s *simulation) fault() {
	watch := []apitest.Action{
		apitest.Cut(apitest.CutClean), apitest.Cut(apitest.CutReset), apitest.Cut(apitest.CutMidFrame), apitest.Stall(),
		apitest.Garbage(apitest.GarbageFraming), apitest.Garbage(apitest.GarbageEventType),
		apitest.InStreamError(apitest.Failure(410, 0)), apitest.InStreamError(apitest.Failure(429, time.Second)), apitest.InStreamError(apitest.Failure(500, 0)),
		apitest.Backwards(2), apitest.NoEndBookmark(),
	}
	request := []apitest.Action{apitest.Hang()}
	for _, code := range []int{401, 403, 404, 410, 429, 500, 503} {
		request = append(request, apitest.Respond(apitest.Failure(code, 0)))
	}
	f := apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch, Resource: "pods"}, Times: 1 + s.random.IntN(2)}
	if s.random.IntN(3) > 0 {
		f.Action, f.After = watch[s.random.IntN(len(watch))], s.random.IntN(4)
	} else {
		f.Action = request[s.random.IntN(len(request))]
		if s.random.IntN(2) == 0 {
			f.Match.Verb = apitest.VerbList
		}
	}
	s.faults++
	i, err := s.srv.Inject(f)
	if err != nil {
		s.t.Fatalf("Inject(%+v): got %v, want nil", f, err)
	}
	s.injected = append(s.injected, i)
}

// restore ends an outage and all faults, and waits until the subscribers have all events.
func (s *simulation) restore() {
	if err := s.srv.Available(); err != nil {
		s.t.Fatal(err)
	}
	s.advance(20 * time.Minute)
	for _, i := range s.injected {
		i.Release()
	}
	s.injected = nil
	s.advance(10 * time.Minute)
}

// check compares the store, the index and the subscribers with the server.
func (s *simulation) check(phase int, whole bool) {
	objects, err := s.srv.List(pod(""), "")
	if err != nil {
		s.t.Fatal(err)
	}
	want := map[string]revision{}
	nodes := map[string]int{}
	for _, o := range objects {
		p := o.(*corev1.Pod)
		v, err := wire.ParseVersion(p.ResourceVersion)
		if err != nil {
			s.t.Fatal(err)
		}
		want[p.Namespace+"/"+p.Name] = revision{string(p.UID), v}
		nodes[p.Spec.NodeName]++
	}
	got := map[string]revision{}
	snap := s.inf.Snapshot()
	for e := range snap.Records().All() {
		got[e.Key().String()] = revision{e.UID(), e.Version()}
	}
	if !maps.Equal(got, want) {
		h, _ := s.inf.Health()
		s.t.Errorf("phase %d: got %d objects in the store, want the %d of the server; health: %+v", phase, len(got), len(want), h.Health)
	}
	if got := maps.Collect(must(s.byNode.Values(snap))); !maps.Equal(got, nodes) {
		s.t.Errorf("phase %d: got index %v, want %v", phase, got, nodes)
	}
	for _, sub := range s.subs {
		sub.check(phase, want, whole)
	}
}

// check compares the state and the revisions of the subscriber with the server. whole reports
// whether the phase had no relist.
func (b *simSubscriber) check(phase int, want map[string]revision, whole bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !maps.Equal(b.objects, want) {
		b.s.t.Errorf("phase %d: %s: got %d objects, want the %d of the server", phase, b.name, len(b.objects), len(want))
	}
	if b.folded && b.mode == store.EveryChange {
		b.s.behind++
		b.folded = false
		return
	}
	if b.mode == store.Latest {
		return
	}
	for r, n := range b.seen {
		if n > 1 {
			b.s.t.Errorf("phase %d: %s: got %v %d times, want once", phase, b.name, r, n)
		}
	}
	if !whole || !b.early {
		return
	}
	for _, r := range b.s.phase {
		if b.seen[r] != 1 {
			b.s.t.Errorf("phase %d: %s: got %v %d times without a relist, want once", phase, b.name, r, b.seen[r])
		}
	}
}

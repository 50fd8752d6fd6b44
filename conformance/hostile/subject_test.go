package hostile_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/conformance/hostile"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Widget is the Go struct of the custom resource.
type Widget struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct {
		NodeName string `json:"nodeName"`
	} `json:"spec"`
}

// subject is an informer under test.
type subject interface {
	name() string
	prepare(random int)
	run(ctx context.Context) error
	set(ctx context.Context, spaces []string) error
	add(cluster string, at *place) error
	remove(ctx context.Context, cluster string) error
	// sample checks the informer while servers are hostile, and compare checks it when they behave.
	// Both return a failure, or "".
	sample(now time.Time) string
	compare() string
	// differs compares the objects only.
	differs() string
	// scopes returns the number of lists and watches.
	scopes() int
}

// place is a server and its clients' configuration.
type place struct {
	server  *hostile.Server
	cluster *kube.Cluster
}

// content returns the compared fields of an object.
type content[T any] func(*T) (node string, meta metav1.Object)

func ofPod(p *corev1.Pod) (string, metav1.Object) { return p.Spec.NodeName, p }

func ofWidget(w *Widget) (string, metav1.Object)                         { return w.Spec.NodeName, w }
func ofMetadata(m *metav1.PartialObjectMetadata) (string, metav1.Object) { return unknown, m }

// unknown is the node of an object with metadata only.
const unknown = "?"

func ofAny(u *unstructured.Unstructured) (string, metav1.Object) {
	node, _, _ := unstructured.NestedString(u.Object, "spec", "nodeName")
	return node, u
}

// follower is a subject.
type follower[T any] struct {
	inf     *informer.Informer[T]
	t       *hostile.Type
	content content[T]
	byNode  *informer.Index[T]
	told    []*told
	began   time.Time
	limit   int // of the queue, in bytes

	mu      sync.Mutex
	places  map[string]*place // by cluster
	spaces  []string
	wrong   []string
	sawErr  time.Time
	changed time.Time // time of the last change of its scope
}

// told is the state of a handler.
type told struct {
	mode string
	mu   sync.Mutex
	view map[wire.Key]state
}

type state struct {
	uid     string
	version wire.Version
}

func newFollower[T any](inf *informer.Informer[T], t *hostile.Type, c content[T], places map[string]*place, spaces []string) *follower[T] {
	return &follower[T]{inf: inf, t: t, content: c, places: places, spaces: spaces, began: time.Now(), changed: time.Now(), limit: 64 << 20}
}

func (f *follower[T]) name() string { return fmt.Sprintf("%T", f.inf) }

// prepare adds an index and handlers.
func (f *follower[T]) prepare(random int) {
	f.byNode = informer.IndexBy(f.inf, func(obj *T) string { node, _ := f.content(obj); return node })
	for mode, cfg := range map[string]informer.HandlerConfig{
		"default": {},
		"latest":  {Subscription: informer.SubscriptionConfig{Mode: store.Latest, Resync: 7 * time.Minute}},
		"batches": {BatchSize: 5},
	} {
		b := &told{mode: mode, view: map[wire.Key]state{}}
		f.told = append(f.told, b)
		slow := time.Duration(random%3) * 50 * time.Millisecond
		h := informer.Handler[T]{OnEvent: func(ctx context.Context, ev informer.Event[T]) error {
			f.take(b, ev)
			if mode == "latest" && slow > 0 {
				select {
				case <-time.After(slow): // an input: fake time: the caller is a bubble
				case <-ctx.Done():
				}
			}
			return nil
		}}
		if mode == "batches" {
			h = informer.Handler[T]{OnBatch: func(_ context.Context, events []informer.Event[T]) error {
				for _, ev := range events {
					f.take(b, ev)
				}
				return nil
			}}
		}
		if _, err := f.inf.Handle(h, cfg); err != nil {
			f.complain("handle: %v", err)
		}
	}
}

func (f *follower[T]) complain(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.wrong) < 10 {
		f.wrong = append(f.wrong, fmt.Sprintf(format, args...))
	}
}

// take records an event, and reports it if it does not follow from the previous events of the
// handler.
func (f *follower[T]) take(b *told, ev informer.Event[T]) {
	b.mu.Lock()
	defer b.mu.Unlock()
	key, now := ev.Key(), state{ev.UID(), ev.Version()}
	was, known := b.view[key]
	ok := false
	switch {
	case ev.Resync():
		ok = known && was == now
	case ev.Kind() == store.Added:
		ok = !known
		b.view[key] = now
	case ev.Kind() == store.Updated:
		ok = known && same(was, now)
		b.view[key] = now
	default:
		ok = known && same(was, now)
		delete(b.view, key)
	}
	if !ok {
		f.complain("handler %s: %v of %v at %v does not follow from %v (%v)", b.mode, ev.Kind(), key, now, was, known)
	}
}

// same reports whether two states may belong to the same object: not all servers send
// UIDs.
func same(a, b state) bool { return a.uid == b.uid || a.uid == "" || b.uid == "" }

// run runs the informer, and watches its health.
func (f *follower[T]) run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var work sync.WaitGroup
	defer work.Wait()
	work.Go(func() {
		for {
			h, changed := f.inf.Health()
			if h.Err != nil {
				f.mu.Lock()
				f.sawErr = time.Now()
				f.mu.Unlock()
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	})
	if f.inf.Released() != nil {
		<-ctx.Done()
		return nil
	}
	err := f.inf.Run(ctx)
	cancel()
	return err
}

func (f *follower[T]) set(ctx context.Context, spaces []string) error {
	f.mu.Lock()
	f.spaces, f.changed = spaces, time.Now()
	f.mu.Unlock()
	return f.inf.SetNamespaces(ctx, spaces...)
}

func (f *follower[T]) add(cluster string, at *place) error {
	f.mu.Lock()
	f.places[cluster], f.changed = at, time.Now()
	f.mu.Unlock()
	return f.inf.AddCluster(cluster, at.cluster)
}

func (f *follower[T]) remove(ctx context.Context, cluster string) error {
	f.mu.Lock()
	delete(f.places, cluster)
	f.changed = time.Now()
	f.mu.Unlock()
	return f.inf.RemoveCluster(ctx, cluster)
}

// stallBound is the maximum time in which a subject gets only faults before its health shows one.
const stallBound = 5 * time.Minute

// paths are the paths of the lists and watches of a server.
func (f *follower[T]) paths() []string {
	prefix, resource := "/api/v1", "/"+f.t.Resource
	if _, ok := any(new(T)).(*metav1.PartialObjectMetadata); ok {
		resource += " metadata"
	}
	if f.t.Group != "" {
		prefix = "/apis/" + f.t.Group + "/" + f.t.Version
	}
	if len(f.spaces) == 0 {
		return []string{prefix + resource}
	}
	var all []string
	for _, space := range f.spaces {
		all = append(all, prefix+"/namespaces/"+space+resource)
	}
	return all
}

func (f *follower[T]) sample(now time.Time) string {
	h, _ := f.inf.Health()
	stats := f.inf.Stats()
	f.mu.Lock()
	defer f.mu.Unlock()
	if h.Err != nil {
		f.sawErr = now
	}
	if len(f.wrong) > 0 {
		return strings.Join(f.wrong, "\n")
	}
	if stats.QueuedBytes > f.limit {
		return fmt.Sprintf("the queue has %d bytes", stats.QueuedBytes)
	}
	if now.Sub(f.changed) < stallBound {
		return ""
	}
	for cluster, at := range f.places {
		for _, path := range f.paths() {
			since, faulty := at.server.FaultsSince(path)
			if since.Before(f.changed) {
				since = f.changed
			}
			if faulty && now.Sub(since) > stallBound && f.sawErr.Before(since) {
				return fmt.Sprintf("a stall without a report: %s of %q got only faults for %v, and health never showed one: %+v", path, cluster, now.Sub(since), h.Health)
			}
		}
	}
	return ""
}

// compare compares the objects of the subject with the true ones.
func (f *follower[T]) compare() string {
	f.mu.Lock()
	places := len(f.places)
	f.mu.Unlock()
	h, _ := f.inf.Health()
	if places > 0 {
		select {
		case <-f.inf.Synced():
		default:
			return fmt.Sprintf("it is not synced: %+v", h.Health)
		}
		if err := h.Ready(); err != nil {
			return fmt.Sprintf("it is not ready: %v", err)
		}
	}
	return f.differs()
}

func (f *follower[T]) scopes() int { return len(f.paths()) }

// differs compares the objects of the subject with the true ones.
func (f *follower[T]) differs() string {
	f.mu.Lock()
	places, spaces, wrong := maps.Clone(f.places), f.spaces, slices.Clone(f.wrong)
	f.mu.Unlock()
	if len(wrong) > 0 {
		return strings.Join(wrong, "\n")
	}
	h, _ := f.inf.Health()
	truth, unusable := map[wire.Key]hostile.Object{}, map[wire.Key]bool{}
	for cluster, at := range places {
		for _, o := range at.server.Objects(f.t) {
			key := wire.Key{Cluster: cluster, Namespace: o.Namespace, Name: o.Name}
			switch {
			case len(spaces) > 0 && !slices.Contains(spaces, o.Namespace):
			case o.Unusable:
				unusable[key] = true
			default:
				truth[key] = o
			}
		}
	}
	return f.compareWith(truth, unusable, fmt.Sprintf("%+v", h.Health))
}

func (f *follower[T]) compareWith(truth map[wire.Key]hostile.Object, unusable map[wire.Key]bool, health string) string {
	var wrong []string
	snap := f.inf.Snapshot()
	seen := map[wire.Key]state{}
	for e := range snap.Records().All() {
		seen[e.Key()] = state{e.UID(), e.Version()}
	}
	nodes := map[string]int{}
	for key, o := range truth {
		want := state{o.UID, wire.Version(o.Version)}
		if got, ok := seen[key]; got != want {
			wrong = append(wrong, fmt.Sprintf("%v is %v (%v), want %v", key, got, ok, want))
			continue
		}
		obj, _, err := snap.Get(key)
		if err != nil {
			wrong = append(wrong, fmt.Sprintf("%v: %v", key, err))
			continue
		}
		node, meta := f.content(obj)
		if node != o.Node && node != unknown || meta.GetAnnotations()["payload"] != o.Payload || meta.GetLabels()["l"] != o.Label || meta.GetName() != o.Name {
			wrong = append(wrong, fmt.Sprintf("%v is decoded as %q, %+v, want %+v", key, node, obj, o))
		}
		nodes[node]++
	}
	for key := range seen {
		if _, ok := truth[key]; !ok && !unusable[key] {
			wrong = append(wrong, fmt.Sprintf("%v does not exist, but is shown at %v", key, seen[key]))
		}
	}
	for node, n := range nodes {
		if got, err := f.byNode.Len(snap, node); (err != nil || got != n) && len(unusable) == 0 {
			wrong = append(wrong, fmt.Sprintf("the index has %d objects of %q, error %v, want %d, nil", got, node, err, n))
		}
	}
	for _, b := range f.told {
		b.mu.Lock()
		if !maps.Equal(b.view, seen) {
			wrong = append(wrong, fmt.Sprintf("handler %s has %v, and the store has %v", b.mode, b.view, seen))
		}
		b.mu.Unlock()
	}
	if len(wrong) > 0 {
		return strings.Join(wrong[:min(len(wrong), 10)], "\n") + "\n" + health
	}
	return ""
}

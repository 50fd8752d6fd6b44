package differential_test

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
)

// nodeOf returns the node of an object; it may be empty.
func nodeOf(obj any) string {
	switch obj := obj.(type) {
	case *corev1.Pod:
		return obj.Spec.NodeName
	case *unstructured.Unstructured:
		node, _, _ := unstructured.NestedString(obj.Object, "spec", "nodeName")
		return node
	}
	return "no object"
}

// labelOf returns the values of the indexed label: none if an object has no such label.
func labelOf(m metav1.Object) []string {
	if v, ok := m.GetLabels()["app"]; ok {
		return []string{v}
	}
	return nil
}

// journal collects events.
type journal struct {
	mu     sync.Mutex
	events map[string][]event
}

func (j *journal) add(key string, events ...event) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.events == nil {
		j.events = map[string][]event{}
	}
	j.events[key] = append(j.events[key], events...)
}

func (j *journal) take() map[string][]event {
	j.mu.Lock()
	defer j.mu.Unlock()
	events := j.events
	j.events = nil
	return events
}

// theirs is client-go's informer.
type theirs struct {
	journal
	inf cache.SharedIndexInformer
}

func (s *script) theirs() *theirs {
	cfg := s.config(theirUser)
	f := &theirs{}
	indexers := cache.Indexers{
		"namespace": cache.MetaNamespaceIndexFunc,
		"node":      func(obj any) ([]string, error) { return []string{nodeOf(obj)}, nil },
		"label": func(obj any) ([]string, error) {
			m, err := meta.Accessor(obj)
			if err != nil {
				return nil, err
			}
			return labelOf(m), nil
		},
	}
	if s.gvr == podType {
		if s.random.IntN(2) == 0 {
			cfg.ContentType = "application/vnd.kubernetes.protobuf"
			cfg.AcceptContentTypes = "application/vnd.kubernetes.protobuf,application/json"
		}
		f.inf = coreinformers.NewPodInformer(kubernetes.NewForConfigOrDie(cfg), "", 0, indexers)
	} else {
		f.inf = dynamicinformer.NewFilteredDynamicInformer(dynamic.NewForConfigOrDie(cfg), s.gvr, "", 0, indexers, nil).Informer()
	}
	_, err := f.inf.AddEventHandler(cache.ResourceEventHandlerDetailedFuncs{
		AddFunc:    func(obj any, _ bool) { f.note("add", obj) },
		UpdateFunc: f.update,
		DeleteFunc: func(obj any) { f.note("delete", obj) },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

func (f *theirs) note(kind string, obj any) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		obj = gone.Obj // the last known state, as in a Missed event of ours
	}
	m, err := meta.Accessor(obj)
	if err != nil {
		f.add("no object", event{kind: err.Error()})
		return
	}
	f.add(m.GetNamespace()+"/"+m.GetName(), event{kind, string(m.GetUID()), m.GetResourceVersion()})
}

// update records an update. If a list finds a new object under the name of a deleted object,
// client-go reports an update, and handlers must compare UIDs. Vedette reports a deletion and an
// addition, so an update that changes the UID is recorded as these two.
func (f *theirs) update(old, obj any) {
	was, err1 := meta.Accessor(old)
	now, err2 := meta.Accessor(obj)
	if err1 == nil && err2 == nil && was.GetUID() != now.GetUID() {
		f.note("delete", old)
		f.note("add", obj)
		return
	}
	f.note("update", obj)
}

func (f *theirs) run(ctx context.Context) { f.inf.RunWithContext(ctx) }
func (f *theirs) synced() bool            { return f.inf.HasSynced() }

func (f *theirs) objects() map[string]object {
	all := map[string]object{}
	for _, obj := range f.inf.GetStore().List() {
		m, err := meta.Accessor(obj)
		if err != nil {
			continue
		}
		all[m.GetNamespace()+"/"+m.GetName()] = object{string(m.GetUID()), m.GetResourceVersion(), plain(obj)}
	}
	return all
}

func (f *theirs) index(name string) map[string][]string {
	all := map[string][]string{}
	for _, value := range f.inf.GetIndexer().ListIndexFuncValues(name) {
		keys, err := f.inf.GetIndexer().IndexKeys(name, value)
		if err != nil {
			keys = []string{err.Error()}
		}
		if len(keys) > 0 { // client-go keeps values that no object has
			all[value] = keys
		}
	}
	return all
}

// ours is this project's informer.
type ours[T any] struct {
	journal
	inf     *informer.Informer[T]
	byNode  *informer.Index[T]
	byLabel *informer.Index[T]
	s       *script
}

func (s *script) ours() follower {
	if s.gvr == podType && s.random.IntN(2) == 0 {
		return newOurs[corev1.Pod](s, "")
	}
	return newOurs[unstructured.Unstructured](s, s.gvr.Resource)
}

func newOurs[T any](s *script, resource string) *ours[T] {
	cluster, err := kube.Connect(kube.Config{REST: s.config(ourUser)})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(cluster.Close)
	cfg := informer.Config{Resource: resource, Logger: quiet, Backlog: 100_000, Missing: informer.WaitIfMissing}
	if s.random.IntN(2) == 0 {
		cfg.Reflector.PageSize = 5
	}
	if s.random.IntN(3) == 0 {
		cfg.Storage = informer.Live
	}
	inf, err := informer.Watch[T](cluster, cfg)
	if err != nil {
		s.t.Fatal(err)
	}
	f := &ours[T]{inf: inf, s: s}
	f.byNode = informer.IndexBy(inf, func(obj *T) string { return nodeOf(obj) })
	f.byLabel = informer.IndexByEach(inf, func(obj *T) []string { return labelOf(any(obj).(metav1.Object)) })
	_, err = inf.Handle(informer.Handler[T]{OnEvent: f.note}, informer.HandlerConfig{Subscription: informer.SubscriptionConfig{Mode: store.EveryChange}})
	if err != nil {
		s.t.Fatal(err)
	}
	return f
}

func (f *ours[T]) note(_ context.Context, ev informer.Event[T]) error {
	kind := map[store.ChangeKind]string{store.Added: "add", store.Updated: "update", store.Deleted: "delete"}[ev.Kind()]
	f.add(ev.Key().String(), event{kind, ev.UID(), ev.Version().String()})
	return nil
}

func (f *ours[T]) run(ctx context.Context) {
	if err := f.inf.Run(ctx); err != nil {
		f.s.t.Errorf("Run: %v", err)
	}
}

func (f *ours[T]) synced() bool {
	select {
	case <-f.inf.Synced():
		return true
	default:
		return false
	}
}

func (f *ours[T]) objects() map[string]object {
	all := map[string]object{}
	for obj, err := range f.inf.Snapshot().All() {
		if err != nil {
			f.s.t.Errorf("All: %v", err)
			continue
		}
		m := any(obj).(metav1.Object)
		all[m.GetNamespace()+"/"+m.GetName()] = object{string(m.GetUID()), m.GetResourceVersion(), plain(obj)}
	}
	return all
}

func (f *ours[T]) index(name string) map[string][]string {
	all := map[string][]string{}
	snap := f.inf.Snapshot()
	if name == "namespace" {
		for e := range snap.Records().All() {
			ns := e.Key().Namespace
			all[ns] = append(all[ns], e.Key().String())
		}
		for ns, keys := range all { // the view of the whole namespace
			n := 0
			for range snap.Namespace(ns) {
				n++
			}
			if n != len(keys) {
				all[ns] = nil
			}
		}
		return all
	}
	x := map[string]*informer.Index[T]{"node": f.byNode, "label": f.byLabel}[name]
	values, _ := x.Values(snap) // an informer that is not synced has an empty sequence
	for value := range values {
		keys, _ := x.Keys(snap, value)
		for key := range keys {
			all[value] = append(all[value], key.String())
		}
	}
	return all
}

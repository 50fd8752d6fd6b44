package chaos_test

import (
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	stockdynamic "k8s.io/client-go/dynamic/dynamicinformer"
	stockinformers "k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	stockmetadata "k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/compat/clientgo/dynamic/dynamicinformer"
	"github.com/vedette-io/vedette/compat/clientgo/informers"
	"github.com/vedette-io/vedette/compat/clientgo/metadata/metadatainformer"
	"github.com/vedette-io/vedette/informer"
)

// The engines under test.
const (
	stock  = "client-go"
	packed = "packed"
	live   = "live"
)

var engines = []string{stock, packed, live}

// form is the Go type of an informer's objects.
type form string

const (
	typed   form = "typed"
	dynamik form = "dynamic"
	partial form = "metadata"
)

// view is the scope and the form of an informer.
type view struct {
	gvr      schema.GroupVersionResource
	form     form
	selected bool
}

func (v view) tweak(o *metav1.ListOptions) {
	if v.selected {
		o.LabelSelector = label + "=yes"
	}
}

// liveOptions keep managedFields, so that some informers have the same objects as those
// of client-go.
func liveOptions() clientgo.Options {
	return clientgo.Options{Storage: informer.Live, Logger: slog.New(slog.DiscardHandler)}
}

// construct returns an informer of an engine as a program would create it: from a factory
// of client-go, from our mirror of it, or from client-go and adopted.
func construct(v view, engine string, cfg *rest.Config) (cache.SharedIndexInformer, error) {
	adopted := engine == live && v.form != typed
	if adopted {
		cfg = clientgo.Wrap(cfg)
	}
	var inf cache.SharedIndexInformer
	var err error
	switch v.form {
	case typed:
		inf, err = constructTyped(v, engine, cfg)
	case dynamik:
		inf, err = constructDynamic(v, engine, cfg)
	default:
		inf, err = constructMetadata(v, engine, cfg)
	}
	if err != nil {
		return nil, fmt.Errorf("informer of %v, %s, %s: %w", v.gvr, v.form, engine, err)
	}
	if adopted {
		inf = clientgo.Adopt(inf, liveOptions())
	}
	return inf, inf.AddIndexers(cache.Indexers{label: func(obj any) ([]string, error) {
		m, err := meta.Accessor(obj)
		if err != nil {
			return nil, err
		}
		return []string{m.GetLabels()[label]}, nil
	}})
}

func constructTyped(v view, engine string, cfg *rest.Config) (cache.SharedIndexInformer, error) {
	client, err := kubernetes.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	var factory informers.SharedInformerFactory
	switch engine {
	case stock:
		factory = stockinformers.NewSharedInformerFactoryWithOptions(client, 0, stockinformers.WithTweakListOptions(v.tweak))
	case packed:
		factory = informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(v.tweak))
	default:
		options := func(runtime.Object) clientgo.Options { return liveOptions() }
		factory = informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithTweakListOptions(v.tweak), informers.WithOptions(options))
	}
	made, err := factory.ForResource(v.gvr)
	if err != nil {
		return nil, err
	}
	return made.Informer(), nil
}

func constructDynamic(v view, engine string, cfg *rest.Config) (cache.SharedIndexInformer, error) {
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	if engine == packed {
		return dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, "", v.tweak).ForResource(v.gvr).Informer(), nil
	}
	return stockdynamic.NewFilteredDynamicSharedInformerFactory(client, 0, "", v.tweak).ForResource(v.gvr).Informer(), nil
}

func constructMetadata(v view, engine string, cfg *rest.Config) (cache.SharedIndexInformer, error) {
	client, err := metadata.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	if engine == packed {
		return metadatainformer.NewFilteredSharedInformerFactory(client, 0, "", v.tweak).ForResource(v.gvr).Informer(), nil
	}
	return stockmetadata.NewFilteredSharedInformerFactory(client, 0, "", v.tweak).ForResource(v.gvr).Informer(), nil
}

// resync is the period of late handlers, the shortest that client-go allows.
const resync = time.Second

// follower is one informer under test.
type follower struct {
	t      *testing.T
	name   string
	engine string
	inf    cache.SharedIndexInformer
	faults *faults
	bodies *bodies
	main   *witness
	late   *witness // a handler that was added in this phase; nil if there is none
	handle cache.ResourceEventHandlerRegistration
	lists  int // at the begin of the phase
}

func newFollower(t *testing.T, v view, engine string, cfg *rest.Config, r *faults, b *bodies) *follower {
	t.Helper()
	inf, err := construct(v, engine, cfg)
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{t: t, name: fmt.Sprintf("%s, %s, %s", v.gvr.Resource, v.form, engine), engine: engine, inf: inf, faults: r, bodies: b}
	if v.selected {
		f.name += ", selected"
	}
	f.main = f.witness("")
	if _, err := inf.AddEventHandler(f.main); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f *follower) witness(which string) *witness {
	return &witness{
		t: f.t, name: f.name + which, stock: f.engine == stock, resync: which != "", store: f.inf.GetStore(), bodies: f.bodies,
		view: map[string]revision{}, told: map[string][]revision{},
	}
}

// join adds a late handler with a resync of one second.
func (f *follower) join() {
	if f.late != nil {
		return
	}
	f.late = f.witness(", late")
	var err error
	if f.handle, err = f.inf.AddEventHandlerWithResyncPeriod(f.late, resync); err != nil {
		f.t.Errorf("%s: add a handler: %v", f.name, err)
	}
}

// begin begins a phase.
func (f *follower) begin() {
	if f.late != nil {
		if err := f.inf.RemoveEventHandler(f.handle); err != nil {
			f.t.Errorf("%s: remove a handler: %v", f.name, err)
		}
		f.late = nil
	}
	f.main.begin()
	f.lists = f.faults.listed()
}

// lacks describes the first object that the handlers or the store do not show yet.
func (f *follower) lacks(want map[string]revision) string {
	if problem := f.main.lacks(want); problem != "" {
		return f.name + ": " + problem
	}
	if f.late != nil {
		if problem := f.late.lacks(want); problem != "" {
			return f.name + ", late: " + problem
		}
	}
	has := map[string]revision{}
	for _, obj := range f.inf.GetStore().List() {
		m, err := meta.Accessor(obj)
		if err != nil {
			return f.name + ": " + err.Error()
		}
		r, err := revisionOf(m)
		if err != nil {
			return f.name + ": " + err.Error()
		}
		has[keyOf(m)] = r
	}
	if problem := differ("the store", has, want); problem != "" {
		return f.name + ": " + problem
	}
	return ""
}

// objects returns the decoded objects by key, whole or without managedFields.
func (f *follower) objects(whole bool) map[string]any {
	all := map[string]any{}
	for _, obj := range f.inf.GetStore().List() {
		m, err := meta.Accessor(obj)
		if err != nil || !mine(keyOf(m)) {
			continue
		}
		if all[keyOf(m)] = obj; !whole {
			all[keyOf(m)] = bare(obj)
		}
	}
	return all
}

// index returns the keys of the objects by the value of an index.
func (f *follower) index(name string) map[string][]string {
	all := map[string][]string{}
	for _, value := range f.inf.GetIndexer().ListIndexFuncValues(name) {
		keys, err := f.inf.GetIndexer().IndexKeys(name, value)
		if err != nil {
			f.t.Errorf("%s: IndexKeys %s: %v", f.name, value, err)
		}
		if keys = slices.DeleteFunc(keys, func(key string) bool { return !mine(key) }); len(keys) > 0 {
			slices.Sort(keys)
			all[value] = keys
		}
	}
	return all
}

// compare compares the stored objects with those of an informer of client-go.
func (f *follower) compare(with *follower) {
	whole := f.engine == live
	theirs, all := with.objects(whole), f.objects(whole)
	for key, obj := range all {
		if !reflect.DeepEqual(obj, theirs[key]) {
			f.t.Errorf("%s: %s is\n%#v\nclient-go has\n%#v", f.name, key, obj, theirs[key])
			break
		}
	}
	for _, name := range []string{cache.NamespaceIndex, label} {
		if has, want := f.index(name), with.index(name); len(all) != len(theirs) || !reflect.DeepEqual(has, want) {
			f.t.Errorf("%s: %d objects, the index %s has %v; client-go has %d, %v", f.name, len(all), name, has, len(theirs), want)
		}
	}
	h, ok := clientgo.HealthOf(f.inf)
	if !ok || !h.Accelerated || h.Engine.Ready() != nil || h.Engine.Invalid != 0 {
		f.t.Errorf("%s: accelerated %v (%s), fault %v: %v, invalid %d", f.name, h.Accelerated, h.Reason, h.Engine.Fault, h.Engine.Err, h.Engine.Invalid)
	}
}

// connected reports whether the informer has not listed in this phase.
func (f *follower) connected() bool { return f.faults.listed() == f.lists }

// judge compares the events of the main handler and of a late one in a phase with the
// written revisions. It reports whether the main handler got all events, and whether it
// had to.
func (f *follower) judge(steps map[string][]revision, before map[string]revision, must bool) (whole, connected bool) {
	f.main.mu.Lock()
	defer f.main.mu.Unlock()
	whole, connected = true, f.connected()
	for key := range union(steps, f.main.told) {
		told := f.main.told[key]
		if equal(steps[key], told) {
			continue
		}
		whole = false
		switch {
		case connected || must:
			f.t.Errorf("%s: lists %d, events of %s: %v, want %v", f.name, f.faults.listed()-f.lists, key, told, steps[key])
		case !contains(from(before, steps, key), told):
			f.t.Errorf("%s: events of %s: %v, not a part of %v", f.name, key, told, from(before, steps, key))
		}
	}
	if f.late == nil {
		return whole, connected
	}
	f.late.mu.Lock()
	defer f.late.mu.Unlock()
	for key, told := range f.late.told {
		if mine(key) && !contains(from(before, steps, key), told) {
			f.t.Errorf("%s: events of %s at a late handler: %v, not a part of %v", f.name, key, told, from(before, steps, key))
		}
	}
	return whole, connected
}

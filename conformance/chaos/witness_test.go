package chaos_test

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/tools/cache"
)

// bare returns a shallow copy of an object without managedFields, which ours drop by
// default.
func bare(obj any) any {
	if u, ok := obj.(*unstructured.Unstructured); ok {
		content := maps.Clone(u.Object)
		metadata := maps.Clone(content["metadata"].(map[string]any))
		delete(metadata, "managedFields")
		content["metadata"] = metadata
		return content
	}
	c := reflect.New(reflect.TypeOf(obj).Elem())
	c.Elem().Set(reflect.ValueOf(obj).Elem())
	c.Interface().(metav1.Object).SetManagedFields(nil)
	return c.Interface()
}

// bodies are the objects that handlers got of one type in one form. All informers must deliver
// equal objects.
type bodies struct {
	mu    sync.Mutex
	first map[revision]any
}

// same reports whether an object equals the one that other handlers got at the same
// revision.
func (b *bodies) same(r revision, obj any) (any, bool) {
	obj = bare(obj)
	b.mu.Lock()
	first, ok := b.first[r]
	if !ok {
		b.first[r] = obj
	}
	b.mu.Unlock()
	return first, !ok || reflect.DeepEqual(first, obj)
}

func (b *bodies) begin() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.first = map[revision]any{}
}

// witness checks the calls that one handler gets.
type witness struct {
	t      *testing.T
	name   string
	stock  bool
	resync bool
	store  cache.Store
	bodies *bodies

	mu     sync.Mutex
	view   map[string]revision
	told   map[string][]revision // in this phase
	calls  int
	faults int
}

func (w *witness) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = map[string][]revision{}
}

// OnAdd implements cache.ResourceEventHandler.
func (w *witness) OnAdd(obj any, _ bool) { w.step("add", nil, obj) }

// OnUpdate implements cache.ResourceEventHandler.
func (w *witness) OnUpdate(old, obj any) { w.step("update", old, obj) }

// OnDelete implements cache.ResourceEventHandler.
func (w *witness) OnDelete(obj any) {
	if last, missed := obj.(cache.DeletedFinalStateUnknown); missed {
		w.step("missed deletion", nil, last.Obj)
		return
	}
	w.step("delete", nil, obj)
}

// wrong reports a failure, only the first ones: one defect shows in thousands of calls.
func (w *witness) wrong(format string, args ...any) {
	w.t.Helper()
	if w.faults++; w.faults <= 5 {
		w.t.Errorf(w.name+": "+format, args...)
	}
}

// step applies an event of the handler, and checks that it follows from the previous
// events.
func (w *witness) step(what string, old, obj any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	m, err := meta.Accessor(obj)
	if err != nil {
		w.wrong("%s: %v", what, err)
		return
	}
	key := keyOf(m)
	now, err := revisionOf(m)
	if err != nil {
		w.wrong("%s of %s: %v", what, key, err)
		return
	}
	if first, ok := w.bodies.same(now, obj); !ok {
		w.wrong("%s of %s at %v got\n%#v\nanother handler got\n%#v", what, key, now, bare(obj), first)
	}
	was, known := w.view[key]
	switch what {
	case "add":
		if known {
			w.wrong("add of %s, which the handler already has: add at %v, has %v", key, now, was)
		}
		w.view[key] = now
	case "update":
		if w.update(key, old, was, now, known) {
			return
		}
	default:
		// client-go reports the deletion of an object that another one has replaced.
		if !known || was.uid != now.uid && !w.stock || was.version > now.version {
			w.wrong("%s of %s at %v, want the handler's %v", what, key, now, was)
		}
		delete(w.view, key)
		now.gone = true
	}
	w.told[key] = append(w.told[key], now)
	w.behind(key, now)
}

// update applies an update, and reports whether it repeats the last event of the object.
func (w *witness) update(key string, old any, was, now revision, known bool) (again bool) {
	before, err := meta.Accessor(old)
	if err != nil {
		w.wrong("update of %s: %v", key, err)
		return false
	}
	from, err := revisionOf(before)
	again = was == now
	replaced := was.uid != now.uid
	if err != nil || !known || from != was {
		w.wrong("update of %s from %v to %v; the handler has %v, %v", key, from, now, was, err)
	}
	switch {
	case again && !w.stock && !w.resync: // client-go repeats all objects after a list
		w.wrong("update of %s at %v repeats the last event", key, now)
	case again:
	case replaced && !w.stock, was.version >= now.version:
		w.wrong("update of %s to %v; the handler has %v", key, now, was)
	}
	if first, ok := w.bodies.same(from, old); !ok {
		w.wrong("old object of %s at %v is\n%#v\nanother handler got\n%#v", key, from, bare(old), first)
	}
	w.view[key] = now
	return again
}

// behind checks that the store has the revision of the event, or a later one.
func (w *witness) behind(key string, now revision) {
	stored, ok, err := w.store.GetByKey(key)
	if err != nil {
		w.wrong("GetByKey %s: %v", key, err)
	}
	if !ok {
		return // a later deletion
	}
	m, err := meta.Accessor(stored)
	if err != nil {
		w.wrong("GetByKey %s: %v", key, err)
		return
	}
	has, err := revisionOf(m)
	if err != nil || has.version < now.version || now.gone && has.uid == now.uid && has.version == now.version {
		w.wrong("the handler got %s at %v, and the store has %v, %v", key, now, has, err)
	}
}

// lacks describes the first object that the handler has not got yet.
func (w *witness) lacks(want map[string]revision) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return differ("the handler", w.view, want)
}

// count returns the number of calls since the last count.
func (w *witness) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := w.calls
	w.calls = 0
	return n
}

// same reports whether another handler got the same events of an object.
func (w *witness) same(as *witness, key string) bool {
	return reflect.DeepEqual(w.steps(key), as.steps(key))
}

func (w *witness) steps(key string) []revision {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.told[key])
}

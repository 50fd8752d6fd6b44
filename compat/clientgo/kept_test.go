package clientgo

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/wire"
)

// newKeptIndexer returns an indexer over a store of pods that keeps its lists.
func newKeptIndexer(t testing.TB, s *sharedStore) *indexer {
	x := &indexer{
		snapshot: s.store.Snapshot, add: s.store.AddIndex, shared: s.shared,
		invalid: func(err error) { t.Error(err) }, kept: new(keptLists),
	}
	return newIndexer(cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}), x)
}

// keptModel is the expected content of the lists of an indexer.
type keptModel struct {
	s    *sharedStore
	x    *indexer
	pods map[string]*corev1.Pod // by key
	last int                    // version
	seen map[string]any         // the decoded object of a state in the last list, by key and version
}

// put creates an object, changes it, or puts a namesake in its place.
func (m *keptModel) put(t *rapid.T, fatal *testing.T) {
	i := rapid.IntRange(0, 7).Draw(t, "pod")
	m.last++
	p := sharedPod(i, m.last)
	p.Namespace = []string{"a", "b", "team"}[i%3]
	p.ResourceVersion = fmt.Sprint(m.last)
	if rapid.Bool().Draw(t, "namesake") {
		p.UID += types.UID(p.ResourceVersion)
	}
	m.s.keeps = rapid.Bool().Draw(t, "keeps the object")
	m.s.apply(fatal, delta.Batch{{Kind: delta.Upsert, Record: podRecord(fatal, p)}})
	m.pods[p.Namespace+"/"+p.Name] = p
}

// remove deletes an object.
func (m *keptModel) remove(t *rapid.T, fatal *testing.T) {
	for _, p := range m.pods {
		m.last++
		rec := podRecord(fatal, p)
		rec.Version = wire.Version(m.last)
		m.s.apply(fatal, delta.Batch{{Kind: delta.Delete, Record: rec}})
		delete(m.pods, p.Namespace+"/"+p.Name)
		return
	}
}

// list compares a list of all objects, or of a namespace, with the existing ones.
func (m *keptModel) list(t *rapid.T) {
	namespace, isLazy := rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "namespace"), rapid.Bool().Draw(t, "lazy")
	m.s.displaceAll() // equal objects come from the kept list
	r := reader{m.x, isLazy}
	all := r.List()
	if namespace != "" {
		var err error
		if all, err = r.ByIndex(cache.NamespaceIndex, namespace); err != nil {
			t.Fatal(err)
		}
	}
	want := 0
	for _, p := range m.pods {
		if namespace == "" || p.Namespace == namespace {
			want++
		}
	}
	if len(all) != want {
		t.Fatalf("%d objects, want %d", len(all), want)
	}
	now := map[string]any{}
	for _, obj := range all {
		o, err := meta.Accessor(obj)
		if err != nil {
			t.Fatal(err)
		}
		p := m.pods[o.GetNamespace()+"/"+o.GetName()]
		if diff := gocmp.Diff(p.Labels, o.GetLabels()); diff != "" {
			t.Fatalf("labels (-want +got):\n%s", diff)
		}
		if diff := gocmp.Diff(p, obj.(kruntime.Object).DeepCopyObject()); diff != "" {
			t.Fatalf("an object (-want +got):\n%s", diff)
		}
		state := p.Namespace + "/" + p.Name + "/" + string(p.UID) + "@" + p.ResourceVersion
		now[state] = obj
		if before := m.seen[state]; namespace == "" && !isLazy && before != nil && before != obj {
			t.Fatalf("%s was decoded again", state)
		}
	}
	if namespace == "" && !isLazy {
		m.seen = now
	}
}

// TestKeptLists: lists have the objects of the store, in any order of changes and readings, and
// an object that did not change is the same in the next list, also if the store has moved it.
func TestKeptLists(t *testing.T) {
	testinput.Check(t, func(r *rapid.T) {
		s := newSharedStore(t, 0)
		m := &keptModel{s: s, x: newKeptIndexer(t, s), pods: map[string]*corev1.Pod{}}
		r.Repeat(map[string]func(*rapid.T){
			"put":    func(r *rapid.T) { m.put(r, t) },
			"remove": func(r *rapid.T) { m.remove(r, t) },
			"list":   m.list,
			"move": func(*rapid.T) {
				s.store.AddIndex(func(dst []string, _ *wire.Record, _ any) []string { return dst })
			},
		})
	})
}

// TestKeptListsCost: the second list decodes nothing, and the next one only changed objects.
// Lazy objects are decoded again once, at their second copy.
func TestKeptListsCost(t *testing.T) {
	const pods = 100
	s := newSharedStore(t, pods)
	x := newKeptIndexer(t, s)
	decodes := func(f func()) int {
		s.displaceAll()
		s.demand.settle() // else all objects are held soon
		before := s.shared.codec.count.Load()
		f()
		return int(s.shared.codec.count.Load() - before)
	}
	change := func() {
		s.apply(t, delta.Batch{{Kind: delta.Upsert, Record: podRecord(t, sharedPod(7, 1))}})
	}
	first, second := decodes(func() { x.List() }), decodes(func() { x.List() })
	change()
	if third := decodes(func() { x.List() }); first != pods || second != 0 || third != 1 {
		t.Errorf("lists decoded %d, %d and %d objects", first, second, third)
	}
	copies := func() {
		for _, obj := range x.lazy().List() {
			obj.(*lazy).DeepCopyObject()
		}
	}
	s = newSharedStore(t, pods)
	x = newKeptIndexer(t, s)
	first, second, third := decodes(copies), decodes(copies), decodes(copies)
	if first != pods || second != pods || third != 0 {
		t.Errorf("copies decoded %d, %d and %d objects", first, second, third)
	}
	change()
	if fourth, fifth := decodes(copies), decodes(copies); fourth != 1 || fifth != 0 {
		t.Errorf("after a change, copies decoded %d and %d objects", fourth, fifth)
	}
}

// displaceAll gives up the objects that were decoded last.
func (s *sharedStore) displaceAll() {
	s.displace()
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	clear(s.shared.slots)
}

// TestKeptListsExpire: a list that was not read for a minute holds no object.
func TestKeptListsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSharedStore(t, 1)
		x := newKeptIndexer(t, s)
		gone := new(atomic.Bool)
		func() {
			one := x.List()[0].(*corev1.Pod)
			runtime.AddCleanup(one, func(b *atomic.Bool) { b.Store(true) }, gone)
			one = nil
			s.displaceAll()
		}()
		<-time.After(keepFor - time.Second)
		x.List()
		for range 3 {
			runtime.GC()
			if gone.Load() {
				t.Fatal("a list that was read within the minute was given up")
			}
		}
		<-time.After(2 * keepFor)
		synctest.Wait()
		collect(t, gone.Load)
		if len(x.kept.lists) != 0 || x.kept.sweep != nil {
			t.Errorf("%d lists are kept", len(x.kept.lists))
		}
	})
}

// TestKeptListsTogether: many readers at the same time as changes.
func TestKeptListsTogether(t *testing.T) {
	const pods = 50
	s := newSharedStore(t, pods)
	x := newKeptIndexer(t, s)
	var work sync.WaitGroup
	for r := range 8 {
		work.Go(func() {
			for range 50 {
				all := reader{x, r%2 == 0}.List()
				if len(all) != pods {
					t.Errorf("a list of %d objects", len(all))
				}
				for _, obj := range all {
					if o, err := meta.Accessor(obj); err != nil || o.GetLabels()["app"] != "web" {
						t.Errorf("an object without its label: %v", err)
					}
				}
				clear(all) // a list belongs to its reader
			}
		})
	}
	for n := range 50 {
		s.apply(t, delta.Batch{{Kind: delta.Upsert, Record: podRecord(t, sharedPod(n%pods, n+1))}})
	}
	work.Wait()
}

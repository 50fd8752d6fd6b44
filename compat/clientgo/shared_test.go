package clientgo

import (
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// sharedPod is the n-th state of the i-th of some pods.
func sharedPod(i, n int) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "team", Name: fmt.Sprintf("pod-%05d", i), UID: types.UID(fmt.Sprintf("00000000-0000-4000-8000-%012d", i)),
		ResourceVersion: fmt.Sprint(1 + i + n*100_000), Labels: map[string]string{"app": "web"},
		Annotations: map[string]string{"beat": fmt.Sprint(n)},
	}}
	for c := range 4 {
		container := corev1.Container{Name: fmt.Sprintf("c%d", c), Image: "registry.example.com/team/web:v1", Args: []string{"--listen=:8080", "--verbose"}}
		for v := range 8 {
			container.Env = append(container.Env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d", v), Value: fmt.Sprintf("value-%d-%d", i, v)})
		}
		p.Spec.Containers = append(p.Spec.Containers, container)
	}
	return p
}

// sharedStore has n pods and the objects that are decoded from it.
type sharedStore struct {
	store  *store.Store
	shared *sharedObjects
	demand demand
	keeps  bool  // the objects of new records, in place of bodies
	more   int64 // how many bytes the store seems to have beside its own
}

func newSharedStore(t *testing.T, n int) *sharedStore {
	t.Helper()
	return newStoreOf(t, n, func(i int) *corev1.Pod { return sharedPod(i, 0) })
}

// newLargeStore has bodies of more than mostRecentBytes. In the gate they are few, and large
// because of one text, which takes little time to decode.
func newLargeStore(t *testing.T) (s *sharedStore, pods int) {
	t.Helper()
	pods = testinput.Size(t, 1_500, 7_500)
	s = newStoreOf(t, pods, func(i int) *corev1.Pod {
		p := sharedPod(i, 0)
		if pods < 7_500 {
			p.Annotations["note"] = strings.Repeat("a text of many words ", 256)
		}
		return p
	})
	if n := s.store.Snapshot().Bytes(); n < mostRecentBytes*9/8 {
		t.Fatalf("the bodies have %d bytes: the test shows nothing", n)
	}
	return s, pods
}

// newSmallStore has the sizes of a small store; all others seem to be large.
func newSmallStore(t *testing.T, n int) *sharedStore {
	t.Helper()
	return newStore(t, n, 0, func(i int) *corev1.Pod { return sharedPod(i, 0) })
}

func newStoreOf(t *testing.T, n int, pod func(i int) *corev1.Pod) *sharedStore {
	t.Helper()
	return newStore(t, n, smallStore+1, pod)
}

func newStore(t *testing.T, n int, more int64, pod func(i int) *corev1.Pod) *sharedStore {
	t.Helper()
	s, c := &sharedStore{more: more}, newCodec(&corev1.Pod{})
	s.store = store.New(store.Config{Decode: c.decode, KeepObject: func(c store.Candidate) bool {
		c.StoreBytes += s.more
		return s.demand.keepsObject(c) || s.keeps
	}})
	s.shared = newSharedObjects(c, s.store.Snapshot, s.store.KeepObject, &s.demand)
	var batch delta.Batch
	for i := range n {
		batch = append(batch, delta.Delta{Kind: delta.Upsert, Record: podRecord(t, pod(i))})
	}
	s.apply(t, batch)
	return s
}

func (s *sharedStore) apply(t *testing.T, batch delta.Batch) {
	t.Helper()
	if err := s.store.Apply(t.Context(), batch); err != nil {
		t.Fatal(err)
	}
}

func podRecord(t *testing.T, p *corev1.Pod) wire.Record {
	t.Helper()
	body, err := p.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	version, err := wire.ParseVersion(p.ResourceVersion)
	if err != nil {
		t.Fatal(err)
	}
	return wire.Record{Key: wire.Key{Namespace: p.Namespace, Name: p.Name}, UID: string(p.UID), Version: version, Encoding: wire.Protobuf, Body: body}
}

func (s *sharedStore) get(t *testing.T, i int) store.Entry {
	t.Helper()
	p := sharedPod(i, 0)
	e, ok := s.store.Snapshot().Get(wire.Key{Namespace: p.Namespace, Name: p.Name})
	if !ok {
		t.Fatal("no such pod")
	}
	return e
}

// held returns how many objects are held, and how many may be.
func (s *sharedStore) held() (int, bound) {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	return s.shared.recent.count, s.shared.recent.most
}

// TestSharedByAll: whoever reads a state at about the same time gets the same object, and
// it is decoded once.
func TestSharedByAll(t *testing.T) {
	const pods, readers = 200, 16
	s := newSharedStore(t, pods)
	got := make([][]any, readers)
	var work sync.WaitGroup
	for r := range readers {
		work.Go(func() {
			for e := range s.store.Snapshot().All() {
				obj, err := s.shared.entry(e)
				if err != nil {
					t.Error(err)
				}
				got[r] = append(got[r], obj)
			}
		})
	}
	work.Wait()
	for r := range readers {
		if !reflect.DeepEqual(got[r], got[0]) {
			t.Fatal("readers got different objects")
		}
		for i := range got[r] {
			if got[r][i] != got[0][i] {
				t.Fatalf("pod %d was decoded twice", i)
			}
		}
	}
	if n := s.shared.codec.count.Load(); n != pods {
		t.Errorf("%d objects were decoded, want %d", n, pods)
	}
}

// TestSharedUpdate: the objects of an update are those that decoding alone gives, and
// share what is the same in both.
func TestSharedUpdate(t *testing.T) {
	for _, first := range []string{"neither", "old", "new"} {
		t.Run(first, func(t *testing.T) {
			s := newSharedStore(t, 1)
			old := s.get(t, 0)
			s.apply(t, delta.Batch{{Kind: delta.Upsert, Record: podRecord(t, sharedPod(0, 1))}})
			next := s.get(t, 0)
			for _, e := range map[string][]store.Entry{"old": {old}, "new": {next}}[first] {
				if _, err := s.shared.entry(e); err != nil {
					t.Fatal(err)
				}
			}
			before, after, err := s.shared.update(old, next)
			if err != nil {
				t.Fatal(err)
			}
			x, y := before.(*corev1.Pod), after.(*corev1.Pod)
			if !reflect.DeepEqual(x, sharedPod(0, 0)) || !reflect.DeepEqual(y, sharedPod(0, 1)) {
				t.Fatalf("got %+v, then %+v; want versions 0 and 1 of the Pod", x, y)
			}
			if &x.Spec.Containers[0] != &y.Spec.Containers[0] {
				t.Error("the two states do not share their containers")
			}
			again, alsoAgain, err := s.shared.update(old, next)
			if again != before || alsoAgain != after || err != nil {
				t.Errorf("other objects the second time, %v", err)
			}
		})
	}
}

// TestSharedOtherContent: the server shows other content at the same version. Each reader gets
// the content of its entry, before and after, and so does an index function.
func TestSharedOtherContent(t *testing.T) {
	for _, keeps := range []bool{false, true} {
		s := newSharedStore(t, 10)
		s.keeps = keeps
		old := s.get(t, 3)
		first, err := s.shared.read(old)
		if err != nil {
			t.Fatal(err)
		}
		changed := sharedPod(3, 0)
		changed.Spec.SchedulerName = "default"
		rec := podRecord(t, changed)
		if obj, err := s.shared.record(&rec); err != nil || obj.(*corev1.Pod).Spec.SchedulerName != "default" {
			t.Errorf("got %v, %v from the record, want the new content", obj, err)
		}
		s.apply(t, delta.Batch{{Kind: delta.Upsert, Record: rec}})
		now := s.get(t, 3)
		if now.Version() != old.Version() {
			t.Fatalf("got version %v, want %v", now.Version(), old.Version())
		}
		before, after, err := s.shared.update(old, now)
		if err != nil || before != first || after.(*corev1.Pod).Spec.SchedulerName != "default" {
			t.Errorf("got %v and %v, %v, want the old and the new content", before, after, err)
		}
		for entry, want := range map[store.Entry]any{old: before, now: after} {
			if obj, err := s.shared.read(entry); err != nil || obj != want {
				t.Errorf("got %v, %v, want the object of the entry", obj, err)
			}
		}
	}
}

// TestSharedBounds: unused objects are dropped, and objects in use
// are found.
func TestSharedBounds(t *testing.T) {
	s, pods := newLargeStore(t)
	kept, err := s.shared.read(s.get(t, 0))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the first pod has a second chance
		for e := range s.store.Snapshot().All() {
			if e.Key().Name == sharedPod(0, 0).Name {
				continue
			}
			if _, err := s.shared.entry(e); err != nil {
				t.Fatal(err)
			}
			s.demand.settle() // else all objects are held
			if r := &s.shared.recent; r.count > r.most.objects || r.bytes > r.most.bytes {
				t.Fatalf("%d objects of %d bytes are held", r.count, r.bytes)
			}
		}
	}
	if r := &s.shared.recent; r.count > pods-pods/15 {
		t.Fatalf("%d objects are held: the test shows nothing", r.count)
	}
	if again, _ := s.shared.entry(s.get(t, 0)); again != kept {
		t.Error("an object that is in use was decoded again")
	}
	_ = kept.(*corev1.Pod).Name // somebody uses it up to here
}

// TestSharedAll: all objects are held once readers have decoded more than client-go would
// have, so that no number of reads costs more than twice as much. They are dropped when
// most of them are no longer read.
func TestSharedAll(t *testing.T) {
	read := func(s *sharedStore) error {
		for e := range s.store.Snapshot().All() {
			if _, err := s.shared.read(e); err != nil {
				return err
			}
		}
		return nil
	}
	copied := func(s *sharedStore) error {
		for e := range s.store.Snapshot().All() {
			if _, err := s.shared.private(e); err != nil {
				return err
			}
		}
		return nil
	}
	for name, each := range map[string]func(*sharedStore) error{"read": read, "copied": copied} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const slack = 3 * tuneEvery
				s, pods := newLargeStore(t)
				for range 8 {
					if err := each(s); err != nil {
						t.Fatal(err)
					}
					runtime.GC() // objects that are not held have to be decoded again
				}
				if n := s.shared.codec.count.Load(); n > uint64(2*pods+slack) {
					t.Errorf("%d objects were decoded for 8 reads of %d", n, pods)
				}
				if n, _ := s.held(); n < pods {
					t.Errorf("%d objects are held, want %d", n, pods)
				}
				for range 5 {
					<-time.After(keepFor / 2)
					if _, err := s.shared.read(s.get(t, 0)); err != nil {
						t.Fatal(err)
					}
				}
				synctest.Wait()
				if n, most := s.held(); n != 1 || s.demand.all.Load() || most.bytes > mostRecentBytes {
					t.Errorf("%d objects of at most %d bytes are held, want one", n, most.bytes)
				}
			})
		})
	}
}

// TestSharedByMany: for many handlers, the objects of the last minute are held, and an update
// decodes what it changes.
func TestSharedByMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, handlers := range []int64{manyHandlers - 1, manyHandlers} {
			s, pods := newLargeStore(t)
			s.demand.count(true, handlers)
			for range 2 {
				for e := range s.store.Snapshot().All() {
					if _, err := s.shared.entry(e); err != nil {
						t.Fatal(err)
					}
				}
				s.demand.settle()
			}
			held, _ := s.held()
			if all := held >= pods; all != (handlers >= manyHandlers) {
				t.Errorf("%d handlers: %d objects are held of %d", handlers, held, pods)
			}
			<-time.After(3 * keepFor)
			synctest.Wait()
			if held, _ = s.held(); held != 0 {
				t.Errorf("%d handlers: %d objects are held after two minutes", handlers, held)
			}
		}
	})
}

// TestSharedIdle: an object that is not read for a minute is dropped. An object that is read
// stays, and an object that is in use is found.
func TestSharedIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const pods = 100
		s := newSharedStore(t, 20*pods)
		var inUse any
		for e := range s.store.Snapshot().All() {
			if e.Key().Name >= sharedPod(pods, 0).Name {
				break
			}
			obj, err := s.shared.entry(e)
			if err != nil {
				t.Fatal(err)
			}
			if e.Key().Name == sharedPod(1, 0).Name {
				inUse = obj
			}
		}
		held := func() int {
			synctest.Wait()
			s.shared.mu.Lock()
			defer s.shared.mu.Unlock()
			return s.shared.recent.count
		}
		<-time.After(keepFor - time.Second)
		if n := held(); n != pods {
			t.Errorf("%d objects are held within the minute, want %d", n, pods)
		}
		for range 6 {
			<-time.After(keepFor / 2)
			runtime.GC()
			if _, err := s.shared.entry(s.get(t, 0)); err != nil || s.shared.codec.count.Load() != pods {
				t.Errorf("an object that is asked for was decoded again, %v", err)
			}
		}
		if n := held(); n != 1 {
			t.Errorf("%d objects are held, want one: a reader asks for it", n)
		}
		if again, err := s.shared.entry(s.get(t, 1)); err != nil || again != inUse {
			t.Errorf("an object that is in use was decoded again, %v", err)
		}
		<-time.After(3 * keepFor)
		if n := held(); n != 0 || s.shared.sweep != nil || s.shared.recent.ring != nil || s.shared.recent.bytes != 0 {
			t.Errorf("%d objects of %d bytes are held, sweep %v", n, s.shared.recent.bytes, s.shared.sweep)
		}
		runtime.KeepAlive(inUse)
	})
}

// TestSharedAgain: an object that was collected and then decoded again can be found while it
// is in use; then its slot is removed. The cleanup of the first object may run after the
// second one was decoded.
func TestSharedAgain(t *testing.T) {
	s := newSharedStore(t, 1)
	e := s.get(t, 0)
	if _, err := s.shared.entry(e); err != nil {
		t.Fatal(err)
	}
	st, _ := s.shared.stateOf(e)
	dead := weaken(new(corev1.Pod), func() {})
	collect(t, func() bool { return dead.value() == nil })
	s.displace()
	s.shared.mu.Lock()
	s.shared.slots[st].weak = dead
	s.shared.mu.Unlock()
	again, err := s.shared.entry(e)
	if err != nil {
		t.Fatal(err)
	}
	s.displace()
	if found, err := s.shared.entry(e); err != nil || found != again {
		t.Errorf("a reader got another object, %v", err)
	}
	runtime.KeepAlive(again)
	again = nil
	s.displace()
	collect(t, func() bool {
		s.shared.mu.Lock()
		defer s.shared.mu.Unlock()
		return s.shared.slots[st] == nil
	})
}

// displace fills the ring with objects that are larger than it, so that all others leave.
func (s *sharedStore) displace() {
	s.shared.mu.Lock()
	defer s.shared.mu.Unlock()
	for range 2 {
		s.shared.hold(&slot{held: new(corev1.Pod), size: mostRecentBytes + 1})
	}
}

// collect collects garbage until done.
func collect(t *testing.T, done func() bool) {
	t.Helper()
	patience.True(t, "the garbage is collected", func() bool {
		runtime.GC()
		return done()
	})
}

// TestSmallStore: an object of a small store has one form. Its first reader decodes it in the
// store, all later ones get the same object, and nothing else holds it. Old states go when
// their last reader does. An index added later does not change that.
func TestSmallStore(t *testing.T) {
	const pods, readers = 200, 16
	s := newSmallStore(t, pods)
	x := newKeptIndexer(t, s)
	before := s.store.Snapshot()
	decoded := func() int { return s.store.Stats().Decoded }
	if decoded() != 0 {
		t.Fatal("objects are decoded that nobody has read")
	}
	got := make([][]any, readers)
	var work sync.WaitGroup
	for r := range readers {
		work.Go(func() {
			for e := range before.All() {
				obj, err := s.shared.read(e)
				if err != nil {
					t.Error(err)
				}
				got[r] = append(got[r], obj)
			}
		})
	}
	work.Wait()
	all := x.List()
	for i := range all {
		for r := range readers {
			if got[r][i] != all[i] {
				t.Fatalf("pod %d: readers got different objects", i)
			}
		}
		if !reflect.DeepEqual(all[i], sharedPod(i, 0)) {
			t.Errorf("got %v", all[i])
		}
	}
	if n := s.shared.codec.count.Load(); n != pods || decoded() != pods {
		t.Errorf("%d objects were decoded, and %d are kept, want %d", n, decoded(), pods)
	}
	if err := x.AddIndexers(cache.Indexers{"name": func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Name}, nil }}); err != nil {
		t.Fatal(err)
	}
	if of, err := x.ByIndex("name", sharedPod(7, 0).Name); err != nil || len(of) != 1 || of[0] != all[7] {
		t.Errorf("the index has %v, %v, want the object of the list", of, err)
	}
	old := s.get(t, 0)
	s.apply(t, delta.Batch{{Kind: delta.Upsert, Record: podRecord(t, sharedPod(0, 1))}})
	was, now, err := s.shared.update(old, s.get(t, 0))
	if kept, _ := s.get(t, 0).Object(); err != nil || was != all[0] || now != kept || kept == nil {
		t.Errorf("an update has %p and %p, %v, want the objects of the store", was, now, err)
	}
	if r := &s.shared.recent; r.count != 0 || len(s.shared.slots) != 0 || len(x.kept.lists) != 0 {
		t.Errorf("%d objects, %d slots and %d lists are held beside the store", r.count, len(s.shared.slots), len(x.kept.lists))
	}
	if private, err := s.shared.private(s.get(t, 1)); err != nil || private == all[1] || !reflect.DeepEqual(private, all[1]) {
		t.Errorf("a private object is %v, %v", private, err)
	}
}

// TestSharedUndecodable: an object that cannot be decoded leaves nothing behind.
func TestSharedUndecodable(t *testing.T) {
	s := newSharedStore(t, 0)
	rec := podRecord(t, sharedPod(0, 0))
	rec.Body = []byte{0xff}
	s.apply(t, delta.Batch{{Kind: delta.Upsert, Record: rec}})
	for range 2 {
		if obj, err := s.shared.entry(s.get(t, 0)); err == nil {
			t.Fatalf("got %v, want an error", obj)
		}
	}
	if len(s.shared.slots) != 0 {
		t.Error("a slot was left behind")
	}
}

// TestSharedAllocations limits the allocations for objects that are not decoded yet,
// beyond those for their content. It measures a read of an object, and an update, whose
// old object is made from the new one.
func TestSharedAllocations(t *testing.T) {
	const pods = 2_000
	s := newSharedStore(t, pods)
	var old []store.Entry
	for e := range s.store.Snapshot().All() {
		old = append(old, e)
	}
	var batch delta.Batch
	for i := range pods {
		batch = append(batch, delta.Delta{Kind: delta.Upsert, Record: podRecord(t, sharedPod(i, 1))})
	}
	s.apply(t, batch)
	var next []store.Entry
	for e := range s.store.Snapshot().All() {
		next = append(next, e)
	}
	// The objects are the same, and decoded before: a decoder keeps texts that come often.
	cost := func(from int, f func(i int) error) float64 {
		at := from - 1
		return testing.AllocsPerRun(pods/4, func() {
			at++
			if err := f(at); err != nil {
				t.Fatal(err)
			}
		})
	}
	decoded := func(i int) error {
		_, err := s.shared.codec.decode(old[i].Record())
		return err
	}
	cost(0, decoded)
	decode := cost(0, decoded)
	read := cost(0, func(i int) error {
		_, err := s.shared.entry(old[i])
		return err
	})
	cost(pods/2, decoded)
	update := cost(pods/2, func(i int) error {
		_, _, err := s.shared.update(old[i], next[i])
		return err
	})
	again := cost(0, func(i int) error {
		_, err := s.shared.entry(old[i])
		return err
	})
	t.Logf("%.1f allocations to decode, %.1f to read, %.1f for an update, %.1f for a decoded object", decode, read, update, again)
	for _, c := range []struct {
		what     string
		is, most float64
	}{{"reading", read, decode + 3}, {"an update", update, decode + 32}, {"a decoded object", again, 1}} {
		if c.is > c.most {
			t.Errorf("%s takes %.1f allocations, may be %.1f", c.what, c.is, c.most)
		}
	}
}

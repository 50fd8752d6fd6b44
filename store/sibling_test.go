package store_test

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/retained"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// hexOf returns random hexadecimal digits.
func hexOf(r *rand.Rand, n int) string {
	var b strings.Builder
	for b.Len() < n {
		fmt.Fprintf(&b, "%016x", r.Uint64())
	}
	return b.String()[:n]
}

// replica returns a pod of a group. The pods with one content have random text in common.
func replica(content, group, i, version int, status string) delta.Delta {
	shared, own := rand.New(rand.NewPCG(1, uint64(content))), rand.New(rand.NewPCG(2, uint64(group*1000+i)))
	name := fmt.Sprintf("job-%04d-%05d", group, i)
	body := fmt.Appendf(nil, `{"metadata":{"name":%q,"uid":"uid-of-%s","resourceVersion":"%d"},"spec":{"image":"sha256:%s",`, name, name, version, hexOf(shared, 64))
	for f := range 12 {
		body = fmt.Appendf(body, `"variable-%02d":{"value":%q,"enabled":true},`, f, hexOf(shared, 40)+"/"+fmt.Sprint(shared.IntN(1e9)))
	}
	body = fmt.Appendf(body, `"node":"node-%03d"},"status":{%s"container":"containerd://%s"}}`, own.IntN(500), status, hexOf(own, 64))
	rec := wire.Record{Key: wire.Key{Namespace: "ml", Name: name}, UID: "uid-of-" + name, Version: wire.Version(version), Encoding: wire.JSON, Body: body}
	return delta.Delta{Kind: delta.Upsert, Version: rec.Version, Record: rec}
}

// replicas is a model of a store with groups.
type replicas struct {
	*testing.T
	s       *store.Store
	version int
	want    map[wire.Key][]byte
}

func newReplicas(t *testing.T) *replicas {
	r := &replicas{T: t, s: store.New(store.Config{}), want: map[wire.Key][]byte{}}
	r.s.AddIndex(func(dst []string, rec *wire.Record, _ any) []string { return append(dst, rec.Name[:8]) })
	return r
}

// add returns the next revision of a pod. The pods of a group have one content.
func (r *replicas) add(group, i int, status string) delta.Delta {
	return r.addLike(group, group, i, status)
}

func (r *replicas) addLike(content, group, i int, status string) delta.Delta {
	r.version++
	d := replica(content, group, i, r.version, status)
	r.want[d.Record.Key] = bytes.Clone(d.Record.Body)
	return d
}

// list applies a first list.
func (r *replicas) list(all []delta.Delta) {
	apply(r, r.s, begin)
	for len(all) > 0 {
		n := min(50, len(all))
		apply(r, r.s, all[:n]...)
		all = all[n:]
	}
	apply(r, r.s, end(r.version))
}

// check compares all objects with the model, as they are and detached.
func (r *replicas) check(s *store.Snapshot) {
	r.Helper()
	n := 0
	var scratch []byte
	for e := range s.All() {
		n++
		for _, rec := range []wire.Record{e.Record(), e.View(&scratch), e.Detached().Record()} {
			if !bytes.Equal(rec.Body, r.want[rec.Key]) {
				r.Fatalf("%v: got the body %q, want %q", rec.Key, rec.Body, r.want[rec.Key])
			}
		}
	}
	if n != len(r.want) {
		r.Fatalf("got %d objects, want %d", n, len(r.want))
	}
}

// TestSiblings: the pods of a group take little more than the values that are their own, in
// whatever order they arrive. A pod without siblings, or with siblings that have nothing in
// common with it, takes what the dictionary leaves.
func TestSiblings(t *testing.T) {
	for name, c := range map[string]struct {
		groups, each int
		shuffled     bool
		unlike       bool // the pods of a group have nothing in common but their names
		most         int  // bytes of heap for each pod
	}{
		"twenty, in order":   {100, 20, false, false, 400},
		"twenty, shuffled":   {400, 20, true, false, 550},
		"three, in order":    {600, 3, false, false, 850},
		"alone, in order":    {2000, 1, false, false, 1250},
		"unlike, in order":   {100, 20, false, true, 1250},
		"two, in order":      {1000, 2, false, false, 900},
		"thousand, shuffled": {2, 1000, true, false, 400},
	} {
		t.Run(name, func(t *testing.T) {
			r := newReplicas(t)
			var all []delta.Delta
			for group := range c.groups {
				for i := range c.each {
					content := group
					if c.unlike {
						content = 10_000 + len(all)
					}
					all = append(all, r.addLike(content, group, i, ""))
				}
			}
			if c.shuffled {
				testinput.Rand(t).Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
			}
			held := retained.Bytes(t, func() any { r.list(all); return r.s })
			if each := held / len(r.want); each > c.most {
				t.Errorf("got %d bytes for each of %d objects, want at most %d", each, len(r.want), c.most)
			} else {
				t.Logf("%d bytes for each object", each)
			}
			r.check(r.s.Snapshot())
		})
	}
}

// TestOutdatedReference: a reference is a pod without a status, and all pods get one. Another
// reference replaces it, and the memory of the first ones is freed.
func TestOutdatedReference(t *testing.T) {
	r := newReplicas(t)
	var all []delta.Delta
	const groups, each = 50, 20
	for group := range groups {
		for i := range each {
			all = append(all, r.add(group, i, ""))
		}
	}
	r.list(all)
	status := strings.Repeat(`"condition":%q,`, 8)
	for round := range 4 {
		for group := range groups {
			var batch []delta.Delta
			random := rand.New(rand.NewPCG(5, uint64(group)))
			var words []any
			for range 8 {
				words = append(words, hexOf(random, 60)+"-"+fmt.Sprint(random.IntN(1e9)))
			}
			for i := range each {
				batch = append(batch, r.add(group, i, fmt.Sprintf(status, words...)+fmt.Sprintf(`"round":%d,`, round)))
			}
			apply(t, r.s, batch...)
		}
	}
	st := r.s.Stats()
	if most := int64(2 * 450 * groups * each); st.HeldBytes > most { // half of the memory may be dead
		t.Errorf("got %d bytes for %d objects of %d, want at most %d", st.HeldBytes, st.Objects, st.RawBytes, most)
	}
	r.check(r.s.Snapshot())
}

// TestReferencesAreFreed: groups come and go. Neither references nor slabs accumulate, and older
// snapshots still have their objects.
func TestReferencesAreFreed(t *testing.T) {
	r := newReplicas(t)
	var all []delta.Delta
	for group := range 100 {
		for i := range 10 {
			all = append(all, r.add(group, i, ""))
		}
	}
	r.list(all)
	all = nil
	full := heap()
	old, wanted := r.s.Snapshot(), maps.Clone(r.want)
	for group := range 1500 {
		var batch []delta.Delta
		for i := range 10 {
			gone := replica(group, group, i, 0, "")
			r.version++
			gone.Kind, gone.Version, gone.Record.Version = delta.Delete, wire.Version(r.version), wire.Version(r.version)
			delete(r.want, gone.Record.Key)
			batch = append(batch, gone)
		}
		for i := range 10 {
			batch = append(batch, r.add(group+100, i, ""))
		}
		apply(t, r.s, batch...)
		if group == 50 {
			last := r.want
			r.want = wanted
			r.check(old)
			r.want, old, wanted = last, nil, nil
		}
	}
	r.check(r.s.Snapshot())
	if now := heap(); now > full+1<<20 {
		t.Errorf("got %d bytes of heap after 1,500 groups, and %d before", now, full)
	}
	runtime.KeepAlive(r)
}

// TestIndexOfSiblings: an index that is added later stores all records again, with its
// values. Each keeps its reference, and no record is damaged.
func TestIndexOfSiblings(t *testing.T) {
	r := newReplicas(t)
	var all []delta.Delta
	for group := range 40 {
		for i := range 20 {
			all = append(all, r.add(group, i, ""))
		}
	}
	r.list(all)
	index := r.s.AddIndex(func(dst []string, rec *wire.Record, _ any) []string { return append(dst, rec.Name, rec.Name[:8]) })
	r.check(r.s.Snapshot())
	if got := index.Len(r.s.Snapshot(), "job-0007"); got != 20 {
		t.Errorf("got %d objects with a value, want 20", got)
	}
}

// TestSiblingsBesideReaders: readers unpack siblings while the writer adds siblings to the
// same slabs, moves them, and makes references.
func TestSiblingsBesideReaders(t *testing.T) {
	r := newReplicas(t)
	var all []delta.Delta
	for group := range 60 {
		for i := range 10 {
			all = append(all, r.add(group, i, ""))
		}
	}
	r.list(all)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			var scratch []byte
			for {
				for e := range r.s.Snapshot().All() {
					if rec := e.View(&scratch); !bytes.Contains(rec.Body, []byte(rec.Name)) || !bytes.HasSuffix(rec.Body, []byte("}}")) {
						t.Errorf("%v: got the body %q", rec.Key, rec.Body)
						return
					}
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	random := testinput.Rand(t)
	for round := range 200 {
		var batch []delta.Delta
		for range 20 {
			batch = append(batch, r.add(random.IntN(80), random.IntN(10), fmt.Sprintf(`"phase":"%d",`, random.IntN(5))))
		}
		apply(t, r.s, batch...)
		// A reader has the first pod of a group while the second one makes it a reference.
		first := r.add(100+round, 0, "")
		key := first.Record.Key
		apply(t, r.s, first)
		e, _ := r.s.Snapshot().Get(key)
		var reader sync.WaitGroup
		reader.Go(func() {
			if rec := e.Record(); !bytes.Contains(rec.Body, []byte(key.Name)) {
				t.Errorf("%v: got the body %q", key, rec.Body)
			}
		})
		apply(t, r.s, r.add(100+round, 1, ""))
		reader.Wait()
	}
	close(stop)
	readers.Wait()
	r.check(r.s.Snapshot())
}

// TestFileOfSiblings: a file has the bodies of siblings, although it has no references.
func TestFileOfSiblings(t *testing.T) {
	r := newReplicas(t)
	var all []delta.Delta
	for group := range 50 {
		for i := range 20 {
			all = append(all, r.add(group, i, ""))
		}
	}
	r.list(all)
	var file bytes.Buffer
	if err := r.s.Snapshot().WriteFile(&file, store.FileOptions{}); err != nil {
		t.Fatal(err)
	}
	r.s = store.New(store.Config{})
	if err := r.s.Load(&file, store.FileOptions{}, func(delta.Scope, string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	r.check(r.s.Snapshot())
}

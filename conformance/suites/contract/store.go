package contract

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
)

var storePoints = []point{
	{"01-filled-by-run-only", filledByRunOnly},
	{"01-runs-once", runsOnce},
	{"02-true-order-of-states", trueOrder},
	{"05-one-snapshot-for-a-query", oneSnapshot},
	{"15-index-values", indexValues},
	{"15-index-added-later", indexAddedLater},
	{"16-keys", keys},
}

func filledByRunOnly(s *stage) {
	s.create("x", "y")
	s.pass(time.Hour)
	s.has()
	equal(s.t, "requests", s.requests(0), []string{})
	equal(s.t, "synced", s.informer.HasSynced(), false)
	s.start()
	s.has("x=1", "y=1")
}

func runsOnce(s *stage) {
	s.create("x")
	h, _ := s.handle(nil)
	s.start()
	s.got(h, "!+x=1")
	mark := s.mark()
	again := make(chan struct{})
	go func() { defer close(again); s.informer.Run(make(chan struct{})) }()
	<-again
	s.stop()
	s.create("y")
	s.informer.Run(make(chan struct{}))
	equal(s.t, "requests of the second and third run", s.requests(mark), []string{})
	s.got(h)
	s.has("x=1")
}

// trueOrder: the notifications of each object are a subsequence of its changes, and each
// follows from the previous one, whatever faults watches have.
func trueOrder(s *stage) {
	s.create("x", "y")
	h, _ := s.handle(nil)
	s.start()
	s.inject(apitest.VerbWatch, apitest.Always, 4, apitest.Cut(apitest.CutReset))
	for i := range 60 {
		name := []string{"x", "y"}[i%2]
		s.update(name, strconv.Itoa(i+2))
		if i%7 == 0 {
			s.srv.Compact()
		}
		if i%3 == 0 {
			s.pass(time.Second)
		}
	}
	s.pass(5 * time.Minute)
	s.has("x=60", "y=61")
	last := map[string]string{}
	for event := range strings.FieldsSeq(h.take()) {
		from, to, _ := strings.Cut(event, ">")
		if to == "" {
			from, to = "", strings.TrimLeft(event, "!+")
		}
		name, value, _ := strings.Cut(to, "=")
		was, now := number(last[name]), number(value)
		if now < was || last[name] != "" && from != name+"="+last[name] {
			s.t.Errorf("%s after %s=%s", event, name, last[name])
		}
		last[name] = value
	}
	equal(s.t, "last states", last, map[string]string{"x": "60", "y": "61"})
}

func number(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// oneSnapshot: objects are written in turn, with one counter. So the highest value in a
// list determines all others.
func oneSnapshot(s *stage) {
	const objects, writes = 5, 400
	name := func(i int) string { return fmt.Sprintf("m%d", i%objects) }
	for i := range objects {
		_, err := s.srv.Create(at(name(i), strconv.Itoa(i)))
		s.must(err)
	}
	s.start()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := objects; i < writes; i++ {
			if _, err := s.srv.Update(at(name(i), strconv.Itoa(i))); err != nil {
				s.t.Error(err)
			}
		}
	}()
	for reading := true; reading; {
		select {
		case <-done:
			reading = false
		default:
		}
		highest, all := 0, map[string]int{}
		for _, obj := range s.informer.GetStore().List() {
			m := obj.(*v1.ConfigMap)
			all[m.Name] = number(m.Data["v"])
			highest = max(highest, all[m.Name])
		}
		for i := highest; i > highest-objects; i-- {
			if all[name(i)] != i {
				s.t.Fatalf("a list is not a snapshot: %v", all)
			}
		}
	}
}

// byWord is an index with several values for an object: the words of its value.
var byWord = cache.Indexers{"word": func(obj any) ([]string, error) {
	return strings.Fields(obj.(*v1.ConfigMap).Data["v"]), nil
}}

func indexValues(s *stage) {
	s.must(s.informer.AddIndexers(byWord))
	_, err := s.srv.Create(at("x", "red blue"))
	s.must(err)
	_, err = s.srv.Create(at("y", "blue"))
	s.must(err)
	s.start()
	find := func(word string) string {
		found, err := s.informer.GetIndexer().IndexKeys("word", word)
		s.must(err)
		objects, err := s.informer.GetIndexer().ByIndex("word", word)
		s.must(err)
		equal(s.t, "objects and keys of "+word, len(objects), len(found))
		return strings.Join(sorted(found), " ")
	}
	equal(s.t, "blue", find("blue"), "a/x a/y")
	equal(s.t, "red", find("red"), "a/x")
	s.update("x", "green blue")
	s.delete("y")
	s.pass(time.Second)
	equal(s.t, "blue", find("blue"), "a/x")
	equal(s.t, "red", find("red"), "")
	equal(s.t, "green", find("green"), "a/x")
	equal(s.t, "values", sorted(s.informer.GetIndexer().ListIndexFuncValues("word")), []string{"blue", "green"})
	same, err := s.informer.GetIndexer().Index("word", at("other", "green"))
	s.must(err)
	equal(s.t, "objects like another", len(same), 1)
	for _, query := range []func() error{
		func() error { _, err := s.informer.GetIndexer().ByIndex("none", "x"); return err },
		func() error { _, err := s.informer.GetIndexer().IndexKeys("none", "x"); return err },
		func() error { _, err := s.informer.GetIndexer().Index("none", at("x", "")); return err },
	} {
		if query() == nil {
			s.t.Error("a query of an unknown index returned no error")
		}
	}
}

func indexAddedLater(s *stage) {
	_, err := s.srv.Create(at("x", "red"))
	s.must(err)
	s.start()
	s.must(s.informer.AddIndexers(byWord))
	found, err := s.informer.GetIndexer().IndexKeys("word", "red")
	s.must(err)
	equal(s.t, "keys", found, []string{"a/x"})
	if s.informer.AddIndexers(byWord) == nil {
		s.t.Error("a second index of the same name returned no error")
	}
	if _, kept := s.informer.GetIndexer().GetIndexers()["word"]; !kept {
		s.t.Error("the index exists after a conflict")
	}
	s.stop()
	if s.informer.AddIndexers(cache.Indexers{"late": byWord["word"]}) == nil {
		s.t.Error("an index of a stopped informer returned no error")
	}
}

func keys(s *stage) {
	s.create("x")
	s.start()
	store := s.informer.GetStore()
	equal(s.t, "keys", store.ListKeys(), []string{"a/x"})
	for what, key := range map[string]any{
		"an object":    at("x", ""),
		"a key":        cache.ExplicitKey("a/x"),
		"a tombstone":  cache.DeletedFinalStateUnknown{Key: "a/x"},
		"its metadata": &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "x"}},
	} {
		found, exists, err := store.Get(key)
		if err != nil || !exists || text(found) != "x=1" {
			s.t.Errorf("Get of %s: %v, %v, %v", what, found, exists, err)
		}
	}
	if found, exists, err := store.GetByKey("a/none"); found != nil || exists || err != nil {
		s.t.Errorf("a key that does not exist: %v, %v, %v", found, exists, err)
	}
}

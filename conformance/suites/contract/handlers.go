package contract

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
)

var handlerPoints = []point{
	{"03-one-notification-at-a-time", oneAtATime},
	{"03-store-and-indexes-first", storeFirst},
	{"03-handlers-are-independent", independent},
	{"04-handler-added-later", addedLater},
	{"04-no-gap-and-no-repetition", noGap},
	{"06-old-is-what-was-cached", oldStates},
	{"06-tombstones", tombstones},
	{"08-resync-goes-to-some", resyncGoesToSome},
	{"08-relist-of-unchanged-objects", unchangedObjects},
	{"09-relist-is-atomic", atomicRelist},
	{"11-initial-list", initialList},
}

func oneAtATime(s *stage) {
	s.create("x", "y", "z")
	var inside, most atomic.Int32
	h, _ := s.handle(func(string) {
		most.Store(max(most.Load(), inside.Add(1)))
		<-time.After(time.Second)
		inside.Add(-1)
	})
	s.start()
	s.update("x", "2")
	s.update("x", "3")
	s.pass(time.Minute)
	equal(s.t, "notifications at a time", most.Load(), 1)
	if got := h.take(); !strings.HasSuffix(got, "x=1>x=2 x=2>x=3") {
		s.t.Errorf("got %s", got)
	}
}

func storeFirst(s *stage) {
	s.must(s.informer.AddIndexers(byWord))
	var wrong atomic.Value
	_, _ = s.handle(func(event string) {
		value := event[strings.LastIndex(event, "=")+1:]
		found, err := s.informer.GetIndexer().IndexKeys("word", value)
		switch there := len(found) == 1; {
		case err != nil, strings.HasPrefix(event, "-") == there:
			wrong.Store(fmt.Sprintf("%s: the index has %v: %v", event, found, err))
		}
	})
	s.create("x")
	s.start()
	s.update("x", "two")
	synctest.Wait()
	s.delete("x")
	synctest.Wait()
	if wrong.Load() != nil {
		s.t.Error(wrong.Load())
	}
}

func independent(s *stage) {
	s.create("x")
	block := make(chan struct{})
	blocked, _ := s.handle(func(string) { <-block })
	free, _ := s.handle(nil)
	s.start()
	for i := range 2000 {
		s.update("x", fmt.Sprint(i+2))
	}
	s.pass(time.Minute)
	s.has("x=2001")
	if got := strings.Fields(free.take()); len(got) == 0 || !strings.HasSuffix(got[len(got)-1], ">x=2001") {
		s.t.Errorf("a handler waits for another: it got %d notifications", len(got))
	}
	close(block)
	synctest.Wait()
	if got := blocked.take(); !strings.HasSuffix(got, ">x=2001") {
		s.t.Error("the waiting handler did not get the last state")
	}
}

func addedLater(s *stage) {
	s.create("x", "y")
	s.start()
	s.update("y", "2")
	s.delete("x")
	synctest.Wait()
	h, _ := s.handle(nil)
	synctest.Wait()
	s.got(h, "!+y=2")
	s.update("y", "3")
	s.create("z")
	synctest.Wait()
	s.got(h, "y=2>y=3", "+z=1")
}

// noGap adds handlers while objects change. The notifications of each handler add up to
// the current objects, and each follows from the previous one.
func noGap(s *stage) {
	s.create("x", "y")
	s.start()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 300 {
			if _, err := s.srv.Update(at([]string{"x", "y"}[i%2], fmt.Sprint(i+2))); err != nil {
				s.t.Error(err)
			}
		}
	}()
	var handlers []*handler
	for range 20 {
		h, _ := s.handle(nil)
		handlers = append(handlers, h)
	}
	<-done
	synctest.Wait()
	for i, h := range handlers {
		last := map[string]string{}
		for event := range strings.FieldsSeq(h.take()) {
			from, to, isUpdate := strings.Cut(event, ">")
			if !isUpdate {
				to = strings.TrimPrefix(event, "!+")
			}
			name, _, _ := strings.Cut(to, "=")
			if isUpdate != (last[name] != "") || isUpdate && last[name] != from {
				s.t.Fatalf("handler %d: %s after %q", i, event, last[name])
			}
			last[name] = to
		}
		equal(s.t, fmt.Sprintf("the objects of handler %d", i), last, map[string]string{"x": "x=300", "y": "y=301"})
	}
}

func oldStates(s *stage) {
	s.create("x")
	var deleted string
	_, err := s.informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		DeleteFunc: func(obj any) { deleted = obj.(*v1.ConfigMap).ResourceVersion },
	})
	s.must(err)
	h, _ := s.handle(nil)
	s.start()
	s.update("x", "2")
	s.update("x", "3")
	s.delete("x")
	synctest.Wait()
	s.got(h, "!+x=1", "x=1>x=2", "x=2>x=3", "-x=3")
	equal(s.t, "version of the deletion", deleted, fmt.Sprint(s.srv.Version()))
}

func tombstones(s *stage) {
	s.create("x", "y")
	h, _ := s.handle(nil)
	s.start()
	h.take()
	s.forget(func() { s.update("x", "2"); s.delete("x") })
	s.pass(time.Minute)
	got := strings.Fields(h.take())
	if len(got) == 0 || got[0] != "?a/x:x=1" {
		s.t.Errorf("got %v, want a tombstone of x=1 first", got)
	}
	s.has("y=1")
}

func resyncGoesToSome(s *stage) {
	s.create("x")
	s.informer = s.newInformer(cache.SharedIndexInformerOptions{ResyncPeriod: time.Minute})
	add := func(period time.Duration) *handler {
		h := &handler{}
		_, err := s.informer.AddEventHandlerWithResyncPeriod(h, period)
		s.must(err)
		return h
	}
	never, often, seldom := add(0), add(time.Minute), add(2*time.Minute)
	s.start()
	for _, h := range []*handler{never, often, seldom} {
		s.got(h, "!+x=1")
	}
	s.pass(70 * time.Second)
	s.got(never)
	s.got(often, "x=1>x=1")
	s.got(seldom)
	s.update("x", "2")
	s.pass(time.Minute)
	s.got(never, "x=1>x=2")
	s.got(often, "x=1>x=2", "x=2>x=2")
	s.got(seldom, "x=1>x=2", "x=2>x=2")
}

func unchangedObjects(s *stage) {
	s.create("x", "y")
	h, _ := s.handle(nil)
	s.start()
	h.take()
	s.forget(func() { s.update("x", "2") })
	s.pass(time.Minute)
	s.differs("storm", sorted(strings.Fields(h.take())), []string{"x=1>x=2", "y=1>y=1"}, []string{"x=1>x=2"})
}

// atomicRelist: a handler sees the whole new list in the store from the first
// notification on; deletions come first.
func atomicRelist(s *stage) {
	s.create("w", "x", "y")
	var seen atomic.Value
	h, _ := s.handle(func(string) { seen.CompareAndSwap(nil, contents(s.informer.GetStore())) })
	s.start()
	h.take()
	seen = atomic.Value{}
	s.forget(func() { s.delete("y"); s.update("w", "2"); s.create("a", "z"); s.update("x", "2") })
	s.pass(time.Minute)
	got := strings.Fields(h.take())
	equal(s.t, "notifications", sorted(got), []string{"+a=1", "+z=1", "?a/y:y=1", "w=1>w=2", "x=1>x=2"})
	if got[0] != "?a/y:y=1" {
		s.t.Errorf("notifications: %v, want deletions first", got)
	}
	equal(s.t, "store at the first notification", seen.Load(), "a=1 w=2 x=2 z=1")
}

func initialList(s *stage) {
	s.create("x", "y")
	h, _ := s.handle(nil)
	s.start()
	s.gotInAnyOrder(h, "!+x=1", "!+y=1")
	s.create("z")
	synctest.Wait()
	s.got(h, "+z=1")
	s.forget(func() { s.create("zz"); s.update("x", "2"); s.update("y", "2"); s.update("z", "2") })
	s.pass(time.Minute)
	s.gotInAnyOrder(h, "x=1>x=2", "y=1>y=2", "z=1>z=2", "+zz=1")
}

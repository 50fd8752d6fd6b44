package contract

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
)

var lifePoints = []point{
	{"10-empty-list-is-synced", emptyIsSynced},
	{"10-synced-after-the-list", syncedAfterList},
	{"10-handler-synced", handlerSynced},
	{"12-before-start-only", beforeStartOnly},
	{"12-after-stop", afterStop},
	{"12-remove-handler", removeHandler},
	{"12-remove-from-inside", removeFromInside},
	{"12-shut-down-handler", shutDownHandler},
	{"12-foreign-registration", foreignRegistration},
	{"13-transform-comes-first", transformFirst},
	{"13-transform-of-a-streaming-list", transformTwice},
	{"14-stop", stopOrder},
}

func emptyIsSynced(s *stage) {
	_, registration := s.handle(nil)
	equal(s.t, "synced before Run", s.informer.HasSynced() || registration.HasSynced(), false)
	s.start()
	s.pass(time.Second)
	equal(s.t, "synced", s.informer.HasSynced() && registration.HasSynced(), true)
	<-s.informer.HasSyncedChecker().Done()
	<-registration.HasSyncedChecker().Done()
}

func syncedAfterList(s *stage) {
	s.create("x")
	stall := s.inject(apitest.VerbWatch, 1, 0, apitest.Stall())
	s.start()
	s.pass(time.Second)
	equal(s.t, "synced before the list is complete", s.informer.HasSynced(), false)
	s.has()
	stall.Release()
	s.pass(time.Second)
	equal(s.t, "synced", s.informer.HasSynced(), true)
	s.has("x=1")
}

func handlerSynced(s *stage) {
	s.create("x", "y")
	block := make(chan struct{})
	_, registration := s.handle(func(event string) {
		if strings.HasSuffix(event, "y=1") {
			<-block
		}
	})
	s.start()
	s.pass(time.Minute)
	equal(s.t, "informer synced", s.informer.HasSynced(), true)
	equal(s.t, "handler synced while it handles the initial list", registration.HasSynced(), false)
	select {
	case <-registration.HasSyncedChecker().Done():
		s.t.Error("the channel reports that the handler is synced")
	default:
	}
	close(block)
	s.pass(time.Second)
	equal(s.t, "handler synced", registration.HasSynced(), true)
	<-registration.HasSyncedChecker().Done()
}

func beforeStartOnly(s *stage) {
	keep := func(obj any) (any, error) { return obj, nil }
	s.must(s.informer.SetTransform(keep))
	s.must(s.informer.SetTransform(nil))
	s.must(s.informer.SetWatchErrorHandler(func(*cache.Reflector, error) {}))
	s.start()
	if s.informer.SetTransform(keep) == nil {
		s.t.Error("SetTransform after the start returned no error")
	}
	if s.informer.SetWatchErrorHandler(func(*cache.Reflector, error) {}) == nil {
		s.t.Error("SetWatchErrorHandler after the start returned no error")
	}
	if s.informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {}) == nil {
		s.t.Error("SetWatchErrorHandlerWithContext after the start returned no error")
	}
	equal(s.t, "stopped", s.informer.IsStopped(), false)
}

func afterStop(s *stage) {
	s.create("x")
	_, registration := s.handle(nil)
	s.start()
	s.stop()
	equal(s.t, "stopped", s.informer.IsStopped(), true)
	if _, err := s.informer.AddEventHandler(&handler{}); err == nil {
		s.t.Error("AddEventHandler of a stopped informer returned no error")
	}
	s.must(s.informer.RemoveEventHandler(registration))
	s.has("x=1")
}

func removeHandler(s *stage) {
	s.create("x")
	block := make(chan struct{})
	h, registration := s.handle(func(string) { <-block })
	other, _ := s.handle(nil)
	s.start()
	s.update("x", "2")
	synctest.Wait()
	s.must(s.informer.RemoveEventHandler(registration)) // while it handles the first one
	s.must(s.informer.RemoveEventHandler(registration))
	s.update("x", "3")
	synctest.Wait()
	s.got(other, "!+x=1", "x=1>x=2", "x=2>x=3")
	close(block)
	synctest.Wait()
	h.take()
	s.update("x", "4")
	synctest.Wait()
	s.got(h)
	s.got(other, "x=3>x=4")
}

func removeFromInside(s *stage) {
	s.create("x", "y")
	var registration cache.ResourceEventHandlerRegistration
	var calls atomic.Int32
	var err error
	_, registration = s.handle(func(string) {
		calls.Add(1)
		err = errors.Join(err, s.informer.RemoveEventHandler(registration))
	})
	s.start()
	s.must(err)
	before := calls.Load()
	s.create("z")
	synctest.Wait()
	equal(s.t, "calls after the removal", calls.Load(), before)
}

func shutDownHandler(s *stage) {
	begun, block := make(chan struct{}), make(chan struct{})
	var over atomic.Bool
	_, registration := s.handle(func(string) { close(begun); <-block; over.Store(true) })
	s.start()
	s.create("x") // after the first list, for which other code waits
	<-begun
	waited := make(chan bool, 1)
	go func() {
		if err := cache.ShutDownEventHandler(s.informer, registration); err != nil {
			s.t.Error(err)
		}
		waited <- over.Load()
	}()
	synctest.Wait()
	select {
	case <-waited:
		close(block)
		s.t.Fatal("ShutDownEventHandler does not wait for the handler")
	default:
	}
	close(block)
	equal(s.t, "handler has returned before ShutDownEventHandler", <-waited, true)
}

func foreignRegistration(s *stage) {
	h, _ := s.handle(nil)
	other := s.newInformer(cache.SharedIndexInformerOptions{})
	registration, err := other.AddEventHandler(&handler{})
	s.must(err)
	s.must(s.informer.RemoveEventHandler(registration))
	if s.informer.RemoveEventHandler(unknown{registration}) == nil {
		s.t.Error("a registration of an unknown type returned no error")
	}
	s.create("x")
	s.start()
	s.got(h, "!+x=1")
}

// unknown is a registration that no informer has created.
type unknown struct {
	cache.ResourceEventHandlerRegistration
}

// mark is a transform that changes objects in place.
func mark(obj any) (any, error) {
	m, ok := obj.(*v1.ConfigMap)
	if !ok {
		return nil, errors.New("the transform got something other than an object")
	}
	m.Data["v"] += "t"
	return m, nil
}

// transformFirst: with a list and a watch, every reader gets the transformed object, and
// the transform gets the object as the server sent it.
func transformFirst(s *stage) {
	s.serve(apitest.Config{StreamingLists: apitest.StreamingRefused})
	s.informer = s.newInformer(cache.SharedIndexInformerOptions{
		ResyncPeriod: time.Minute, Indexers: cache.Indexers{"word": byWord["word"]},
	})
	s.must(s.informer.SetTransform(mark))
	s.create("x", "y")
	h, _ := s.handle(nil)
	s.start()
	s.got(h, "!+x=1t", "!+y=1t")
	s.update("x", "2")
	synctest.Wait()
	s.got(h, "x=1t>x=2t")
	s.has("x=2t", "y=1t")
	found, err := s.informer.GetIndexer().IndexKeys("word", "2t")
	s.must(err)
	equal(s.t, "index", found, []string{"a/x"})
	s.pass(time.Minute)
	equal(s.t, "resync", strings.Join(sorted(strings.Fields(h.take())), " "), "x=2t>x=2t y=1t>y=1t")
	s.delete("x")
	synctest.Wait()
	s.forget(func() { s.update("y", "2"); s.delete("y") })
	s.pass(30 * time.Second)
	s.got(h, "-x=2t", "?a/y:y=1t")
}

func transformTwice(s *stage) {
	s.must(s.informer.SetTransform(mark))
	s.create("x")
	h, _ := s.handle(nil)
	s.start()
	s.differs("transform twice", h.take(), "!+x=1tt", "!+x=1t")
}

func stopOrder(s *stage) {
	s.create("x", "y", "z")
	var inside, calls atomic.Int32
	_, _ = s.handle(func(string) {
		inside.Add(1)
		calls.Add(1)
		<-time.After(10 * time.Second)
		inside.Add(-1)
	})
	s.start()
	s.stop()
	equal(s.t, "running handlers after Run has returned", inside.Load(), 0)
	before := calls.Load()
	s.pass(time.Minute)
	equal(s.t, "notifications after Run has returned", calls.Load()-before, 0)
	if before == 3 {
		s.t.Error("Run waited for notifications that no handler had got yet")
	}
	equal(s.t, "stopped", s.informer.IsStopped(), true)
}

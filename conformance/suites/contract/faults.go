package contract

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing/synctest"
	"time"

	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
)

// faultPoints are the rows of point 28: a fault of an established watch, and the expected
// reaction. R8 and R10 of the study are also here.
var faultPoints = []point{
	{"28-clean-end", watchEnds(apitest.Cut(apitest.CutClean))},
	{"28-reset", watchEnds(apitest.Cut(apitest.CutReset))},
	{"28-truncated-event", watchEnds(apitest.Cut(apitest.CutMidFrame))},
	{"28-undecodable-event", inStream("garbage", apitest.Garbage(apitest.GarbageObject))},
	{"28-unknown-type-of-event", inStream("garbage", apitest.Garbage(apitest.GarbageEventType))},
	{"28-error-500", inStream("error event", apitest.InStreamError(apitest.Failure(500, 0)))},
	{"28-error-410", expiredEvent},
	{"28-next-watch-429", nextWatch(429, "")},
	{"28-next-watch-500", nextWatch(500, "failed watch")},
	{"28-next-watch-503", nextWatch(503, "failed watch")},
	{"28-next-watch-410", nextWatchExpired},
	{"28-lower-version", lowerVersion},
}

// fault is the reaction of an informer to a fault.
type fault struct {
	*stage
	h      *handler
	told   atomic.Int32 // calls of the watch error handler
	marked int
}

// meet starts an informer of two objects with an established watch.
func (s *stage) meet() *fault {
	f := &fault{stage: s}
	s.create("x", "y")
	s.update("x", "2")
	f.h, _ = s.handle(nil)
	s.must(s.informer.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) { f.told.Add(1) }))
	s.start()
	s.create("z")
	s.pass(10 * time.Second)
	f.h.take()
	f.marked = s.mark()
	return f
}

// did returns the requests since the fault, without versions: "watch", or "all" for a
// list.
func (f *fault) did() string {
	for _, r := range f.requests(f.marked) {
		if !strings.HasPrefix(r, "watch ") {
			return "all"
		}
	}
	return "watch"
}

// works checks that changes arrive.
func (f *fault) works() {
	f.t.Helper()
	f.h.take()
	f.update("x", "3")
	f.pass(time.Minute)
	f.got(f.h, "x=2>x=3")
	f.has("x=3", "y=1", "z=1")
}

// storm is client-go's notifications of unchanged objects.
const storm = "x=2>x=2 y=1>y=1 z=1>z=1"

// watchEnds: a watch that ends is followed by a watch from the last version.
func watchEnds(action apitest.Action) func(*stage) {
	return func(s *stage) {
		f := s.meet()
		s.inject(apitest.VerbWatch, 1, 0, action)
		s.pass(time.Minute)
		version := fmt.Sprint(s.srv.Version())
		equal(s.t, "requests", s.requests(f.marked), []string{"watch " + version})
		s.got(f.h)
		f.works()
	}
}

func inStream(name string, action apitest.Action) func(*stage) {
	return func(s *stage) {
		f := s.meet()
		s.inject(apitest.VerbWatch, 1, 0, action)
		s.pass(time.Minute)
		s.differs(name, f.did(), "all", "watch")
		s.differs("storm", strings.Join(sorted(strings.Fields(f.h.take())), " "), storm, "")
		if name == "error event" {
			s.differs("silent errors", f.told.Load() > 0, false, true)
		}
		f.works()
	}
}

// expiredEvent: only this error discards the version.
func expiredEvent(s *stage) {
	f := s.meet()
	s.inject(apitest.VerbWatch, 1, 0, apitest.InStreamError(apitest.Failure(410, 0)))
	s.pass(time.Minute)
	equal(s.t, "read", f.did(), "all")
	s.differs("storm", strings.Join(sorted(strings.Fields(f.h.take())), " "), storm, "")
	s.differs("silent errors", f.told.Load() > 0, false, true)
	f.works()
}

// nextWatch: the watch ends, and the next one fails once with an error. name is the name
// of a difference, or "" if client-go also watches again.
func nextWatch(code int, name string) func(*stage) {
	return func(s *stage) {
		f := s.meet()
		s.inject(apitest.VerbWatch, 1, 0, apitest.Respond(apitest.Failure(code, 0)))
		s.inject(apitest.VerbWatch, 1, 0, apitest.Cut(apitest.CutClean))
		s.pass(2 * time.Minute)
		if name == "" {
			equal(s.t, "read", f.did(), "watch")
			s.got(f.h)
		} else {
			s.differs(name, f.did(), "all", "watch")
			s.differs("storm", strings.Join(sorted(strings.Fields(f.h.take())), " "), storm, "")
			equal(s.t, "the error handler is called", f.told.Load() > 0, true)
		}
		f.works()
	}
}

func nextWatchExpired(s *stage) {
	f := s.meet()
	s.inject(apitest.VerbWatch, 1, 0, apitest.Respond(apitest.Failure(410, 0)))
	s.inject(apitest.VerbWatch, 1, 0, apitest.Cut(apitest.CutClean))
	s.pass(2 * time.Minute)
	equal(s.t, "read", f.did(), "all")
	s.differs("storm", strings.Join(sorted(strings.Fields(f.h.take())), " "), storm, "")
	equal(s.t, "the error handler is called", f.told.Load() > 0, true)
	f.works()
}

func lowerVersion(s *stage) {
	f := s.meet()
	before := s.informer.LastSyncResourceVersion()
	s.inject(apitest.VerbWatch, 1, 0, apitest.Backwards(2))
	synctest.Wait()
	after := s.informer.LastSyncResourceVersion()
	s.differs("lower version", number(after)-number(before), -2, 0)
	s.update("x", "3")
	s.pass(time.Minute)
	s.has("x=3", "y=1", "z=1")
	_ = f
}

package contract

import (
	"fmt"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"
	fcache "k8s.io/client-go/tools/cache/testing"

	v1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/conformance/suites/bridge"
)

var protocolPoints = []point{
	{"07-events-fit-the-store", eventsFitTheStore},
	{"17-first-start", firstStart},
	{"17-first-start-without-streaming-lists", firstStartLists},
	{"18-later-starts", laterStarts},
	{"19-expired-version", expired},
	{"19-version-of-the-future", tooLarge},
	{"20-watch-begins-at-the-list", watchBeginsAtTheList},
	{"21-versions-of-initial-events", versionsOfInitialEvents},
	{"22-bookmarks", bookmarks},
	{"23-end-of-the-initial-events", endOfInitialEvents},
	{"24-store-until-the-end-of-a-list", storeUntilTheEnd},
	{"25-other-kinds-are-skipped", otherKinds},
	{"26-one-watch-at-a-time", oneWatch},
	{"27-length-of-watches", lengths},
	{"27-no-bookmarks", noBookmarks},
}

// eventsFitTheStore: notifications follow the store, not the type of the event.
func eventsFitTheStore(s *stage) {
	source := fcache.NewFakeControllerSource()
	defer source.Shutdown()
	source.Add(at("x", "1"))
	lw, err := bridge.ListerWatcher(source, &v1.ConfigMap{}, bridge.Options{Wrap: s.e.Wrap})
	s.must(err)
	s.informer = s.e.NewSharedIndexInformer(lw, &v1.ConfigMap{}, cache.SharedIndexInformerOptions{})
	h, _ := s.handle(nil)
	s.start()
	s.got(h, "!+x=1")
	source.Add(at("x", "2"))
	source.Modify(at("y", "1"))
	synctest.Wait()
	s.got(h, "x=1>x=2", "+y=1")
	source.Delete(at("z", "9"))
	synctest.Wait()
	s.differs("unknown deletion", h.take(), "-z=9", "")
	s.stop()
}

func firstStart(s *stage) {
	s.create("x")
	s.start()
	first := s.srv.Requests()[0]
	equal(s.t, "streaming list", first.Streaming(), true)
	equal(s.t, "version", first.Options.ResourceVersion, "")
	equal(s.t, "version match", first.Options.ResourceVersionMatch, metav1.ResourceVersionMatchNotOlderThan)
	equal(s.t, "bookmarks", first.Options.AllowWatchBookmarks, true)
	s.pass(time.Minute)
	equal(s.t, "requests", s.requests(0), []string{"stream "})
}

func firstStartLists(s *stage) {
	s.serve(apitest.Config{StreamingLists: apitest.StreamingRefused})
	s.create("x")
	s.start()
	got := s.requests(0)
	s.differs("first list", got[1], "list 0", "list ")
	equal(s.t, "requests", []string{got[0], got[2]}, []string{"stream ", "watch " + fmt.Sprint(s.srv.Version())})
	s.has("x=1")
}

// laterStarts: after a watch ends, the next one begins at the last version; nothing is
// listed again.
func laterStarts(s *stage) {
	s.create("x")
	h, _ := s.handle(nil)
	s.start()
	s.update("x", "2")
	synctest.Wait()
	for _, cut := range []apitest.CutKind{apitest.CutClean, apitest.CutReset} {
		s.pass(10 * time.Second)
		mark := s.mark()
		s.inject(apitest.VerbWatch, 1, 0, apitest.Cut(cut))
		s.pass(10 * time.Second)
		equal(s.t, "requests", s.requests(mark), []string{"watch " + fmt.Sprint(s.srv.Version())})
	}
	s.got(h, "!+x=1", "x=1>x=2")
	s.pass(time.Minute)
	mark := s.mark()
	s.forget(func() { s.update("x", "3") })
	s.pass(time.Minute)
	streaming := func(r string) bool { return strings.HasPrefix(r, "stream ") }
	if got := s.requests(mark); !slices.ContainsFunc(got, streaming) || slices.Contains(got, "list ") {
		s.t.Errorf("requests after 410: %v, want a streaming list", got)
	}
	s.has("x=3")
}

// expired: a list that gets 410 is repeated at once, for the latest version.
func expired(s *stage) {
	s.serve(apitest.Config{StreamingLists: apitest.StreamingRefused})
	s.create("x")
	s.start()
	s.inject(apitest.VerbList, 1, 0, apitest.Respond(apitest.Failure(410, 0)))
	mark := s.mark()
	s.forget(func() { s.update("x", "2") })
	s.pass(time.Minute)
	s.has("x=2")
	var lists []string
	for _, r := range s.requests(mark) {
		if strings.HasPrefix(r, "list") {
			lists = append(lists, r)
		}
	}
	if len(lists) != 2 || lists[1] != "list " {
		s.t.Errorf("lists: %q, want a second for the latest version", lists)
	}
}

// tooLarge: the server has not reached the requested version.
func tooLarge(s *stage) {
	s.serve(apitest.Config{StreamingLists: apitest.StreamingRefused})
	s.create("x")
	s.start()
	behind := apitest.Failure(504, time.Second)
	behind.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}
	s.inject(apitest.VerbList, 1, 0, apitest.Respond(behind))
	s.forget(func() { s.update("x", "2") })
	s.pass(2 * time.Minute)
	s.has("x=2")
}

// watchBeginsAtTheList: changes between the list and the watch are not lost.
func watchBeginsAtTheList(s *stage) {
	s.serve(apitest.Config{StreamingLists: apitest.StreamingRefused})
	s.create("x")
	version := fmt.Sprint(s.srv.Version())
	held, err := s.srv.Inject(apitest.Fault{
		Match: apitest.Match{Verb: apitest.VerbWatch, Where: func(r apitest.Request) bool { return !r.Streaming() }}, Action: apitest.Hang(),
	})
	s.must(err)
	h, _ := s.handle(nil)
	s.start()
	<-held.Struck()
	s.update("x", "2")
	s.create("y")
	held.Release()
	s.pass(time.Second)
	s.got(h, "!+x=1", "x=1>x=2", "+y=1")
	got := s.requests(0)
	equal(s.t, "watch", got[len(got)-1], "watch "+version)
}

// versionsOfInitialEvents: the versions of initial events are unordered, so nothing
// resumes from them.
func versionsOfInitialEvents(s *stage) {
	s.create("a", "b", "c")
	s.update("a", "2")
	stall := s.inject(apitest.VerbWatch, 1, 2, apitest.Stall())
	s.start()
	<-stall.Struck()
	synctest.Wait()
	equal(s.t, "version in the middle of the list", s.informer.LastSyncResourceVersion(), "")
	s.srv.Unavailable()
	s.must(s.srv.Available())
	s.pass(time.Minute)
	s.differs("broken list", s.requests(0)[:2], []string{"stream ", "stream "}, []string{"stream ", "list "})
	equal(s.t, "version", s.informer.LastSyncResourceVersion(), fmt.Sprint(s.srv.Version()))
	s.has("a=2", "b=1", "c=1")
}

func bookmarks(s *stage) {
	s.serve(apitest.Config{BookmarkInterval: 10 * time.Second})
	s.create("x")
	h, _ := s.handle(nil)
	s.start()
	s.got(h, "!+x=1")
	_, err := s.srv.Create(&v1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "other"}})
	s.must(err)
	version := fmt.Sprint(s.srv.Version())
	s.pass(15 * time.Second)
	equal(s.t, "version after a bookmark", s.informer.LastSyncResourceVersion(), version)
	equal(s.t, "version of the store", s.informer.GetStore().LastStoreSyncResourceVersion(), version)
	s.got(h)
	s.has("x=1")
	mark := s.mark()
	s.inject(apitest.VerbWatch, 1, 0, apitest.Cut(apitest.CutClean))
	s.pass(15 * time.Second)
	equal(s.t, "requests", s.requests(mark), []string{"watch " + version})
}

// endOfInitialEvents: only the bookmark with the annotation ends a streaming list.
func endOfInitialEvents(s *stage) {
	s.serve(apitest.Config{BookmarkInterval: 10 * time.Second})
	s.create("x")
	s.inject(apitest.VerbWatch, apitest.Always, 0, apitest.NoEndBookmark())
	s.start()
	s.pass(15 * time.Second) // other bookmarks arrive
	equal(s.t, "synced after another bookmark", s.informer.HasSynced(), false)
	s.pass(30 * time.Minute)
	s.differs("endless list", s.informer.HasSynced(), false, true)
}

// storeUntilTheEnd: the store has the old objects until a list is complete, and
// an incomplete one has no effect.
func storeUntilTheEnd(s *stage) {
	s.create("w", "x", "y")
	h, _ := s.handle(nil)
	s.start()
	h.take()
	lists := func(action apitest.Action) *apitest.Injection {
		i, err := s.srv.Inject(apitest.Fault{
			Match:  apitest.Match{Resource: "configmaps", Where: wholeState},
			After:  2,
			Action: action,
		})
		s.must(err)
		return i
	}
	cut := lists(apitest.Cut(apitest.CutReset))
	s.forget(func() { s.delete("y"); s.update("w", "2"); s.update("x", "2") })
	<-cut.Struck()
	stall := lists(apitest.Stall()) // an engine may use another form of list now
	<-stall.Struck()
	synctest.Wait()
	s.has("w=1", "x=1", "y=1")
	s.got(h)
	stall.Release()
	s.pass(time.Minute)
	s.has("w=2", "x=2")
	s.gotInAnyOrder(h, "?a/y:y=1", "w=1>w=2", "x=1>x=2")
}

// wholeState matches both forms of a list.
func wholeState(r apitest.Request) bool { return r.Streaming() || r.Verb == apitest.VerbList }

func otherKinds(s *stage) {
	s.create("x")
	h, _ := s.handle(nil)
	s.start()
	s.pass(10 * time.Second)
	mark := s.mark()
	s.inject(apitest.VerbWatch, 1, 0, apitest.Garbage(apitest.GarbageOtherKind))
	s.pass(10 * time.Second)
	s.update("x", "2")
	s.pass(time.Second)
	s.got(h, "!+x=1", "x=1>x=2")
	equal(s.t, "requests", s.requests(mark), []string{})
	s.has("x=2")
}

// oneWatch: a watch is closed before the next one begins, and when the informer stops.
func oneWatch(s *stage) {
	s.create("x")
	s.start()
	for range 5 {
		s.pass(10 * time.Second)
		s.inject(apitest.VerbWatch, 1, 0, apitest.InStreamError(apitest.Failure(500, 0)))
		s.pass(time.Minute)
	}
	// A fault applies to every open watch.
	strikes := s.inject(apitest.VerbWatch, apitest.Always, 0, apitest.Delay(time.Millisecond))
	s.pass(10 * time.Millisecond)
	equal(s.t, "open watches", strikes.Hits(), 1)
	strikes.Release()
}

func lengths(s *stage) {
	s.create("x")
	s.start()
	s.pass(2 * time.Hour)
	different := map[int64]bool{}
	for _, r := range s.srv.Requests() {
		if r.Verb != apitest.VerbWatch {
			continue
		}
		if r.Options.TimeoutSeconds == nil || *r.Options.TimeoutSeconds < 300 || *r.Options.TimeoutSeconds > 600 {
			s.t.Errorf("timeout %v, want 5 to 10 minutes", r.Options.TimeoutSeconds)
			continue
		}
		different[*r.Options.TimeoutSeconds] = true
	}
	if len(different) < 3 {
		s.t.Errorf("timeouts %v, want several", different)
	}
}

// noBookmarks: an informer needs no bookmarks after the list.
func noBookmarks(s *stage) {
	s.serve(apitest.Config{BookmarkInterval: -1})
	s.create("x")
	h, _ := s.handle(nil)
	s.start()
	s.pass(2 * time.Hour)
	asked := false
	for _, r := range s.srv.Requests()[1:] {
		switch {
		case r.Verb == apitest.VerbList && r.Options.Limit == 1:
			asked = true
		case r.Verb != apitest.VerbWatch || r.Streaming():
			s.t.Errorf("%s %+v, want no list of all objects", r.Verb, r.Options)
		}
	}
	s.differs("silence", asked, false, true)
	s.update("x", "2")
	synctest.Wait()
	s.got(h, "!+x=1", "x=1>x=2")
}

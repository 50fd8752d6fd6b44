package contract

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	v1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/conformance/suites/mutation"
)

// stage is a server, a client and informers in fake time.
type stage struct {
	t        *testing.T
	e        Engine
	srv      *apitest.Server
	client   kubernetes.Interface
	informer cache.SharedIndexInformer
	cancel   context.CancelFunc // of the last started informer
	ended    chan struct{}      // it has ended
	stops    []func()
	watched  *mutation.Detector // objects of all handlers
}

func newStage(t *testing.T, e Engine) *stage {
	s := &stage{t: t, e: e, watched: mutation.NewDetector(t)}
	s.serve(apitest.Config{})
	return s
}

// serve replaces the server, the client and the informer.
func (s *stage) serve(cfg apitest.Config) {
	s.t.Helper()
	srv, err := apitest.New(cfg)
	s.must(err)
	if s.srv != nil {
		s.srv.Close()
	}
	s.srv = srv
	s.client, err = kubernetes.NewForConfig(s.e.Wrap(srv.RESTConfig()))
	s.must(err)
	s.informer = s.newInformer(cache.SharedIndexInformerOptions{})
}

// end stops informers and the server.
func (s *stage) end() {
	for _, stop := range s.stops {
		stop()
	}
	s.srv.Close()
	synctest.Wait()
}

func (s *stage) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// newInformer returns an informer of config maps, as generated code creates it.
func (s *stage) newInformer(opts cache.SharedIndexInformerOptions) cache.SharedIndexInformer {
	if opts.Indexers == nil {
		opts.Indexers = cache.Indexers{} // without it, client-go's AddIndexers panics
	}
	maps := s.client.CoreV1().ConfigMaps(metav1.NamespaceAll)
	lw := cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) { return maps.List(ctx, o) },
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			return maps.Watch(ctx, o)
		},
	}, s.client)
	return s.e.NewSharedIndexInformer(lw, &v1.ConfigMap{}, opts)
}

// start runs the informer until the end of the test or until stop.
func (s *stage) start() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	informer := s.informer
	go func() { defer close(done); informer.RunWithContext(ctx) }()
	s.cancel, s.ended = cancel, done
	s.stops = append(s.stops, func() { cancel(); <-done })
	synctest.Wait()
}

// stop ends the informer, and returns after Run has returned.
func (s *stage) stop() {
	s.cancel()
	<-s.ended
}

// pass advances the time, and waits until all goroutines are idle.
func (s *stage) pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

// at returns a config map with a value.
func at(name, value string) *v1.ConfigMap {
	return &v1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}, Data: map[string]string{"v": value},
	}
}

// create creates config maps with the value "1".
func (s *stage) create(names ...string) {
	s.t.Helper()
	for _, name := range names {
		_, err := s.srv.Create(at(name, "1"))
		s.must(err)
	}
}

func (s *stage) update(name, value string) {
	s.t.Helper()
	_, err := s.srv.Update(at(name, value))
	s.must(err)
}

func (s *stage) delete(name string) {
	s.t.Helper()
	s.must(s.srv.Delete(at(name, "")))
}

// inject arms a fault of watches or lists of config maps.
func (s *stage) inject(verb apitest.Verb, times, after int, action apitest.Action) *apitest.Injection {
	s.t.Helper()
	i, err := s.srv.Inject(apitest.Fault{
		Match: apitest.Match{Verb: verb, Resource: "configmaps"}, Times: times, After: after, Action: action,
	})
	s.must(err)
	return i
}

// forget makes the server compact its history while the informer is disconnected: away
// runs without a server, and the next watch gets 410.
func (s *stage) forget(away func()) {
	s.t.Helper()
	s.srv.Unavailable()
	synctest.Wait()
	away()
	s.srv.Compact()
	s.must(s.srv.Available())
}

// requests returns the lists and watches since a mark, as texts.
func (s *stage) requests(since int) (all []string) {
	for _, r := range s.srv.Requests()[since:] {
		switch {
		case r.Streaming():
			all = append(all, "stream "+r.Options.ResourceVersion)
		case r.Verb == apitest.VerbWatch:
			all = append(all, "watch "+r.Options.ResourceVersion)
		case r.Verb == apitest.VerbList:
			all = append(all, "list "+r.Options.ResourceVersion)
		}
	}
	return all
}

// mark returns the number of requests so far.
func (s *stage) mark() int { return len(s.srv.Requests()) }

// has compares the store with "name=value" of each object.
func (s *stage) has(want ...string) {
	s.t.Helper()
	equal(s.t, "store", contents(s.informer.GetStore()), strings.Join(want, " "))
}

func contents(store cache.Store) string {
	var all []string
	for _, key := range sorted(store.ListKeys()) {
		obj, exists, err := store.GetByKey(key)
		if err != nil || !exists {
			all = append(all, fmt.Sprintf("%s: %v, %v", key, exists, err))
			continue
		}
		all = append(all, text(obj))
	}
	return strings.Join(all, " ")
}

// text returns "name=value" of a config map.
func text(obj any) string {
	if m, ok := obj.(*v1.ConfigMap); ok {
		return m.Name + "=" + m.Data["v"]
	}
	return fmt.Sprintf("%T", obj)
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// handler records notifications.
type handler struct {
	mu   sync.Mutex
	log  []string
	hook func(event string) // nil, or called for each notification
}

// handle registers a new handler.
func (s *stage) handle(hook func(event string)) (*handler, cache.ResourceEventHandlerRegistration) {
	s.t.Helper()
	h := &handler{hook: hook}
	registration, err := s.informer.AddEventHandler(s.watched.Handler(h))
	s.must(err)
	return h, registration
}

func (h *handler) note(event string) {
	h.mu.Lock()
	h.log = append(h.log, event)
	h.mu.Unlock()
	if h.hook != nil {
		h.hook(event)
	}
}

// OnAdd records "+name=value", with "!" for an object of the initial list.
func (h *handler) OnAdd(obj any, initial bool) {
	mark := "+"
	if initial {
		mark = "!+"
	}
	h.note(mark + text(obj))
}

// OnUpdate records "name=old>name=new".
func (h *handler) OnUpdate(old, now any) { h.note(text(old) + ">" + text(now)) }

// OnDelete records "-name=value", or "?name=value" if the deletion was not seen.
func (h *handler) OnDelete(obj any) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		h.note("?" + gone.Key + ":" + text(gone.Obj))
		return
	}
	h.note("-" + text(obj))
}

// take returns the notifications since the last call.
func (h *handler) take() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := strings.Join(h.log, " ")
	h.log = nil
	return all
}

// got compares the notifications since the last call.
func (s *stage) got(h *handler, want ...string) {
	s.t.Helper()
	equal(s.t, "notifications", h.take(), strings.Join(want, " "))
}

// gotInAnyOrder compares the notifications since the last call as a set. A list has no
// order.
func (s *stage) gotInAnyOrder(h *handler, want ...string) {
	s.t.Helper()
	equal(s.t, "notifications", sorted(strings.Fields(h.take())), sorted(want))
}

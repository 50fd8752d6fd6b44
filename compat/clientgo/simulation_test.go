package clientgo_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/compat/clientgo"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/wire"
)

// simHours is how long one simulation takes in fake time.
const simHours = 24

// TestSimulation lets hours pass and faults strike, in fake time, with an informer of
// client-go and two of ours side by side on one server. Whatever happens, each handler
// gets a sequence per object that follows from the one before; once the faults are over,
// all stores hold what the server has. In phases without a fault that needs a new list,
// ours give their handlers every revision, and so does client-go where it does not list.
func TestSimulation(t *testing.T) {
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	defer klog.LogToStderr(true)
	handlers := utilruntime.ErrorHandlers
	utilruntime.ErrorHandlers = nil // which would sleep in the real time of another bubble
	defer func() { utilruntime.ErrorHandlers = handlers }()
	for n := range testinput.Cases(t, testinput.Size(t, 1, 2)) {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { newSimulation(t).run() })
		})
	}
}

// simulation is one run.
type simulation struct {
	*world
	random    *rand.Rand
	witnesses []*witness
	injected  []*apitest.Injection
	history   map[string][]state // states written in this phase, by key
	mild      bool               // the phase has no fault that needs a list
	faults    int
	whole     int // phases in which the handler got every revision
}

// state is one revision of an object; gone means that the object was deleted at it.
type state struct {
	uid     string
	version wire.Version
	gone    bool
}

// witness checks what the handler of one informer gets.
type witness struct {
	t    *testing.T
	name string
	inf  cache.SharedIndexInformer

	mu   sync.Mutex
	view map[string]state
	told map[string][]state // in this phase
}

func newSimulation(t *testing.T) *simulation {
	s := &simulation{world: newWorld(t), random: testinput.Rand(t)}
	stock, err := kubernetes.NewForConfig(s.server.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	indexers := func() cache.Indexers {
		return cache.Indexers{"node": func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Spec.NodeName}, nil }}
	}
	logger := slog.New(slog.DiscardHandler)
	for name, inf := range map[string]cache.SharedIndexInformer{
		"client-go": coreinformers.NewPodInformer(stock, "", 0, indexers()),
		"packed":    clientgo.Adopt(coreinformers.NewPodInformer(s.client, "", 0, indexers()), clientgo.Options{Logger: logger}),
		"live":      clientgo.Adopt(coreinformers.NewPodInformer(s.client, "", 0, indexers()), clientgo.Options{Logger: logger, Storage: informer.Live}),
	} {
		w := &witness{t: t, name: name, inf: inf, view: map[string]state{}, told: map[string][]state{}}
		if _, err := inf.AddEventHandler(w); err != nil {
			t.Fatal(err)
		}
		s.witnesses = append(s.witnesses, w)
	}
	return s
}

func (s *simulation) run() {
	defer s.server.Close()
	ctx, cancel := context.WithCancel(s.t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	for _, w := range s.witnesses {
		running.Go(func() { w.inf.RunWithContext(ctx) })
	}
	s.heal()
	phases := 0
	for began := time.Now(); time.Since(began) < simHours*time.Hour && !s.t.Failed(); phases++ {
		s.mild = s.random.IntN(3) == 0
		s.history = map[string][]state{}
		for _, w := range s.witnesses {
			w.begin()
		}
		s.strike()
		s.heal()
		s.check()
	}
	s.t.Logf("%d phases, %d faults, %d phases with every revision", phases, s.faults, s.whole)
	if s.whole == 0 || s.faults == 0 {
		s.t.Error("the simulation is too wild, or too tame")
	}
}

// strike lets things happen and go wrong for some minutes.
func (s *simulation) strike() {
	for range 40 + s.random.IntN(40) {
		<-time.After(time.Duration(s.random.Int64N(int64(5 * time.Second))))
		switch n := s.random.IntN(100); {
		case n < 75:
			s.write()
		case n < 90:
			s.fault()
		case n < 92 && !s.mild:
			s.server.Compact()
		case n < 93 && !s.mild:
			<-time.After(time.Duration(s.random.Int64N(int64(time.Hour))))
		}
	}
}

// write changes, deletes or creates a pod.
func (s *simulation) write() {
	name := fmt.Sprint("pod-", s.random.IntN(30))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: name}, Spec: corev1.PodSpec{NodeName: fmt.Sprint("n", s.random.IntN(5)), Containers: []corev1.Container{{Name: "c", Image: "i"}}}}
	if s.random.IntN(2) == 0 {
		pod.Annotations = map[string]string{"note": strings.Repeat("long ", 120)} // its body is kept; of others, the object
	}
	key := "a/" + name
	obj, err := s.server.Get(pod)
	switch {
	case err != nil:
		obj, err = s.server.Create(pod)
	case s.random.IntN(5) == 0:
		if err := s.server.Delete(pod); err != nil {
			s.t.Fatal(err)
		}
		s.history[key] = append(s.history[key], state{string(obj.(*corev1.Pod).UID), wire.Version(s.server.Version()), true})
		return
	default:
		now := obj.(*corev1.Pod)
		now.Labels = map[string]string{"turn": fmt.Sprint(s.random.IntN(1_000_000))}
		obj, err = s.server.Update(now)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.history[key] = append(s.history[key], stateOf(s.t, obj.(*corev1.Pod)))
}

// fault injects one fault. Those of a mild phase end a watch in ways after which an
// informer can watch on from where it was.
func (s *simulation) fault() {
	f := apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch, Resource: "pods"}, Times: 1 + s.random.IntN(3), After: s.random.IntN(4)}
	mild := []apitest.Action{apitest.Cut(apitest.CutClean), apitest.Cut(apitest.CutReset)}
	wild := []apitest.Action{
		apitest.Cut(apitest.CutMidFrame), apitest.Stall(), apitest.Garbage(apitest.GarbageFraming), apitest.Garbage(apitest.GarbageEventType),
		apitest.InStreamError(apitest.Failure(410, 0)), apitest.InStreamError(apitest.Failure(429, time.Second)), apitest.InStreamError(apitest.Failure(500, 0)),
	}
	request := []apitest.Action{apitest.Hang()}
	for _, code := range []int{401, 403, 404, 410, 429, 500, 503} {
		request = append(request, apitest.Respond(apitest.Failure(code, 0)))
	}
	switch {
	case s.mild || s.random.IntN(4) == 0:
		f.Action = mild[s.random.IntN(len(mild))]
	case s.random.IntN(2) == 0:
		f.Action = wild[s.random.IntN(len(wild))]
	default:
		f.Action, f.After = request[s.random.IntN(len(request))], 0
		if s.random.IntN(3) == 0 {
			f.Match.Verb = apitest.VerbList
		}
	}
	s.faults++
	i, err := s.server.Inject(f)
	if err != nil {
		s.t.Fatalf("inject of %+v failed: %v", f, err)
	}
	s.injected = append(s.injected, i)
}

// heal ends all faults, and lets time pass until every informer must have recovered.
func (s *simulation) heal() {
	for _, i := range s.injected {
		i.Release()
	}
	s.injected = nil
	<-time.After(15 * time.Minute) // a watch of client-go that the server forgot lasts ten
	synctest.Wait()
}

// check compares the informers with the server and with each other.
func (s *simulation) check() {
	want := map[string]state{}
	objects, err := s.server.List(&corev1.Pod{}, "")
	if err != nil {
		s.t.Fatal(err)
	}
	for _, obj := range objects {
		pod := obj.(*corev1.Pod)
		want[pod.Namespace+"/"+pod.Name] = stateOf(s.t, pod)
	}
	complete := true
	for _, w := range s.witnesses {
		w.check(want)
		must := s.mild && w.name != "client-go" // which may list again after a watch that was very short
		complete = w.complete(s.history, must) && complete
	}
	if complete {
		s.whole++
	}
}

func stateOf(t *testing.T, pod *corev1.Pod) state {
	t.Helper()
	v, err := wire.ParseVersion(pod.ResourceVersion)
	if err != nil {
		t.Error(err)
	}
	return state{string(pod.UID), v, false}
}

// begin begins a phase.
func (w *witness) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = map[string][]state{}
}

// check compares the view of the handler, the store and an index with the server.
func (w *witness) check(want map[string]state) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !maps.Equal(w.view, want) {
		w.t.Errorf("%s: the handler knows %v, want %v", w.name, w.view, want)
	}
	got, byNode := map[string]state{}, 0
	for _, obj := range w.inf.GetStore().List() {
		pod := obj.(*corev1.Pod)
		got[pod.Namespace+"/"+pod.Name] = stateOf(w.t, pod)
		all, err := w.inf.GetIndexer().ByIndex("node", pod.Spec.NodeName)
		if err != nil || !slices.ContainsFunc(all, func(o any) bool { return o.(*corev1.Pod).UID == pod.UID }) {
			w.t.Errorf("%s: the index lacks %s, %v", w.name, pod.Name, err)
		}
	}
	for _, node := range w.inf.GetIndexer().ListIndexFuncValues("node") {
		keys, err := w.inf.GetIndexer().IndexKeys("node", node)
		if err != nil {
			w.t.Error(err)
		}
		byNode += len(keys)
	}
	if !maps.Equal(got, want) || byNode != len(want) {
		w.t.Errorf("%s: the store has %v and the index %d, want %v", w.name, got, byNode, want)
	}
}

// complete reports whether the handler got every revision of a phase. In a mild phase it
// must have.
func (w *witness) complete(history map[string][]state, must bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, want := range history {
		if !slices.Equal(w.told[key], want) {
			if must {
				w.t.Errorf("%s: of %s the handler got %v, want %v", w.name, key, w.told[key], want)
			}
			return false
		}
	}
	return true
}

// OnAdd implements cache.ResourceEventHandler.
func (w *witness) OnAdd(obj any, _ bool) { w.step("add", nil, obj) }

// OnUpdate implements cache.ResourceEventHandler.
func (w *witness) OnUpdate(old, obj any) { w.step("update", old, obj) }

// OnDelete implements cache.ResourceEventHandler.
func (w *witness) OnDelete(obj any) {
	if last, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		w.step("missed deletion", nil, last.Obj)
		return
	}
	w.step("delete", nil, obj)
}

// step applies an event of the handler, and checks that it follows from the earlier events.
func (w *witness) step(kind string, old, obj any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	pod := obj.(*corev1.Pod)
	key, now := pod.Namespace+"/"+pod.Name, stateOf(w.t, pod)
	was, known := w.view[key]
	sound := false
	switch kind {
	case "add":
		sound = !known
		w.view[key] = now
	case "update":
		before := stateOf(w.t, old.(*corev1.Pod))
		again := was == now // client-go repeats what it has after a list
		replaced := was.uid != now.uid && w.name == "client-go"
		sound = known && before == was && (again || replaced || was.uid == now.uid && was.version < now.version)
		w.view[key] = now
		if again {
			return
		}
	default:
		sound = known && (was.uid == now.uid || w.name == "client-go") && was.version <= now.version
		delete(w.view, key)
		now.gone = true
	}
	if !sound {
		w.t.Errorf("%s: %s of %s at %v does not follow from %v", w.name, kind, key, now, was)
	}
	if !strings.HasPrefix(kind, "missed") {
		w.told[key] = append(w.told[key], now)
	}
	stored, ok, err := w.inf.GetStore().GetByKey(key)
	if err != nil || ok && kind != "delete" && stateOf(w.t, stored.(*corev1.Pod)).version < now.version {
		w.t.Errorf("%s: the handler got %s at %v before the store, %v", w.name, key, now, err)
	}
}

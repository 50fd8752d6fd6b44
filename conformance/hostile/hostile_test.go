package hostile_test

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/conformance/hostile"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
)

var (
	goOn   = flag.Bool("hostile.all", false, "continue after a failure")
	runFor = flag.Duration("hostile.for", 0, "how long to continue with further scenes, in real time")
)

const (
	// usualScenes is the number of scenes without VEDETTE_CASES.
	usualScenes = 150
	// healBound is the maximum time until all informers have the true objects, after the servers
	// begin to behave: a silent body (3 minutes), three lists that are refused as too old, and the
	// longest pauses between them.
	healBound = 10 * time.Minute
	// liveBound is the maximum delay of a change after that.
	liveBound = 10 * time.Second
	// requestsPerMinute limits the requests of one scope that do not follow news: pauses begin
	// below a second and double, and an attempt may take discovery, a streaming list and a page.
	// The maximum in thousands of seeds is 58.
	requestsPerMinute = 120
	// heapBound is the maximum heap after thousands of servers.
	heapBound = 512 << 20
	// watchdog is the maximum real time for one scene. If fake time does not advance,
	// there is a loop without a request.
	watchdog = 2 * time.Minute
)

// TestHostileServers runs informers of all kinds against servers that are hostile for up to an hour
// of fake time each, and then behave.
func TestHostileServers(t *testing.T) {
	scenes := testinput.Cases(t, usualScenes)
	n := 0
	defer func() { t.Logf("%d scenes; at most %d requests of one scope in a minute", n, most) }()
	for began := time.Now(); n < scenes || time.Since(began) < *runFor; n++ {
		fmt.Println("hostile scene", n) // go test prints it if the process crashes
		alive := time.AfterFunc(watchdog, func() {
			debug.SetTraceback("all")
			buf := make([]byte, 1<<20)
			fmt.Fprintf(os.Stderr, "scene %d takes longer than %v\n%s\n", n, watchdog, buf[:runtime.Stack(buf, true)])
			os.Exit(3)
		})
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) { newScene(t, n, dir).play() })
		})
		alive.Stop()
		if t.Failed() && !*goOn {
			t.Fatalf("replay with: GOWORK=off go test -C conformance ./hostile -run 'TestHostileServers/^%d$'", n)
		}
	}
	runtime.GC()
	var m runtime.MemStats
	if runtime.ReadMemStats(&m); m.HeapAlloc > heapBound {
		t.Errorf("the heap has %d MiB", m.HeapAlloc>>20)
	}
}

// most is the maximum number of requests of a scope in a minute.
var most int

// scene is one test run.
type scene struct {
	t       *testing.T
	number  int
	dir     string
	random  *rand.Rand
	places  []*place
	cast    []subject
	factory *informer.Factory
	work    sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc
	kind    string
	streams bool // informers may use streaming lists
	bad     bool

	start    time.Time
	scopes   int // maximum number of followed scopes
	requests []int
}

// errorf reports a failure.
func (s *scene) errorf(format string, args ...any) {
	s.bad = true
	s.t.Errorf("%s: "+format, append([]any{s.kind}, args...)...)
}

func newScene(t *testing.T, number int, dir string) *scene {
	s := &scene{t: t, number: number, dir: dir, start: time.Now(), random: testinput.Rand(t)}
	s.ctx, s.cancel = context.WithCancel(t.Context())
	return s
}

// place adds a server.
func (s *scene) place() *place {
	name := fmt.Sprint("server-", len(s.places))
	server := hostile.New(name, s.random.Uint64())
	cluster, err := kube.Connect(kube.Config{REST: server.RESTConfig()})
	if err != nil {
		s.t.Fatal(err)
	}
	p := &place{server, cluster}
	s.places = append(s.places, p)
	return p
}

// config returns one of the configurations.
func (s *scene) config() informer.Config {
	cfg := informer.Config{Logger: slog.New(slog.DiscardHandler), Missing: informer.WaitIfMissing}
	if s.random.IntN(2) == 0 {
		cfg.Reflector.PageSize = int64(2 + s.random.IntN(5))
	}
	if s.random.IntN(4) == 0 && !s.streams {
		cfg.Reflector.Streaming = reflector.PagesOnly
	}
	if s.random.IntN(4) == 0 {
		cfg.Storage = informer.Live
	}
	return cfg
}

// play runs the scene.
func (s *scene) play() {
	defer s.close()
	one := s.place()
	life := 1
	var cast func()
	switch n := s.random.IntN(10); {
	case n < 3:
		s.kind = "one informer"
		cast = func() { s.cast = []subject{s.informer(one, nil)} }
	case n < 5:
		s.kind = "warm start"
		life = 2
		cast = func() {
			s.cast = []subject{s.informer(one, &informer.WarmStart{Path: filepath.Join(s.dir, "snapshot"), Every: time.Minute})}
		}
	case n < 7:
		s.kind = "factory"
		cast = func() { s.shared(one) }
	default:
		s.kind = "clusters"
		two := s.place()
		cast = func() { s.cast = []subject{s.across(one, two)} }
	}
	for range life {
		s.cast, s.factory = nil, nil
		cast()
		if s.bad || !s.act() {
			return
		}
	}
}

// close releases all resources.
func (s *scene) close() {
	s.cancel()
	s.work.Wait()
	for _, p := range s.places {
		p.cluster.Close()
		p.server.Close()
	}
	if s.bad {
		for _, p := range s.places {
			s.t.Logf("%s: actions of %v\n%s", s.kind, p.cluster.Host(), p.server.Script())
		}
	}
}

// informer makes an informer of any type.
func (s *scene) informer(at *place, warm *informer.WarmStart) subject {
	cfg := s.config()
	if warm != nil {
		cfg.WarmStart, cfg.Storage, cfg.Reflector.PageSize = *warm, informer.Packed, 0
	}
	if s.random.IntN(3) == 0 {
		cfg.Namespaces = hostile.Namespaces[:1+s.random.IntN(2)]
	}
	kind := s.random.IntN(5)
	if warm != nil {
		cfg.Namespaces, kind = nil, s.number%5 // the same before and after the restart
	}
	places := map[string]*place{"": at}
	switch kind {
	case 0:
		return newFollower(made(informer.Watch[corev1.Pod](at.cluster, cfg)), hostile.Pods, ofPod, places, cfg.Namespaces)
	case 1:
		cfg.Resource = "pods"
		return newFollower(made(informer.Watch[unstructured.Unstructured](at.cluster, cfg)), hostile.Pods, ofAny, places, cfg.Namespaces)
	case 2:
		cfg.Resource = "widgets.example.com"
		return newFollower(made(informer.Watch[unstructured.Unstructured](at.cluster, cfg)), hostile.Widgets, ofAny, places, cfg.Namespaces)
	case 3:
		cfg.Resource = "widgets.example.com"
		return newFollower(made(informer.Watch[Widget](at.cluster, cfg)), hostile.Widgets, ofWidget, places, cfg.Namespaces)
	}
	cfg.Resource = "widgets.example.com"
	return newFollower(made(informer.Watch[metav1.PartialObjectMetadata](at.cluster, cfg)), hostile.Widgets, ofMetadata, places, cfg.Namespaces)
}

// shared creates a factory with informers.
func (s *scene) shared(at *place) {
	s.factory = informer.NewFactory(at.cluster, informer.FactoryConfig{Logger: slog.New(slog.DiscardHandler)})
	pods := map[string]*place{"": at}
	cfg := s.config()
	s.cast = append(s.cast, newFollower(made(informer.For[corev1.Pod](s.factory, cfg)), hostile.Pods, ofPod, pods, nil))
	cfg.Resource = "widgets.example.com"
	s.cast = append(s.cast, newFollower(made(informer.For[Widget](s.factory, cfg)), hostile.Widgets, ofWidget, pods, nil))
	cfg.Resource = "pods"
	s.cast = append(s.cast, newFollower(made(informer.For[metav1.PartialObjectMetadata](s.factory, cfg)), hostile.Pods, ofMetadata, pods, nil))
}

// across creates an informer of two servers.
func (s *scene) across(one, two *place) subject {
	cfg := s.config()
	cfg.Resource = "widgets.example.com"
	f := newFollower(made(informer.Across[Widget](cfg)), hostile.Widgets, ofWidget, map[string]*place{}, nil)
	for name, at := range map[string]*place{"one": one, "two": two} {
		if err := f.add(name, at); err != nil {
			s.t.Fatal(err)
		}
	}
	return f
}

// made returns an informer, and fails if its configuration was illegal.
func made[T any](inf *informer.Informer[T], err error) *informer.Informer[T] {
	if err != nil {
		panic(err)
	}
	return inf
}

// act runs all informers through hostile times and good ones, and reports whether the
// invariants hold.
func (s *scene) act() bool {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	var running sync.WaitGroup
	for i, f := range s.cast {
		f.prepare(s.number + i)
	}
	if s.factory != nil {
		running.Go(func() {
			if err := s.factory.Run(ctx); err != nil {
				s.errorf("Run: %v", err)
			}
		})
	}
	for _, f := range s.cast {
		running.Go(func() {
			if err := f.run(ctx); err != nil {
				s.errorf("Run of %s: %v", f.name(), err)
			}
		})
	}
	s.scopes = max(s.scopes, len(s.cast)*3*len(s.places))
	ok := s.suffer(ctx) && s.recover(ctx)
	cancel()
	running.Wait()
	return ok
}

// suffer lets hostile time pass, and reports whether the invariants hold.
func (s *scene) suffer(ctx context.Context) bool {
	lasts := time.Duration(s.random.Int64N(int64(one(s.random, time.Minute, 10*time.Minute, time.Hour))))
	next := time.Now().Add(10 * time.Second)
	for until := time.Now().Add(lasts); time.Now().Before(until); {
		<-time.After(time.Duration(s.random.Int64N(int64(10 * time.Second))))
		switch n := s.random.IntN(20); {
		case n < 12:
			s.write()
		case n < 14 && s.factory == nil && strings.Contains(s.kind, "clusters"):
			s.churn(ctx)
		}
		if now := time.Now(); now.After(next) {
			next = now.Add(10 * time.Second)
			if !s.sample(now) {
				return false
			}
		}
	}
	return true
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (s *scene) write() {
	p := s.places[s.random.IntN(len(s.places))]
	p.server.Write(one(s.random, hostile.Pods, hostile.Widgets))
}

// churn changes the followed namespaces and clusters.
func (s *scene) churn(ctx context.Context) {
	f := s.cast[0]
	name := one(s.random, "one", "two")
	at := s.places[map[string]int{"one": 0, "two": 1}[name]]
	switch s.random.IntN(3) {
	case 0:
		if err := f.set(ctx, hostile.Namespaces[:s.random.IntN(4)]); err != nil {
			s.errorf("SetNamespaces: %v", err)
		}
	case 1:
		if f.remove(ctx, name) == nil {
			<-time.After(time.Duration(s.random.Int64N(int64(20 * time.Second))))
		}
		fallthrough
	default:
		// An error means that it already exists.
		_ = f.add(name, at)
	}
}

// sample checks all informers, and reports whether the invariants hold.
func (s *scene) sample(now time.Time) bool {
	for _, f := range s.cast {
		if wrong := f.sample(now); wrong != "" {
			s.errorf("%s after %v: %s", f.name(), now.Sub(s.start), wrong)
		}
	}
	total := 0
	for _, p := range s.places {
		c := p.server.Counts()
		if total += c.Requests - c.News; c.Overrun {
			s.errorf("a hot loop")
		}
	}
	s.requests = append(s.requests, total)
	const minute = 6 // samples
	if n := len(s.requests); n > minute {
		got := s.requests[n-1] - s.requests[n-1-minute]
		if most = max(most, got/s.scopes); got > requestsPerMinute*s.scopes {
			s.errorf("%d requests in a minute by %d scopes", got, s.scopes)
		}
	}
	return !s.bad
}

// recover makes the servers behave, and reports whether all informers get the true objects, and
// stay current.
func (s *scene) recover(ctx context.Context) bool {
	for _, p := range s.places {
		p.server.Behave()
	}
	for until := time.Now().Add(healBound); time.Now().Before(until); {
		<-time.After(10 * time.Second)
		if s.random.IntN(5) == 0 {
			s.write()
		}
		if !s.sample(time.Now()) {
			return false
		}
	}
	<-time.After(liveBound)
	if !s.compare("10 minutes after") {
		return false
	}
	for range 5 {
		s.write()
	}
	<-time.After(liveBound)
	return s.compare("during further changes, after")
}

func (s *scene) compare(when string) bool {
	synctest.Wait()
	for _, f := range s.cast {
		if wrong := f.compare(); wrong != "" {
			s.errorf("%s, %s the servers began to behave: %s", f.name(), when, wrong)
		}
	}
	return !s.bad
}

package controller_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/wire"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// world is a server and a cluster in fake time.
type world struct {
	t       *testing.T
	srv     *apitest.Server
	cluster *kube.Cluster
	factory *informer.Factory
	pods    *informer.Informer[corev1.Pod]
	maps    *informer.Informer[corev1.ConfigMap]
	work    sync.WaitGroup
	ctx     context.Context
	cancel  context.CancelFunc
	logs    logs
}

// inWorld runs script in fake time. Afterwards it stops everything that script has started,
// and waits for it.
func inWorld(t *testing.T, script func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := apitest.New(apitest.Config{Tokens: map[string]string{"0": "test", "1": "one", "2": "two", "3": "three"}})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		w := &world{t: t, srv: srv}
		w.cluster = w.connect("0")
		defer w.cluster.Close()
		w.factory = informer.NewFactory(w.cluster, informer.FactoryConfig{})
		w.pods = must[*informer.Informer[corev1.Pod]](t)(informer.For[corev1.Pod](w.factory, informer.Config{}))
		w.maps = must[*informer.Informer[corev1.ConfigMap]](t)(informer.For[corev1.ConfigMap](w.factory, informer.Config{}))
		w.ctx, w.cancel = context.WithCancel(t.Context())
		defer w.work.Wait()
		defer w.cancel()
		script(w)
	})
}

// connect connects as the user of a token.
func (w *world) connect(token string) *kube.Cluster {
	cfg := w.srv.RESTConfig()
	cfg.BearerToken = token
	return must[*kube.Cluster](w.t)(kube.Connect(kube.Config{REST: cfg}))
}

// must returns a value, or fails the test on an error.
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// controller returns a controller that runs the factory of the world.
func (w *world) controller(cfg controller.Config, sources ...controller.Source) *controller.Controller {
	w.t.Helper()
	cfg.Logger = slog.New(&w.logs)
	if cfg.Runners == nil {
		cfg.Runners = []controller.Runner{w.factory}
	}
	return must[*controller.Controller](w.t)(controller.New(cfg, sources...))
}

// run runs a controller until the end of the script or until stop. stop waits for its end.
func (w *world) run(c *controller.Controller) (stop func()) {
	ctx, cancel := context.WithCancel(w.ctx)
	done := make(chan struct{})
	w.work.Go(func() {
		defer close(done)
		if err := c.Run(ctx); err != nil {
			w.t.Errorf("Run: %v", err)
		}
	})
	return func() {
		cancel()
		<-done
	}
}

func (w *world) create(objects ...apitest.Object) {
	w.t.Helper()
	for _, obj := range objects {
		if _, err := w.srv.Create(obj); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) touch(name string) {
	w.t.Helper()
	_, err := apitest.Modify(w.srv, pod(name), func(p *corev1.Pod) { p.Status.Message += "." })
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) inject(f apitest.Fault) *apitest.Injection {
	w.t.Helper()
	return must[*apitest.Injection](w.t)(w.srv.Inject(f))
}

// stall makes the watches of a type send nothing.
func (w *world) stall(resource string) *apitest.Injection {
	return w.inject(apitest.Fault{Match: apitest.Match{Verb: apitest.VerbWatch, Resource: resource}, Times: apitest.Always, Action: apitest.Stall()})
}

func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

func configMap(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

func key(name string) wire.Key { return wire.Key{Namespace: "default", Name: name} }

// diary collects lines about what happened.
type diary struct {
	mu    sync.Mutex
	lines []string
}

func (d *diary) note(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lines = append(d.lines, fmt.Sprintf(format, args...))
}

// take returns the lines since the last call.
func (d *diary) take() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	lines := d.lines
	d.lines = nil
	return lines
}

// sorted is take in alphabetical order.
func (d *diary) sorted() []string { return slices.Sorted(slices.Values(d.take())) }

func equal[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n%v, want\n%v", what, got, want)
	}
}

// logs is a slog.Handler that keeps messages.
type logs struct {
	mu    sync.Mutex
	lines []string
}

func (l *logs) Enabled(context.Context, slog.Level) bool { return true }
func (l *logs) WithGroup(string) slog.Handler            { return l }

func (l *logs) WithAttrs(attrs []slog.Attr) slog.Handler { return logsWith{l, attrs} }

func (l *logs) Handle(ctx context.Context, r slog.Record) error {
	return logsWith{l, nil}.Handle(ctx, r)
}

// logsWith is logs with attributes that precede those of a message.
type logsWith struct {
	*logs
	attrs []slog.Attr
}

func (l logsWith) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logsWith{l.logs, slices.Concat(l.attrs, attrs)}
}

func (l logsWith) Handle(_ context.Context, r slog.Record) error {
	var line strings.Builder
	line.WriteString(r.Level.String() + " " + r.Message)
	for _, a := range l.attrs {
		line.WriteString(" " + a.String())
	}
	r.Attrs(func(a slog.Attr) bool {
		line.WriteString(" " + a.String())
		return true
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line.String())
	return nil
}

func (l *logs) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.lines)
}

// legal returns the value that a constructor made of a valid configuration.
func legal[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

package manager_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/manager"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// journal is a list of lines that any goroutine may extend.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(format string, args ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, fmt.Sprintf(format, args...))
}

func (j *journal) take() []string {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := j.lines
	j.lines = nil
	return all
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

// newManager returns a manager of a server, which serves nothing itself unless the
// configuration says so.
func newManager(t *testing.T, srv *apitest.Server, cfg manager.Config) *manager.Manager {
	t.Helper()
	cfg.Name, cfg.Kube.REST = "test", srv.RESTConfig()
	if cfg.Listen == "" {
		cfg.Listen = manager.NoListen
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	m, err := manager.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// addPods adds a controller of Pods that writes the keys into a journal.
func addPods(t *testing.T, m *manager.Manager, j *journal, cfg controller.Config) {
	t.Helper()
	pods, err := informer.For[corev1.Pod](m.Factory(), informer.Config{})
	if err != nil {
		t.Fatal(err)
	}
	cfg.Reconcile = func(_ context.Context, _ informer.View, r controller.Request) error {
		j.add("reconcile %s", r.Key.Name)
		return nil
	}
	if err := m.AddController(cfg, controller.Objects(pods)); err != nil {
		t.Fatal(err)
	}
}

// note adds a function that writes its start and its end into a journal.
func note(j *journal, name string) func(context.Context) error {
	return func(ctx context.Context) error {
		j.add("%s begins", name)
		<-ctx.Done()
		j.add("%s ends", name)
		return nil
	}
}

// TestOrder: parts start in order and stop in the opposite order, with the informers synced
// until the last reconcile has ended.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := apitest.Start(t, pod("one"))
		m := newManager(t, srv, manager.Config{})
		var j journal
		pods, err := informer.For[corev1.Pod](m.Factory(), informer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"first", "second"} {
			if err := m.AddFunc(name, note(&j, name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := m.AddController(controller.Config{Grace: time.Minute, Reconcile: func(ctx context.Context, _ informer.View, r controller.Request) error {
			j.add("reconcile begins")
			select {
			case <-time.After(30 * time.Second):
				j.add("reconcile ends, %d Pods", pods.Snapshot().Records().Len())
			case <-ctx.Done():
				j.add("reconcile is cut off")
			}
			return nil
		}}, controller.Objects(pods)); err != nil {
			t.Fatal(err)
		}
		if err := m.Ready(t.Context()); err == nil {
			t.Error("the manager is ready before Run")
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- m.Run(ctx) }()
		<-time.After(10 * time.Second)
		if err := m.Ready(t.Context()); err != nil {
			t.Errorf("the manager is not ready: %v", err)
		}
		if err := m.AddFunc("late", note(&j, "late")); !errors.Is(err, manager.ErrRunning) {
			t.Errorf("AddFunc after Run: got error %v", err)
		}
		if _, err := apitest.Modify(srv, pod("one"), func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} }); err != nil {
			t.Fatal(err)
		}
		if _, err := srv.Create(pod("two")); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
		want := []string{"first begins", "reconcile begins", "second begins", "reconcile ends, 2 Pods", "second ends", "first ends"}
		got := j.take()
		slices.Sort(got[:3]) // they start at about the same time
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if err := m.Run(t.Context()); !errors.Is(err, manager.ErrRunning) {
			t.Errorf("second Run: got error %v", err)
		}
	})
}

// TestFailure: the first part that fails ends Run, and its error has the name of the part.
func TestFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newManager(t, apitest.Start(t), manager.Config{})
		var j journal
		broken := errors.New("broken")
		for _, err := range []error{
			m.AddFunc("sound", note(&j, "sound")),
			m.AddFunc("done", func(context.Context) error { return nil }),
			m.AddFunc("the exporter", func(context.Context) error { <-time.After(time.Second); return broken }),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := m.Run(t.Context()); !errors.Is(err, broken) || !strings.Contains(err.Error(), "the exporter") {
			t.Errorf("got error %v, want that of the exporter", err)
		}
		if got, want := j.take(), []string{"sound begins", "sound ends"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestLeader: of two processes, one reconciles and calls the functions that lead. When it
// ends, the other takes over.
func TestLeader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := apitest.Start(t, pod("one"))
		var work sync.WaitGroup
		defer work.Wait()
		process := func(name string) (j *journal, stop func()) {
			j = &journal{}
			m := newManager(t, srv, manager.Config{Replicas: controller.Replicas{Mode: controller.LeaderElection, Identity: name}})
			addPods(t, m, j, controller.Config{})
			addPods(t, m, j, controller.Config{})
			if err := m.AddLeading("sweep", note(j, "sweep")); err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			work.Go(func() {
				if err := m.Run(ctx); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			})
			return j, cancel
		}
		one, stopOne := process("one")
		<-time.After(10 * time.Second)
		two, stopTwo := process("two")
		<-time.After(time.Minute)
		led := []string{"reconcile one", "reconcile one", "sweep begins"}
		if got := sorted(one.take()); !slices.Equal(got, led) {
			t.Errorf("the first process: got %q, want %q", got, led)
		}
		if got := two.take(); len(got) > 0 {
			t.Errorf("the second process: got %q, want nothing", got)
		}
		stopOne()
		<-time.After(10 * time.Second)
		if got := one.take(); !slices.Equal(got, []string{"sweep ends"}) {
			t.Errorf("the first process after its end: got %q", got)
		}
		if got := sorted(two.take()); !slices.Equal(got, led) {
			t.Errorf("the second process after the end of the first: got %q, want %q", got, led)
		}
		stopTwo()
	})
}

func sorted(lines []string) []string {
	slices.Sort(lines)
	return lines
}

// addresses collects the address that the log names.
type addresses struct {
	slog.Handler
	at chan string
}

func (a addresses) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Key == "address" {
			a.at <- attr.Value.String()
		}
		return true
	})
	return nil
}

func (addresses) Enabled(context.Context, slog.Level) bool { return true }

// TestServer: /healthz answers at once, /readyz says what is not ready, and /metrics has the
// metrics of informers, controllers and the program.
func TestServer(t *testing.T) {
	srv := apitest.Start(t, pod("one"))
	log := addresses{slog.DiscardHandler, make(chan string, 1)}
	m := newManager(t, srv, manager.Config{Listen: "127.0.0.1:0", Logger: slog.New(log)})
	var j journal
	addPods(t, m, &j, controller.Config{})
	var mu sync.Mutex
	warm := errors.New("the cache is cold")
	if err := m.AddCheck("cache", func(context.Context) error { mu.Lock(); defer mu.Unlock(); return warm }); err != nil {
		t.Fatal(err)
	}
	jobs := prometheus.NewCounter(prometheus.CounterOpts{Name: "trainjobs_started_total", Help: "Started jobs."})
	if err := m.AddMetrics(jobs); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- m.Run(ctx) }()
	at := "http://" + <-log.at
	get := func(path string) (int, string) {
		t.Helper()
		resp, err := http.Get(at + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if code, text := get("/healthz"); code != http.StatusOK || text != "ok\n" {
		t.Errorf("/healthz: got %d %q", code, text)
	}
	if code, text := get("/readyz"); code != http.StatusServiceUnavailable || !strings.Contains(text, "cache: the cache is cold") {
		t.Errorf("/readyz of a process that is not ready: got %d %q", code, text)
	}
	mu.Lock()
	warm = nil
	mu.Unlock()
	if err := m.Factory().WaitForSync(patience.Context(t, "the informers are synced")); err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "/readyz is OK", func() string {
		if code, text := get("/readyz"); code != http.StatusOK {
			return fmt.Sprintf("got %d %q", code, text)
		}
		return ""
	})
	_, text := get("/metrics")
	for _, want := range []string{"trainjobs_started_total 0", `controller="test"`, `informer="Pod.v1."`, "go_goroutines"} {
		if !strings.Contains(text, want) {
			t.Errorf("/metrics has no %s:\n%s", want, text)
		}
	}
	if code, _ := get("/"); code != http.StatusNotFound {
		t.Errorf("another path: got %d, want 404", code)
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("Run: %v", err)
	}
}

// TestConfig: invalid configurations are errors that name the field.
func TestConfig(t *testing.T) {
	srv := apitest.Start(t)
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	for want, cfg := range map[string]manager.Config{
		"Config.Name":             {Kube: kube.Config{REST: srv.RESTConfig()}},
		"Config.Replicas.Cluster": {Name: "x", Kube: kube.Config{REST: srv.RESTConfig()}, Replicas: controller.Replicas{Cluster: cluster}},
		"kubeconfig":              {Name: "x", Kube: kube.Config{Kubeconfig: "/does/not/exist"}},
		"LeaseDuration":           {Name: "x", Kube: kube.Config{REST: srv.RESTConfig()}, Replicas: controller.Replicas{Mode: controller.LeaderElection, LeaseDuration: 1}},
	} {
		if _, err := manager.New(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got error %v, want one about %s", err, want)
		}
	}
	m := newManager(t, srv, manager.Config{Listen: "256.0.0.1:1"})
	if err := m.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "Config.Listen") {
		t.Errorf("an impossible address: got error %v", err)
	}
	m = newManager(t, srv, manager.Config{})
	var j journal
	addPods(t, m, &j, controller.Config{Name: "pods"})
	if err := m.AddController(controller.Config{Name: "pods"}); err == nil || !strings.Contains(err.Error(), `"pods"`) {
		t.Errorf("a name that is taken: got error %v", err)
	}
}

package controller_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
)

// page collects the output of the default logger.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

// take returns the lines that have a level and contain a text.
func (p *page) take(level slog.Level, text string) (lines []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(p.text.String()) {
		if strings.Contains(line, "level="+level.String()) && strings.Contains(line, text) {
			lines = append(lines, line)
		}
	}
	return lines
}

// byDefault makes the default logger write to a page.
func byDefault(t *testing.T) *page {
	t.Helper()
	p := &page{}
	before, out, flags := slog.Default(), log.Writer(), log.Flags()
	slog.SetDefault(slog.New(slog.NewTextHandler(p, nil)))
	t.Cleanup(func() {
		slog.SetDefault(before)
		log.SetOutput(out)
		log.SetFlags(flags)
	})
	return p
}

// says checks that there is exactly one line with the level and the text, and that it
// contains all wanted texts.
func (p *page) says(t *testing.T, level slog.Level, text string, want ...string) {
	t.Helper()
	lines := p.take(level, text)
	if len(lines) != 1 {
		t.Errorf("got %d lines with %q, want one:\n%s", len(lines), text, p.text.String())
		return
	}
	for _, w := range want {
		if !strings.Contains(lines[0], w) {
			t.Errorf("line %q does not contain %q", lines[0], w)
		}
	}
}

// TestFaultsAreLogged: a controller that cannot work logs the reason within 10 seconds,
// without any configuration.
func TestFaultsAreLogged(t *testing.T) {
	nothing := func(context.Context, informer.View, controller.Request) error { return nil }
	for name, c := range map[string]struct {
		cfg  apitest.Config
		what string
		run  bool
		want []string
	}{
		"without rights":               {apitest.Config{Authorize: func(apitest.Request) error { return errors.New("alice may not") }}, "pods", true, []string{"fault=denied", "remedy=\"request the verbs list and watch"}},
		"a type that is not served":    {apitest.Config{}, "trainjobs.example.com", true, []string{"fault=absent", "remedy="}},
		"an informer that nobody runs": {apitest.Config{}, "pods", false, []string{"an informer that is not running", "controller.Config.Runners"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := byDefault(t)
				srv := must[*apitest.Server](t)(apitest.New(c.cfg))
				defer srv.Close()
				cluster := must[*kube.Cluster](t)(kube.Connect(kube.Config{REST: srv.RESTConfig()}))
				defer cluster.Close()
				inf := must[*informer.Informer[unstructured.Unstructured]](t)(informer.Watch[unstructured.Unstructured](cluster, informer.Config{Resource: c.what, Missing: informer.WaitIfMissing}))
				cfg := controller.Config{Reconcile: nothing}
				if c.run {
					cfg.Runners = []controller.Runner{inf}
				}
				ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
				defer cancel()
				if err := must[*controller.Controller](t)(controller.New(cfg, controller.Objects(inf))).Run(ctx); err != nil {
					t.Errorf("Run: %v", err)
				}
				p.says(t, slog.LevelWarn, "informer: ", append(c.want, c.what)...)
				p.says(t, slog.LevelWarn, "controller: nothing is reconciled", "controller=controller", c.what, "err=")
			})
		})
	}
}

// TestLeaseFaultsAreLogged: a replica without rights on Leases logs the beginning and the
// end of the fault, once each.
func TestLeaseFaultsAreLogged(t *testing.T) {
	for name, mode := range map[string]controller.ReplicaMode{"one leads": controller.LeaderElection, "they share": controller.Sharding} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(w *world) {
				p := byDefault(t)
				forbidden := must[*apitest.Injection](t)(w.srv.Inject(apitest.Fault{
					Match: apitest.Match{Resource: "leases"}, Times: apitest.Always, Action: apitest.Respond(apitest.Failure(403, 0)),
				}))
				c := must[*controller.Controller](t)(controller.New(controller.Config{
					Reconcile: func(context.Context, informer.View, controller.Request) error { return nil },
					Runners:   []controller.Runner{w.factory},
					Replicas:  controller.Replicas{Mode: mode, Cluster: w.cluster},
				}, controller.Objects(w.pods)))
				w.run(c)
				pass(10 * time.Second)
				p.says(t, slog.LevelWarn, "Leases cannot be used", "remedy=\"grant the verbs", "namespace=default", "host=")
				pass(10 * time.Minute)
				if n := len(p.take(slog.LevelWarn, "")); n > 2 { // listing and writing may fail
					t.Errorf("got %d lines in 10 minutes, want at most 2:\n%s", n, p.text.String())
				}
				forbidden.Release()
				pass(time.Minute)
				p.says(t, slog.LevelInfo, "Leases can be used again", "after=10m")
				if h := c.Health(); h.Replica.Err != nil || !h.Replica.Active {
					t.Errorf("want an active replica without an error: %+v", h.Replica)
				}
			})
		})
	}
}

// TestCleanStop: in the idiom of the documentation, a stop returns nil, and the program
// continues after it.
func TestCleanStop(t *testing.T) {
	inWorld(t, func(w *world) {
		pods := must[*informer.Informer[corev1.Pod]](t)(informer.Watch[corev1.Pod](w.cluster, informer.Config{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))}))
		ctx, cancel := context.WithTimeout(w.ctx, time.Minute)
		defer cancel()
		if err := controller.Reconcile(ctx, pods, func(context.Context, informer.View, controller.Request) error { return nil }); err != nil {
			t.Errorf("Reconcile after a clean stop: got %v, want nil", err)
		}
	})
}

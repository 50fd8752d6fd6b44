package manager_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/manager"
)

// panickingCollector panics in each scrape.
type panickingCollector struct{ prometheus.Counter }

// Collect implements prometheus.Collector.
func (panickingCollector) Collect(chan<- prometheus.Metric) { panic("on purpose") }

// TestPanickingParts: a panic of a function ends Run with the panic after the other parts
// have ended; that of a check is a reason not to be ready; that of a collector is logged once.
func TestPanickingParts(t *testing.T) {
	part := func(context.Context) error { panic("on purpose") }
	for name, add := range map[string]func(*manager.Manager) error{
		"AddFunc":    func(m *manager.Manager) error { return m.AddFunc("part", part) },
		"AddServer":  func(m *manager.Manager) error { return m.AddServer("part", part) },
		"AddLeading": func(m *manager.Manager) error { return m.AddLeading("part", part) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newManager(t, apitest.Start(t), manager.Config{Replicas: controller.Replicas{Mode: controller.LeaderElection, Identity: "a"}})
				var j journal
				if err := errors.Join(m.AddServer("sound", note(&j, "sound")), add(m)); err != nil {
					t.Fatal(err)
				}
				var p *informer.PanicError
				if err := m.Run(t.Context()); !errors.As(err, &p) || !strings.Contains(err.Error(), "part has failed") {
					t.Errorf("Run returned %v, want the panic", err)
				}
				if got, want := j.take(), []string{"sound begins", "sound ends"}; !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
			})
		})
	}
	t.Run("AddCheck", func(t *testing.T) {
		m := newManager(t, apitest.Start(t), manager.Config{})
		if err := m.AddCheck("cache", part); err != nil {
			t.Fatal(err)
		}
		if err := m.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "cache: panic: on purpose") {
			t.Errorf("Ready returned %v, want the panic", err)
		}
	})
	t.Run("AddMetrics", func(t *testing.T) {
		log := addresses{slog.DiscardHandler, make(chan string, 1)}
		m := newManager(t, apitest.Start(t), manager.Config{Listen: "127.0.0.1:0", Logger: slog.New(log)})
		if err := m.AddMetrics(panickingCollector{prometheus.NewCounter(prometheus.CounterOpts{Name: "broken", Help: "-"})}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- m.Run(ctx) }()
		resp, err := http.Get("http://" + <-log.at + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("got status %d, want 200", resp.StatusCode)
		}
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run returned %v", err)
		}
	})
}

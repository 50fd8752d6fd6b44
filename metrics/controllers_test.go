package metrics_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/controller"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/metrics"
	"github.com/vedette-io/vedette/workqueue"
)

// TestControllers checks the metrics of a controller that leads, and of a queue.
func TestControllers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv, err := apitest.New(apitest.Config{})
		if err != nil {
			t.Fatal(err)
		}
		defer srv.Close()
		cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
		if err != nil {
			t.Fatal(err)
		}
		defer cluster.Close()
		pods := must(informer.Watch[corev1.Pod](cluster, informer.Config{}))
		c, err := controller.New(controller.Config{
			Name: "pods", Runners: []controller.Runner{pods}, Logger: slog.New(slog.DiscardHandler),
			Replicas: controller.Replicas{Mode: controller.LeaderElection, Cluster: cluster},
			Reconcile: func(_ context.Context, _ informer.View, r controller.Request) error {
				<-time.After(2 * time.Second)
				switch {
				case r.Key.Name == "bad" && r.Attempt == 1:
					return errors.New("not now")
				case r.Key.Name == "lost":
					return controller.Terminal(errors.New("never"))
				}
				return nil
			},
		}, controller.Objects(pods))
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- c.Run(ctx) }()
		<-time.After(time.Second)
		for _, name := range []string{"bad", "good", "lost"} {
			if _, err := srv.Create(pod(name)); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(time.Minute)
		synctest.Wait()
		other := workqueue.New(workqueue.Config[string]{})
		if err := other.AddWith(ctx, "x", workqueue.Options{Priority: 3}); err != nil {
			t.Fatal(err)
		}
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(metrics.NewControllers(func() []controller.Health { return []controller.Health{c.Health()} }))
		registry.MustRegister(metrics.NewQueues(func() map[string]workqueue.Stats { return map[string]workqueue.Stats{"other": other.Stats()} }))
		want := `
# HELP vedette_controller_reconciles_total Reconciles that have ended, by outcome.
# TYPE vedette_controller_reconciles_total counter
vedette_controller_reconciles_total{controller="pods",outcome="again"} 0
vedette_controller_reconciles_total{controller="pods",outcome="done"} 2
vedette_controller_reconciles_total{controller="pods",outcome="failed"} 1
vedette_controller_reconciles_total{controller="pods",outcome="interrupted"} 0
vedette_controller_reconciles_total{controller="pods",outcome="terminal"} 1
# HELP vedette_controller_ready 1 if the controller works, or waits for its turn among replicas.
# TYPE vedette_controller_ready gauge
vedette_controller_ready{controller="pods"} 1
# HELP vedette_controller_replica_active 1 if this replica has keys.
# TYPE vedette_controller_replica_active gauge
vedette_controller_replica_active{controller="pods"} 1
# HELP vedette_controller_queue_retries_total Items that were retried.
# TYPE vedette_controller_queue_retries_total counter
vedette_controller_queue_retries_total{controller="pods"} 1
`
		if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "vedette_controller_reconciles_total", "vedette_controller_ready",
			"vedette_controller_replica_active", "vedette_controller_queue_retries_total"); err != nil {
			t.Error(err)
		}
		want = `
# HELP vedette_workqueue_depth Items that wait, by priority.
# TYPE vedette_workqueue_depth gauge
vedette_workqueue_depth{priority="3",workqueue="other"} 1
`
		if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "vedette_workqueue_depth"); err != nil {
			t.Error(err)
		}
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range families {
			if f.GetName() == "vedette_controller_queue_work_duration_seconds" {
				if h := f.GetMetric()[0].GetHistogram(); h.GetSampleCount() != 4 || h.GetSampleSum() != 8 {
					t.Errorf("got the work %v, want 4 samples with a sum of 8 s", h)
				}
			}
		}
		if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
			t.Errorf("got problems %v and error %v, want neither", problems, err)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// must returns the value that a constructor made of a valid configuration.
func must[T any](made T, err error) T {
	if err != nil {
		panic(err)
	}
	return made
}

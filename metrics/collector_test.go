package metrics_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/metrics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func pod(name string) *corev1.Pod {
	return &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

// TestCollector checks the metrics after a few events, an outage and a handler that failed.
func TestCollector(t *testing.T) {
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
		if _, err := srv.Create(pod("listed")); err != nil { // a late report of a listed object is not a lag
			t.Fatal(err)
		}
		f := informer.NewFactory(cluster, informer.FactoryConfig{})
		pods, err := informer.For[corev1.Pod](f, informer.Config{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := informer.For[corev1.Pod](f, informer.Config{Storage: informer.Live}); err != nil {
			t.Fatal(err)
		}
		if _, err := pods.Handle(informer.Handler[corev1.Pod]{OnAdd: func(context.Context, *corev1.Pod, bool) error {
			return fmt.Errorf("no")
		}}, informer.HandlerConfig{Name: "failing", Report: func(error) {}}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- f.Run(ctx) }()
		if err := f.WaitForSync(ctx); err != nil {
			t.Fatal(err)
		}
		synctest.Wait() // both watch: objects in a list are not a lag
		for i := range 3 {
			if _, err := srv.Create(pod(fmt.Sprint("pod-", i))); err != nil {
				t.Fatal(err)
			}
		}
		<-time.After(time.Second)
		synctest.Wait()
		srv.Unavailable()
		synctest.Wait()
		registry := prometheus.NewPedanticRegistry()
		registry.MustRegister(metrics.New(f.List))
		want := `
# HELP vedette_informer_objects Objects in the store.
# TYPE vedette_informer_objects gauge
vedette_informer_objects{informer="Pod.v1."} 4
vedette_informer_objects{informer="Pod.v1. #2"} 4
# HELP vedette_informer_fault 1 for the current fault.
# TYPE vedette_informer_fault gauge
vedette_informer_fault{fault="unreachable",informer="Pod.v1.",scope="all"} 1
vedette_informer_fault{fault="unreachable",informer="Pod.v1. #2",scope="all"} 1
# HELP vedette_informer_handler_failures_total Calls of a handler that failed, panics included.
# TYPE vedette_informer_handler_failures_total counter
vedette_informer_handler_failures_total{handler="failing",informer="Pod.v1."} 4
# HELP vedette_informer_watch_restarts_total Watches that ended and were opened again.
# TYPE vedette_informer_watch_restarts_total counter
vedette_informer_watch_restarts_total{informer="Pod.v1.",scope="all"} 1
vedette_informer_watch_restarts_total{informer="Pod.v1. #2",scope="all"} 1
`
		if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "vedette_informer_objects", "vedette_informer_fault",
			"vedette_informer_handler_failures_total", "vedette_informer_watch_restarts_total"); err != nil {
			t.Error(err)
		}
		if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
			t.Errorf("got problems %v and error %v, want neither", problems, err)
		}
		lags := 0
		families, err := registry.Gather()
		if err != nil {
			t.Fatal(err)
		}
		for _, family := range families {
			if strings.HasSuffix(family.GetName(), "_lag_seconds") {
				for _, m := range family.GetMetric() {
					lags += int(m.GetHistogram().GetSampleCount())
				}
			}
		}
		if lags != 3+3+3 {
			t.Errorf("got %d lags, want one for each event in two stores and one handler", lags)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// Example registers the informers of a factory in a new registry.
func Example() {
	var factory informer.Factory // from informer.NewFactory
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics.New(factory.List))
	families, err := registry.Gather() // or serve it with promhttp.HandlerFor
	fmt.Fprintln(os.Stdout, len(families), err)
	// Output: 0 <nil>
}

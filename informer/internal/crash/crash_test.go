package crash_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"os/exec"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// variable names the function that panics in a child process.
const variable = "VEDETTE_TEST_CRASH"

// TestCrashOnPanic runs itself in a child process, which must crash with the panic of each
// function.
func TestCrashOnPanic(t *testing.T) {
	if place := os.Getenv(variable); place != "" {
		synctest.Test(t, func(t *testing.T) { crash(t, place) })
		return
	}
	testinput.Uncached(t)
	for _, place := range []string{"filter", "index", "transform", "handler"} {
		t.Run(place, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestCrashOnPanic$")
			cmd.Env = append(os.Environ(), variable+"="+place)
			out, err := cmd.CombinedOutput()
			if err == nil || !bytes.Contains(out, []byte("panic: on purpose")) {
				t.Errorf("the process ended with %v, want the panic\n%s", err, out)
			}
		})
	}
}

// crash runs an informer with functions of the user, one of which panics.
func crash(t *testing.T, place string) {
	srv, err := apitest.New(apitest.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	if _, err := srv.Create(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "bad"}}); err != nil {
		t.Fatal(err)
	}
	bad := func(here string) {
		if here == place {
			panic("on purpose")
		}
	}
	cfg := informer.Config{Panics: informer.CrashOnPanic, Logger: slog.New(slog.DiscardHandler)}
	if place == "transform" { // else the others would see the transformed object
		cfg.Transform = func(rec wire.Record) (wire.Record, error) {
			bad("transform")
			return rec, nil
		}
	}
	inf, err := informer.Watch[corev1.Pod](cluster, cfg)
	if err != nil {
		t.Fatal(err)
	}
	informer.IndexBy(inf, func(p *corev1.Pod) string { bad("index"); return p.Spec.NodeName })
	filter := informer.Where(func(store.Entry) bool { bad("filter"); return true })
	if _, err := inf.Handle(informer.Handler[corev1.Pod]{OnAdd: func(context.Context, *corev1.Pod, bool) error {
		bad("handler")
		return nil
	}}, informer.HandlerConfig{Panics: informer.CrashOnPanic, Subscription: informer.SubscriptionConfig{Filters: []informer.Filter{filter}}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- inf.Run(ctx) }()
	<-inf.Synced()
	synctest.Wait()
	cancel()
	t.Errorf("no panic; Run returned %v", <-ended)
}

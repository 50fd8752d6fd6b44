package retention_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/retention"
	"github.com/vedette-io/vedette/wire"
)

// record runs a recorder of pods until the test ends.
func (d *database) record(t *testing.T, srv *apitest.Server) {
	t.Helper()
	cluster, err := kube.Connect(kube.Config{REST: srv.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	r, err := record.New(d.DB, record.Config{Cluster: cluster, Targets: []record.Target{{Type: "pods"}}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}

// TestPruneBesideRecorder checks that retention keeps the keyframe that the next revision
// of a recorder will differ from, however old it is.
func TestPruneBesideRecorder(t *testing.T) {
	each(t, func(t *testing.T, d *database) {
		srv, err := apitest.New(apitest.Config{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(srv.Close)
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ml", Name: "a", Annotations: map[string]string{"long": fmt.Sprint(slices.Repeat([]string{"as before"}, 100))}}}
		for _, obj := range []apitest.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}}, pod} {
			if _, err := srv.Create(obj); err != nil {
				t.Fatal(err)
			}
		}
		d.record(t, srv)
		d.Until("SELECT to_state FROM transitions", "Queued")
		for i := range 6 {
			phase := []corev1.PodPhase{corev1.PodRunning, corev1.PodPending}[i%2]
			for j := range 5 {
				if _, err := apitest.Modify(srv, pod, func(p *corev1.Pod) { p.Status.Phase, p.Status.Message = phase, fmt.Sprint(i, j) }); err != nil {
					t.Fatal(err)
				}
			}
			d.Until("SELECT message FROM objects", fmt.Sprint(i, 4))
			if _, err := retention.PruneAt(t.Context(), d.DB, retention.Policy{Keep: time.Nanosecond}, time.Now().Add(time.Hour), 10, 10); err != nil {
				t.Fatal(err)
			}
			for _, row := range d.Rows("SELECT o.uid, r.version FROM revisions r JOIN objects o ON o.id = r.object_id") {
				uid, version := split(row)
				if _, err := d.Body(t.Context(), uid, wire.Version(version)); err != nil {
					t.Errorf("round %d, version %d: %v", i, version, err)
				}
			}
		}
		if n := len(d.Rows("SELECT version FROM revisions")); n > 2 {
			t.Errorf("got %d remaining revisions, want at most 2", n)
		}
	})
}

package rights_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// TestUIDRanges records the ConfigMaps of a real API server in four UID ranges, with the
// feature gate ShardedListAndWatch and without it. With the gate the server selects, and no
// object is skipped. In both cases each object is recorded once, and its deletion too.
func TestUIDRanges(t *testing.T) {
	for _, selects := range []bool{true, false} {
		t.Run(fmt.Sprintf("gate=%v", selects), func(t *testing.T) {
			t.Parallel()
			var flags []string // the gate is off by default
			if selects {
				controlplane.Needs(t, "1.36", "lists and watches of UID ranges")
				flags = append(flags, "--feature-gates=ShardedListAndWatch=true")
			}
			c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly, APIServer: flags})
			client, err := kubernetes.NewForConfig(c.RESTConfig())
			if err != nil {
				t.Fatal(err)
			}
			const n = 100
			create := func(from, to int) {
				for i := from; i < to; i++ {
					m := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("c-%03d", i), Labels: map[string]string{"of": "test"}}}
					if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), m, metav1.CreateOptions{}); err != nil {
						t.Fatal(err)
					}
				}
			}
			create(0, n/2)
			d, r, stop := recordRanges(t, c)
			const objects = "SELECT COUNT(*) FROM objects WHERE namespace = 'default' AND name LIKE 'c-%' AND presence = "
			awaitCount(t, d, objects+"0", n/2) // present
			create(n/2, n)
			for i := range n / 4 {
				if err := client.CoreV1().ConfigMaps("default").Delete(t.Context(), fmt.Sprintf("c-%03d", 2*i), metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			awaitCount(t, d, objects+"1", n/4) // deleted
			awaitCount(t, d, objects+"0", n-n/4)
			awaitCount(t, d, "SELECT COUNT(*) FROM gaps", 0)
			var skipped, listed uint64
			for _, target := range r.Health().Targets {
				skipped += target.Reflector.Skipped
				listed += uint64(target.Reflector.Listed)
			}
			if selects && skipped != 0 || !selects && skipped == 0 {
				t.Errorf("%d objects were skipped, and the lists had %d", skipped, listed)
			}
			t.Logf("gate %v: %d objects skipped", selects, skipped)
			stop()
		})
	}
}

// recordRanges records ConfigMaps in four UID ranges, into SQLite, until stop is called.
func recordRanges(t *testing.T, c *controlplane.Cluster) (d *sqldb.DB, r *record.Recorder, stop func()) {
	t.Helper()
	d, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "history.db"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	cluster, err := kube.Connect(kube.Config{REST: c.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	r, err = record.New(d, record.Config{
		Cluster: cluster, Targets: record.Target{Type: "configmaps"}.Divide(4), Logger: slog.New(slog.NewTextHandler(t.Output(), nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- r.Run(ctx) }()
	return d, r, func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

// awaitCount waits until a query returns a number.
func awaitCount(t *testing.T, d *sqldb.DB, query string, want int) {
	t.Helper()
	patience.Until(t, query, func() string {
		got := 0
		if err := d.QueryRow(t.Context(), query).Scan(&got); err != nil {
			return err.Error()
		}
		if got != want {
			return fmt.Sprintf("got %d, want %d", got, want)
		}
		return ""
	})
}

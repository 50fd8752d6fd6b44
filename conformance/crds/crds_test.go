package crds_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/crds"
	"github.com/vedette-io/vedette/kube"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// TestInstall: the server serves all definitions.
func TestInstall(t *testing.T) {
	c := controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly})
	cluster, err := kube.Connect(kube.Config{REST: c.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	crds.Install(t, cluster, crds.Names()...)
	for _, name := range crds.Names() {
		if r, err := cluster.Resolve(t.Context(), name); err != nil || r.String() == "" {
			t.Errorf("%s: %v, %v", name, r, err)
		}
	}
}

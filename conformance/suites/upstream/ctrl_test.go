package upstream_test

import (
	"fmt"
	"testing"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/suites/upstream"
)

// TestControllerRuntime runs the suites of controller-runtime on a real API server. Ginkgo runs a
// suite once per process, and the suites leave objects behind that they do not expect. So each run
// has its own process and server.
func TestControllerRuntime(t *testing.T) {
	for _, suite := range []upstream.Suite{upstream.CtrlCache, upstream.CtrlSource, upstream.CtrlController} {
		for _, e := range upstream.Engines(*engines) {
			t.Run(suite.Name+"/"+string(e), func(t *testing.T) {
				copied := generate(t, suite, e)
				for n := range *count {
					t.Run(fmt.Sprint("run ", n+1), func(t *testing.T) {
						cluster := controlplane.ForTest(t, controlplane.Options{
							Parts: controlplane.APIServerOnly, Nodes: -1,
							APIServer: []string{"--disable-admission-plugins=ServiceAccount", "--allow-privileged=true"},
						})
						runCopy(t, copied, 1, "USE_EXISTING_CLUSTER=true", "KUBECONFIG="+cluster.Kubeconfig())
					})
				}
			})
		}
	}
}

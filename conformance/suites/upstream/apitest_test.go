package upstream_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/conformance/suites/upstream"
)

// TestClient runs the tests of controller-runtime's client against package apitest.
func TestClient(t *testing.T) {
	copied := generate(t, upstream.CtrlClient, upstream.Ours)
	srv := apitest.StartWith(t, apitest.Config{
		SystemNamespaces: true, CheckNamespaces: true, Ownership: apitest.OwnershipAlways, Tokens: map[string]string{"secret": "tester"},
		Types: []apitest.Type{
			{Group: "chaosapps.metamagical.io", Version: "v1", Kind: "ChaosPod", Resource: "chaospods", Namespaced: true},
		},
	})
	text, err := srv.Kubeconfig("secret")
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, text, 0o600); err != nil {
		t.Fatal(err)
	}
	runCopy(t, copied, 1, "USE_EXISTING_CLUSTER=true", "KUBECONFIG="+kubeconfig)
	if copied.Passed < 280 {
		t.Errorf("%d specs passed, want at least 280", copied.Passed)
	}
}

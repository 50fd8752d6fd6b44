package upstream_test

import (
	"path/filepath"
	"testing"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

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
	url, authority, err := srv.ListenTLS("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["apitest"] = &clientcmdapi.Cluster{Server: url, CertificateAuthorityData: authority}
	cfg.AuthInfos["tester"] = &clientcmdapi.AuthInfo{Token: "secret"}
	cfg.Contexts["apitest"] = &clientcmdapi.Context{Cluster: "apitest", AuthInfo: "tester"}
	cfg.CurrentContext = "apitest"
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*cfg, kubeconfig); err != nil {
		t.Fatal(err)
	}
	runCopy(t, copied, 1, "USE_EXISTING_CLUSTER=true", "KUBECONFIG="+kubeconfig)
	if copied.Passed < 280 {
		t.Errorf("%d specs passed, want at least 280", copied.Passed)
	}
}

package submit_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/gobuild"
	"github.com/vedette-io/vedette/kube"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m, controlplane.IgnoreSpawner()) }

// TestSubmit has one control plane for all tests, and a namespace for each.
func TestSubmit(t *testing.T) {
	s := newStage(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *stage)
	}{
		{"once", testOnce}, {"bad-input", testBadInput}, {"rights", testRights}, {"wrong-image", testWrongImage}, {"recorded", testRecorded},
	} {
		t.Run(test.name, func(t *testing.T) {
			here := *s
			here.namespace = "team-" + test.name
			here.addNamespace(t, here.namespace)
			test.run(t, &here)
		})
	}
}

// stage is a control plane with a namespace for jobs.
type stage struct {
	plane     *controlplane.Cluster
	client    *kubernetes.Clientset
	program   string
	namespace string
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{plane: controlplane.ForTest(t, controlplane.Options{Parts: controlplane.APIServerOnly}), program: gobuild.Program(t, gobuild.Vedette)}
	client, err := kubernetes.NewForConfig(s.plane.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	s.client = client
	t.Cleanup(client.RESTClient().(*rest.RESTClient).Client.CloseIdleConnections)
	return s
}

func (s *stage) addNamespace(t *testing.T, name string) {
	t.Helper()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := s.client.CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// connect connects to the control plane, or to a proxy of it.
func (s *stage) connect(t *testing.T, rc *rest.Config) *kube.Cluster {
	t.Helper()
	cluster, err := kube.Connect(kube.Config{REST: rc, Namespace: s.namespace})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

// jobs returns the jobs of the namespace.
func (s *stage) jobs(t *testing.T) []batchv1.Job {
	t.Helper()
	all, err := s.client.BatchV1().Jobs(s.namespace).List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return all.Items
}

// kubeconfig writes a kubeconfig of a user whose only rights are granted by the test; an
// empty name is the administrator.
func (s *stage) kubeconfig(t *testing.T, user string) string {
	t.Helper()
	rc := s.plane.RESTConfig()
	cfg := clientcmdapi.NewConfig()
	cfg.Clusters["c"] = &clientcmdapi.Cluster{Server: rc.Host, CertificateAuthority: rc.CAFile}
	cfg.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: rc.BearerToken, Impersonate: user}
	cfg.Contexts["c"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u", Namespace: s.namespace}
	cfg.CurrentContext = "c"
	path := filepath.Join(t.TempDir(), "config")
	if err := clientcmd.WriteToFile(*cfg, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs a command of the program to its end. Text is its standard input.
func (s *stage) run(t *testing.T, kubeconfig, text string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.program, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig, "TZ=UTC")
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(text), &out, &errs
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

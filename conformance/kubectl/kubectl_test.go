// Package kubectl runs kubectl against package apitest.
package kubectl

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubectl/pkg/cmd"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
)

// program makes this test binary kubectl.
const program = "VEDETTE_TEST_KUBECTL"

func TestMain(m *testing.M) {
	if os.Getenv(program) != "" {
		if err := cmd.NewDefaultKubectlCommand().Execute(); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// terminal runs kubectl with a kubeconfig.
type terminal struct {
	t          *testing.T
	kubeconfig string
}

// start starts kubectl against a server.
func start(t *testing.T, srv *apitest.Server) *terminal {
	t.Helper()
	text, err := srv.Kubeconfig("secret")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return &terminal{t, path}
}

// run runs kubectl and returns its output.
func (k *terminal) run(input string, args ...string) (string, error) {
	k.t.Helper()
	testinput.Uncached(k.t)
	c := exec.CommandContext(k.t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), program+"=1", "KUBECONFIG="+k.kubeconfig, "HOME="+k.t.TempDir())
	c.Stdin = strings.NewReader(input)
	var out bytes.Buffer
	c.Stdout, c.Stderr = &out, &out
	err := c.Run()
	return out.String(), err
}

// says fails the test unless kubectl succeeds and says all texts.
func (k *terminal) says(input, args string, texts ...string) {
	k.t.Helper()
	out, err := k.run(input, strings.Fields(args)...)
	if err != nil {
		k.t.Errorf("kubectl %s: %v\n%s", args, err, out)
		return
	}
	for _, text := range texts {
		if !strings.Contains(out, text) {
			k.t.Errorf("kubectl %s: %q is missing:\n%s", args, text, out)
		}
	}
}

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: nginx}]}
`

// TestKubectl: the commands of everyday work.
func TestKubectl(t *testing.T) {
	srv := apitest.StartWith(t, apitest.Config{
		SystemNamespaces: true, Tokens: map[string]string{"secret": "ann"}, Ownership: apitest.OwnershipAlways,
		Types: []apitest.Type{{Group: "example.com", Version: "v1", Kind: "TrainJob", Resource: "trainjobs", ShortNames: []string{"tj"}, Namespaced: true, Status: true}},
	}, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "train", Labels: map[string]string{"app": "train"}},
		Spec:       corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{Name: "main", Image: "train"}, {Name: "side", Image: "log"}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{
			{Name: "main", Ready: true, RestartCount: 3, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}, {Name: "side"},
		}},
	})
	k := start(t, srv)
	k.says("", "get --raw /version", `"gitVersion":"v1.37.0"`)
	k.says("", "get namespaces", "NAME", "kube-system", "AGE")
	k.says("", "get pods", "NAME", "READY", "STATUS", "RESTARTS", "train", "1/2", "Running", "3")
	k.says("", "get pods -A -o wide", "NAMESPACE", "default", "train")
	k.says("", "get pod train -o yaml", "kind: Pod", "nodeName: n1")
	k.says("", "get pods -o jsonpath={.items[*].metadata.name}", "train")
	k.says("", "get pods -l app=train --show-labels", "app=train")
	k.says("", "get all", "pod/train")
	k.says("", "describe pod train", "Name:", "Node:", "n1", "Containers:")
	k.says("", "api-resources", "trainjobs", "tj", "example.com/v1")
	k.says(deployment, "apply --server-side -f -", "deployment.apps/web serverside-applied")
	k.says(deployment, "apply --server-side -f -", "deployment.apps/web serverside-applied")
	if out, err := k.run(strings.Replace(deployment, "replicas: 2", "replicas: 3", 1), "diff", "--server-side", "-f", "-"); err == nil || !strings.Contains(out, "+  replicas: 3") {
		t.Errorf("kubectl diff: %v\n%s", err, out)
	}
	if out, err := k.run(strings.Replace(deployment, "nginx", "other", 1), "apply", "--server-side", "--field-manager=other", "-f", "-"); err == nil || !strings.Contains(out, "conflict") {
		t.Errorf("kubectl apply of another manager: %v\n%s", err, out)
	}
	if out, err := k.run(strings.Replace(deployment, "replicas", "replikas", 1), "apply", "--server-side", "-f", "-"); err == nil || !strings.Contains(out, "replikas") {
		t.Errorf("kubectl apply of an unknown field: %v\n%s", err, out)
	}
	k.says("", "get deployment web", "web")
	k.says("", "describe deployment web", "Selector:", "app=web")
	k.says("", "scale deployment web --replicas=5", "deployment.apps/web scaled")
	k.says("", "label deployment web team=a", "labeled")
	k.says("", "annotate deployment web note=b", "annotated")
	k.says("", "set image deployment/web main=nginx:2", "image updated")
	k.says("", "create configmap c --from-literal=a=b", "created")
	k.says(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c2"},"data":{"a":"b"}}`, "apply -f -", "configmap/c2 created")
	k.says(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c2"},"data":{"a":"c"}}`, "apply -f -", "configmap/c2 configured")
	k.says("", `patch configmap c -p {"data":{"x":"y"}}`, "patched")
	k.says("apiVersion: example.com/v1\nkind: TrainJob\nmetadata: {name: bert}\nspec: {replicas: 2}\n", "create -f -", "trainjob.example.com/bert created")
	k.says("", "get tj", "bert")
	k.says("", "describe tj bert", "Replicas:", "2")
	k.says("", "auth can-i create pods", "yes")
	k.says("", "delete configmap c c2", "deleted")
	if err := srv.WriteLog("default", "train", "main", "hello\n"); err != nil {
		t.Fatal(err)
	}
	k.says("", "logs train -c main", "hello")
}

// TestWait: kubectl waits for a condition and for a deletion.
func TestWait(t *testing.T) {
	job := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "j"}}
	srv := apitest.StartWith(t, apitest.Config{SystemNamespaces: true, Tokens: map[string]string{"secret": "ann"}}, job)
	k := start(t, srv)
	watches := 0 // that earlier commands have opened
	waits := func(text string, change func() error, args ...string) {
		t.Helper()
		ended := make(chan string, 1)
		go func() {
			out, err := k.run("", append([]string{"wait", "--timeout=60s", "job/j"}, args...)...)
			ended <- fmt.Sprint(out, err)
		}()
		patience.Until(t, "kubectl watches", func() string {
			n := 0
			for _, r := range srv.Requests() {
				if r.Verb == apitest.VerbWatch {
					n++
				}
			}
			if n <= watches {
				return fmt.Sprintf("%d watches, %d of them of earlier commands", n, watches)
			}
			return ""
		})
		watches++
		if err := change(); err != nil {
			t.Error(err)
		}
		if out := <-ended; !strings.Contains(out, text) {
			t.Errorf("kubectl wait %q: %q is missing in %s", args, text, out)
		}
	}
	waits("condition met", func() error {
		_, err := apitest.Modify(srv, job, func(j *batchv1.Job) {
			j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
		})
		return err
	}, "--for=condition=Complete")
	waits("condition met", func() error { return srv.Delete(job) }, "--for=delete")
}

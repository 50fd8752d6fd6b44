package logs_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/conformance/controlplane"
	"github.com/vedette-io/vedette/conformance/kubelet"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	dbtest.Stop()
	if code == 0 {
		if err := goleak.Find(controlplane.IgnoreSpawner()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// logOf returns the log of the pod p, or the error.
func logOf(ctx context.Context, client kubernetes.Interface, o corev1.PodLogOptions) (string, error) {
	o.Container = "main"
	body, err := client.CoreV1().Pods("default").GetLogs("p", &o).Stream(ctx)
	if err != nil {
		return "", err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	return string(text), err
}

func TestKubelet(t *testing.T) {
	node := kubelet.ForTest(t)
	plane := controlplane.ForTest(t, controlplane.Options{Nodes: 2, KubeletPort: node.Port()})
	client, err := kubernetes.NewForConfig(plane.RESTConfig())
	if err != nil {
		t.Fatal(err)
	}
	ctx, pods := t.Context(), client.CoreV1().Pods("default")
	_, err = pods.Create(ctx, &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "p"},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "busybox"}}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	patience.Until(t, "the pod runs", func() string {
		pod, err := pods.Get(ctx, "p", metav1.GetOptions{})
		if err != nil {
			return err.Error()
		}
		if pod.Status.Phase != corev1.PodRunning {
			return string(pod.Status.Phase)
		}
		return ""
	})
	check := func(o corev1.PodLogOptions, want string) {
		t.Helper()
		if got, err := logOf(ctx, client, o); err != nil || got != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	if _, err := logOf(ctx, client, corev1.PodLogOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a pod that does not exist on the node: %v", err)
	}
	say := func(text string) {
		t.Helper()
		if err := node.Write("default", "p", "main", text); err != nil {
			t.Fatal(err)
		}
	}
	say("one\ntwo\nthree\n")
	check(corev1.PodLogOptions{}, "one\ntwo\nthree\n")
	check(corev1.PodLogOptions{TailLines: new(int64(1))}, "three\n")
	if _, err := logOf(ctx, client, corev1.PodLogOptions{Previous: true}); !apierrors.IsBadRequest(err) || !strings.Contains(err.Error(), `previous terminated container "main" in pod "p" not found`) {
		t.Errorf("the log before the first: %v", err)
	}
	// The API server ends the answer normally although the node has cut it.
	node.Inject(kubelet.Fault{CutAfter: 2})
	check(corev1.PodLogOptions{}, "one\ntwo\n")
	node.Inject(kubelet.Fault{Status: 500, Message: "disk on fire"})
	if _, err := logOf(ctx, client, corev1.PodLogOptions{}); !apierrors.IsInternalError(err) || !strings.Contains(err.Error(), "disk on fire") {
		t.Errorf("a broken node: %v", err)
	}
	if err := node.Restart("default", "p", "main"); err != nil {
		t.Fatal(err)
	}
	say("four\n")
	check(corev1.PodLogOptions{}, "four\n")
	check(corev1.PodLogOptions{Previous: true}, "one\ntwo\nthree\n")
	if err := node.End("default", "p", "main"); err != nil {
		t.Fatal(err)
	}
	check(corev1.PodLogOptions{Follow: true}, "four\n")
	if err := node.Remove("default", "p"); err != nil {
		t.Fatal(err)
	}
	if _, err := logOf(ctx, client, corev1.PodLogOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("a deleted pod: %v", err)
	}
	if n := len(node.Requests()); n < 9 {
		t.Errorf("%d requests", n)
	}
}

package apitest_test

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"

	"github.com/vedette-io/vedette/apitest"
)

// failing is a test that notes why it ends.
type failing struct {
	testing.TB
	why string
}

func (f *failing) Fatalf(format string, args ...any) {
	f.why = fmt.Sprintf(format, args...)
	panic(f)
}

// failure returns why a test ends in which do is called.
func failure(t *testing.T, do func(apitest.TestingT)) string {
	t.Helper()
	f := &failing{TB: t}
	func() {
		defer func() {
			if got := recover(); got != any(f) {
				t.Errorf("got panic %v, want the end of the test", got)
			}
		}()
		do(f)
	}()
	return f.why
}

// TestStart: the server has the objects and ends with the test; an object that it refuses
// ends the test.
func TestStart(t *testing.T) {
	var srv *apitest.Server
	t.Run("one line", func(t *testing.T) {
		srv = apitest.Start(t, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "train"}, Status: corev1.PodStatus{Phase: corev1.PodRunning}})
		client, err := kubernetes.NewForConfig(srv.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		pod, err := client.CoreV1().Pods("default").Get(t.Context(), "train", metav1.GetOptions{})
		if err != nil || pod.Status.Phase != corev1.PodRunning {
			t.Errorf("got %+v and error %v, want the running Pod", pod, err)
		}
	})
	if err := srv.Available(); err == nil {
		t.Error("the server did not end with its test")
	}
	unknown := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "example.com/v1", "kind": "Unknown", "metadata": map[string]any{"name": "x"}}}
	if why := failure(t, func(tb apitest.TestingT) { apitest.Start(tb, unknown) }); !strings.Contains(why, "create /x") {
		t.Errorf("an object of an unknown type: got %q", why)
	}
	if why := failure(t, func(tb apitest.TestingT) { apitest.StartWith(tb, apitest.Config{Window: -1}) }); !strings.Contains(why, "start the API server") {
		t.Errorf("an invalid configuration: got %q", why)
	}
}

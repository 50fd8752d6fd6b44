package apitest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/apitest"
)

// TestGolden: the writes of clients are the same text in each run, with generated names, times, owners and finalizers;
// writes of the test and writes without effect are not among them.
func TestGolden(t *testing.T) {
	file := filepath.Join(t.TempDir(), "folder", "writes.golden")
	run := func(image string) *apitest.Server {
		srv := apitest.StartWith(t, apitest.Config{Types: []apitest.Type{trainingJob}}, pod("p"))
		ctx, client := background(t), clientset(t, srv.RESTConfig())
		pods := client.CoreV1().Pods("default")
		owner, err := pods.Get(ctx, "p", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		child := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "c-", Finalizers: []string{"example.com/f"}, OwnerReferences: []metav1.OwnerReference{
			{APIVersion: "v1", Kind: "Pod", Name: "p", UID: owner.UID},
		}}, Data: map[string]string{"image": image, "at": time.Now().Format(time.RFC3339)}}
		if child, err = client.CoreV1().ConfigMaps("default").Create(ctx, child, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := pods.Patch(ctx, "p", types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status"); err != nil {
			t.Fatal(err)
		}
		if _, err := pods.Patch(ctx, "p", types.MergePatchType, []byte(`{"status":{"phase":"Running"}}`), metav1.PatchOptions{}, "status"); err != nil {
			t.Fatal(err)
		}
		if _, err := pods.Patch(ctx, "p", types.MergePatchType, []byte(`{"metadata":{"labels":{"dry":"run"}}}`), metav1.PatchOptions{DryRun: []string{"All"}}); err != nil {
			t.Fatal(err)
		}
		if err := client.CoreV1().ConfigMaps("default").Delete(ctx, child.Name, metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		if err := pods.Delete(ctx, "p", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "leader"}}
		if _, err := client.CoordinationV1().Leases("default").Create(ctx, lease, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		if _, err := dynamicJobs(t, srv).Create(ctx, job("j", "q"), metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		return srv
	}
	t.Setenv(apitest.UpdateGolden, "1")
	apitest.Golden(t, run("a"), file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"create configmaps default/c-(generated)\n", "+  generateName: c-\n", "+    uid: (uid)\n", "+  at: (time)\n", "+  image: a\n",
		"patch pods/status default/p\n", "-  phase: Pending\n+  phase: Running\n",
		"delete configmaps default/c-(generated)\n", "+  deletionTimestamp: (time)\n", "delete pods default/p\n\ncreate trainingjobs.batch.example.com default/j\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the writes lack %q:\n%s", want, text)
		}
	}
	if strings.Contains(string(text), "dry") || strings.Contains(string(text), "leases") || strings.Count(string(text), "patch pods/status") != 1 {
		t.Errorf("the writes have a dry run, a Lease, or a write without effect:\n%s", text)
	}
	t.Setenv(apitest.UpdateGolden, "")
	apitest.Golden(t, run("a"), file)
	if why := failure(t, func(t2 apitest.TestingT) { apitest.Golden(t2, run("b"), file) }); !strings.Contains(why, "-+  image: a") || !strings.Contains(why, "UPDATE_GOLDEN") {
		t.Errorf("got %q, want a failure with the difference", why)
	}
	if why := failure(t, func(t2 apitest.TestingT) { apitest.Golden(t2, run("b"), "missing.golden") }); !strings.Contains(why, "UPDATE_GOLDEN") {
		t.Errorf("got %q, want a failure about the missing file", why)
	}
}

// TestAwait: a wait ends with the change that satisfies it, or after a timeout with the missing part.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := apitest.Start(t)
		begin := time.Now()
		go func() {
			<-time.After(time.Second)
			if _, err := srv.Create(pod("p")); err != nil {
				t.Error(err)
			}
			<-time.After(time.Second)
			if _, err := apitest.Modify(srv, pod("p"), func(p *corev1.Pod) { p.Status.Phase = corev1.PodRunning }); err != nil {
				t.Error(err)
			}
			<-time.After(time.Second)
			if err := srv.Delete(pod("p")); err != nil {
				t.Error(err)
			}
		}()
		calls := 0
		got := apitest.Await(t, srv, pod("p"), func(p *corev1.Pod) string {
			calls++
			if p.Status.Phase != corev1.PodRunning {
				return "its phase is " + string(p.Status.Phase)
			}
			return ""
		})
		if got.Status.Phase != corev1.PodRunning || calls != 2 || time.Since(begin) != 2*time.Second {
			t.Errorf("got %s after %d calls and %v, want Running after 2 calls and 2 s", got.Status.Phase, calls, time.Since(begin))
		}
		apitest.AwaitDeleted(t, srv, pod("p"))
		if took := time.Since(begin); took != 3*time.Second {
			t.Errorf("the wait for the deletion ended after %v, want 3 s", took)
		}
		why := failure(t, func(t2 apitest.TestingT) { apitest.Await(t2, srv, pod("p"), func(*corev1.Pod) string { return "" }) })
		if !strings.Contains(why, "Pod default/p: not within 30s: it does not exist") {
			t.Errorf("got %q, want what is missing", why)
		}
	})
}

// TestConfig_Realistic: the server has the namespaces of a real server, and its objects the time of the configuration.
func TestConfig_Realistic(t *testing.T) {
	at := time.Date(2030, 1, 2, 3, 4, 5, 6, time.UTC)
	srv := apitest.StartWith(t, apitest.Config{SystemNamespaces: true, CheckNamespaces: true, Now: func() time.Time { return at }}, pod("p"))
	if _, err := srv.Get(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}}); err != nil {
		t.Error(err)
	}
	if p, err := srv.Get(pod("p")); err != nil || !p.GetCreationTimestamp().Time.Equal(at.Truncate(time.Second)) {
		t.Errorf("the pod was created at %v (%v), want %v", p.GetCreationTimestamp(), err, at)
	}
	if _, err := clientset(t, srv.RESTConfig()).CoreV1().Pods("default").Create(background(t), pod("q"), metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
}

package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// yesterday returns an archive with the pod ml/train, which has succeeded.
func yesterday(t *testing.T) *archive {
	t.Helper()
	r := &archive{t: t, srv: serve(t, apitest.Config{}), db: "sqlite:" + filepath.Join(t.TempDir(), "history.db")}
	r.srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	stop := r.start()
	pod := newPod("ml", "train", "app")
	r.srv.create(pod)
	r.until("train", 1)
	r.srv.phase(pod, corev1.PodSucceeded, "")
	r.until("train", 2)
	stop()
	return r
}

// remove deletes the pod ml/train.
func (r *archive) remove() {
	r.t.Helper()
	if err := r.srv.Delete(newPod("ml", "train")); err != nil {
		r.t.Fatal(err)
	}
}

// waits starts a wait for the success of ml/train, and returns when it has asked the cluster.
func (r *archive) waits() *program {
	r.t.Helper()
	asked := func() (n int) {
		for _, req := range r.srv.Requests() {
			if req.Options.FieldSelector == "metadata.name=train" {
				n++
			}
		}
		return n
	}
	before := asked()
	p := start(r.t, "wait", "pod/train", "-n", "ml", "--for", "state=Succeeded", "--timeout", "-1s", "--db", r.db, "--kubeconfig", r.srv.kubeconfig)
	patience.Until(r.t, "a list of the pods named train", func() string {
		if asked() > before {
			return ""
		}
		return fmt.Sprintf("there were %d", before)
	})
	return p
}

// TestWaitForEarlier: an object that was deleted before the command began counts only on
// request, whatever the clock of the recorder was.
func TestWaitForEarlier(t *testing.T) {
	r := yesterday(t)
	stop := r.start()
	r.remove()
	r.until("train", 3)
	stop()
	db, err := sqldb.Open(t.Context(), r.db)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.SQL().ExecContext(t.Context(), "UPDATE objects SET deleted_at = deleted_at * 2 WHERE name = 'train'"); err != nil {
		t.Fatal(err)
	}
	r.fails(3, "--any counts it", "wait", "pod/train", "-n", "ml", "--for", "state=Succeeded", "--timeout", "0")
	r.says("wait", "pod/train", "-n", "ml", "--for", "state=Succeeded", "--timeout", "0", "--any")
	r.says("wait", "pod/train", "-n", "ml", "--for", "deleted", "--timeout", "0")
}

// TestWaitAsksCluster: a recorded success does not count if the cluster no longer had the object
// when the command began, or had another one of the name. Later successes count.
func TestWaitAsksCluster(t *testing.T) {
	r := yesterday(t)
	succeeds := []string{"wait", "pod/train", "-n", "ml", "--for", "state=Succeeded", "--timeout", "0"}
	asking := append(succeeds, "--kubeconfig", r.srv.kubeconfig)
	r.says(asking...) // it still exists
	r.remove()        // and no recorder sees it
	r.says(succeeds...)
	r.fails(3, "had been deleted when the command began; --any counts it", asking...)
	r.says(append(asking, "--any")...)
	waits := r.waits()
	r.srv.create(newPod("ml", "train", "app"))
	r.fails(3, "the cluster has another object of this name, which is not recorded yet", asking...)
	stop := r.start()
	r.until("train", 4)
	r.fails(3, "it has been Queued since", asking...)
	r.srv.phase(newPod("ml", "train", "app"), corev1.PodSucceeded, "")
	r.until("train", 5)
	r.remove()
	if code := waits.end(); code != 0 || !strings.Contains(waits.out.String(), "ml/train: Succeeded at") {
		t.Errorf("a pod that succeeded later: exit code %d, want 0: %v%v", code, waits.out, waits.err)
	}
	r.until("train", 6)
	// A pod that is created, succeeds and is deleted while the command runs counts, even if the
	// recorder learns of it afterwards only.
	waits = r.waits()
	r.srv.create(newPod("ml", "train", "app"))
	r.srv.phase(newPod("ml", "train", "app"), corev1.PodSucceeded, "")
	r.remove()
	if code := waits.end(); code != 0 {
		t.Errorf("a short pod: exit code %d, want 0: %v%v", code, waits.out, waits.err)
	}
	stop()
}

// TestWaitAsksAnotherCluster: a cluster that a flag names must answer and be the recorded one.
// Otherwise only the recorded cluster counts.
func TestWaitAsksAnotherCluster(t *testing.T) {
	r := yesterday(t)
	other := serve(t, apitest.Config{})
	other.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	succeeds := []string{"wait", "pod/train", "-n", "ml", "--for", "state=Succeeded", "--timeout", "0"}
	r.fails(1, "name another one", append(succeeds, "--kubeconfig", other.kubeconfig)...)
	r.fails(1, "kubeconfig", append(succeeds, "--kubeconfig", "/nowhere")...)
	t.Setenv("KUBECONFIG", other.kubeconfig)
	r.says(succeeds...)
	other.Close()
	r.says(succeeds...)
	t.Setenv("KUBECONFIG", r.srv.kubeconfig)
	r.says(succeeds...)
	r.remove()
	r.fails(3, "had been deleted when the command began", succeeds...)
}

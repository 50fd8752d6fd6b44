package main

import (
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// TestSubmitToPortal creates a job once through a portal, and cancels, repeats, holds and releases
// it, without access to the cluster and the database.
func TestSubmitToPortal(t *testing.T) {
	home(t)
	r := &archive{t: t, srv: serve(t, apitest.Config{}), db: "sqlite:" + filepath.Join(t.TempDir(), "h.db")}
	for _, name := range []string{"kube-system", "ml"} {
		r.srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	p := start(t, "record", "jobs", "-A", "--kubeconfig", r.srv.kubeconfig, "--db", r.db)
	p.err.holds(t, "recording")
	base := startPortal(t, r)
	awaitReady(t, base)
	run := func(want int, args ...string) string {
		t.Helper()
		p := start(t, append(args, "--server", base, "-n", "ml", "--kubeconfig", "/nowhere")...)
		if code := p.end(); code != want {
			t.Errorf("%q: exit code %d, want %d: %s", args, code, want, p.err)
		}
		return p.out.String() + p.err.String()
	}
	submit := []string{"submit", "--image", "train:1", "--name", "a", "--key", "k"}
	if text := run(0, append(submit, "--dry-run")...); !strings.Contains(text, "would be created in namespace ml (dry run)") {
		t.Errorf("a dry run: said %s, want that the job would be created", text)
	}
	if text := run(0, submit...); !strings.Contains(text, "job/a submitted to namespace ml") {
		t.Errorf("submit: said %s, want job/a submitted", text)
	}
	awaitJob(t, base, "name=a")
	if text := run(0, submit...); !strings.Contains(text, "job/a was submitted to namespace ml already, with this key") {
		t.Errorf("the same submission: %s", text)
	}
	if text := run(1, submit[:5]...); !strings.Contains(text, "job/a exists in the namespace ml: it was created by you, with another request") {
		t.Errorf("a new request for the same name: said %s, want that the job exists", text)
	}
	if text := run(0, "cancel", "job/a", "--reason", "wrong data"); !strings.Contains(text, "job/a cancelled in namespace ml: suspended; next: `vedette retry job/a -n ml --server") {
		t.Errorf("cancel: said %s, want job/a suspended, and how to retry it", text)
	}
	if text := run(0, "cancel", "a"); !strings.Contains(text, "job/a was cancelled already") || !strings.Contains(text, "wrong data") {
		t.Errorf("the same cancellation: %s", text)
	}
	if text := run(0, "retry", "a"); !strings.Contains(text, "job/a-r2 submitted to namespace ml") {
		t.Errorf("retry: said %s, want job/a-r2 submitted", text)
	}
	if text := run(0, "submit", "--image", "train:1", "--name", "b", "--hold"); !strings.Contains(text, "job/b submitted to namespace ml, on hold; next: `vedette release job/b -n ml --server") {
		t.Errorf("a job on hold: %s", text)
	}
	awaitJob(t, base, "name=b")
	if text := run(0, "release", "b"); !strings.Contains(text, "job/b released in namespace ml; next: `vedette logs job/b -n ml --server") {
		t.Errorf("release: said %s, want job/b released, and how to read its logs", text)
	}
	if text := run(0, "release", "job/b"); !strings.Contains(text, "job/b is not on hold") {
		t.Errorf("the same release: %s", text)
	}
	if text := run(1, "cancel", "none"); !strings.Contains(text, "no job none is in the namespace ml") {
		t.Errorf("no such job: %s", text)
	}
	p.interrupt()
}

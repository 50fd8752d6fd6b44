package main

import (
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
)

// TestErase erases a pod: not while it exists, not without an answer, and in a dry run only its
// counts are printed. Afterward the history has the other pod only, and exported files too.
func TestErase(t *testing.T) {
	t.Parallel()
	srv := serve(t, apitest.Config{})
	srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}}, newPod("ml", "train"), newPod("ml", "other"))
	dir := t.TempDir()
	db, files := "sqlite:"+filepath.Join(dir, "history.db"), filepath.Join(dir, "files")
	erase := func(code int, want string, args ...string) string {
		t.Helper()
		_, errs := ended(t, code, append([]string{"erase", "pod/train", "-n", "ml", "--db", db}, args...)...)
		holds(t, strings.Join(args, " "), errs, want)
		return errs
	}
	p := start(t, "record", "pods", "-A", "--kubeconfig", srv.kubeconfig, "--db", db)
	a := &archive{t: t, srv: srv, db: db}
	a.until("train", 1)
	a.until("other", 1)
	erase(1, "it exists in the cluster", "--yes")
	if err := srv.Delete(newPod("ml", "train")); err != nil {
		t.Fatal(err)
	}
	a.until("train", 2)
	p.interrupt()
	ended(t, 0, "export", "--to", files, "--db", db)
	erase(0, "revisions: 2 rows", "--dry-run")
	said := erase(1, "this erases pods ml/train for good: add --yes to do it")
	_, uid, _ := strings.Cut(said, "with the UID ")
	uid, _, _ = strings.Cut(uid, ":")
	erase(1, "not found in the history", "--uid", uid+"x", "--yes")
	erase(0, "use --export", "--yes", "--by", "ann")
	erase(1, "not found in the history", "--yes")
	erase(0, "1 file in "+files+" rewritten", "--uid", uid, "--export", files)
	out, _ := ended(t, 0, "history", "pods", "-n", "ml", "--db", db)
	if strings.Contains(out, "train") || !strings.Contains(out, "other") {
		t.Errorf("the history has\n%s\nwant only the other pod", out)
	}
}

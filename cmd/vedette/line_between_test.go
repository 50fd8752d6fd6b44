package main

import (
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// TestReshown checks that the history of an object and its differences say that its content
// changed without a new version. platform/record/recordtest has the recording of such a revision.
func TestReshown(t *testing.T) {
	r := &archive{t: t, srv: serve(t, apitest.Config{}), db: "sqlite:" + filepath.Join(t.TempDir(), "history.db")}
	r.srv.create(&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
	stop := r.start()
	p := newPod("ml", "train", "app")
	r.srv.create(p)
	r.until("train", 1)
	r.srv.phase(p, corev1.PodRunning, "")
	r.until("train", 2)
	stop()
	db, err := sqldb.Open(t.Context(), r.db)
	if err != nil {
		t.Fatal(err)
	}
	err = db.Transact(t.Context(), func(tx *sqldb.Tx) error {
		for _, table := range []string{"revisions", "transitions"} {
			if _, err := tx.Exec(t.Context(), "UPDATE "+table+" SET source = 5 WHERE version = (SELECT version FROM objects WHERE name = 'train')"); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	matches(t, r.says("history", "pod/train", "-n", "ml", "--no-headers"), `(?s)^[^\n]+ Queued [^\n]+\n[^\n]+ \(content\) +content changed without a new version \(schema or server changed\)\n[^\n]+ Running [^\n]+\n$`)
	if out := r.says("history", "pod/train", "-n", "ml", "-o", "json"); !strings.Contains(out, `"kind": "content"`) || !strings.Contains(out, `"source": "reshown"`) {
		t.Errorf("got %s, want an item of the kind content with the source reshown", out)
	}
	if out, _, code := r.run("diff", "pod/train", "-n", "ml"); code != exitDiffers || !strings.Contains(out, "(content changed without a new version (schema or server changed))") {
		t.Errorf("got the difference %s, want its reason", out)
	}
}

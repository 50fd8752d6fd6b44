package record_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestTryWriteAndResumePoint checks that TryWrite detects whether a database is writable
// and leaves nothing in it, and that FindResumePoint returns where a recorder would begin.
func TestTryWriteAndResumePoint(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		began := time.Now()
		_, isFile := sqldb.FileOf(url)
		if !isFile {
			d, err := sqldb.Inspect(t.Context(), url)
			if err != nil {
				t.Fatal(err)
			}
			if err := record.TryWrite(t.Context(), d); err == nil {
				t.Error("TryWrite succeeded without a schema")
			}
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		}
		w := newWorld(t, url)
		w.create(pod("a"))
		stop := w.record("one")
		w.until("SELECT COUNT(*) FROM revisions", "1")
		stop()
		if err := record.TryWrite(t.Context(), w.d); err != nil {
			t.Error(err)
		}
		w.until("SELECT COUNT(*) FROM clusters", "1") // the insert was rolled back
		d, err := sqldb.Inspect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer d.Close()
		if err := record.TryWrite(t.Context(), d); isFile && (err == nil || !strings.Contains(err.Error(), "is read-only")) {
			t.Errorf("got %v from TryWrite on a read-only database, want an error", err)
		}
		system, err := w.srv.Get(&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "kube-system"}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := record.FindResumePoint(t.Context(), d, string(system.GetUID()), w.pods, record.Target{Type: "pods"})
		if err != nil || r.Version == 0 || r.At.Before(began.Add(-time.Second)) {
			t.Errorf("resume point: got %+v and error %v, want a version of this test", r, err)
		}
		for _, other := range []record.Target{{Namespace: "ml"}, {LabelSelector: "a"}} {
			if r, err := record.FindResumePoint(t.Context(), d, string(system.GetUID()), w.pods, other); err != nil || r.Version != 0 {
				t.Errorf("resume point of %+v: got %+v and error %v, want none", other, r, err)
			}
		}
	})
}

func TestFieldPaths(t *testing.T) {
	for text, ok := range map[string]bool{
		"spec": true, "spec.template.spec.containers.env": true, `metadata.annotations.example\.com/token`: true, "metadata.labels": true, `a\\b`: true,
		"": false, ".": false, "a..b": false, ".a": false, "a.": false, "a.*": false, "$.a": false, "a[0]": false, "a b": false, "/spec/a": false, `a\`: false,
		"kind": false, "metadata": false, "metadata.uid": false,
	} {
		if err := record.CheckFieldPath(text); (err == nil) != ok {
			t.Errorf("path %q: got %v, want it accepted: %t", text, err, ok)
		}
	}
	names, err := record.FieldNames(`metadata.annotations.example\.com/to\\ken`)
	if err != nil || strings.Join(names, "|") != `metadata|annotations|example.com/to\ken` {
		t.Errorf("got names %q and error %v, want three with the escapes resolved", names, err)
	}
}

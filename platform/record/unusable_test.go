package record_test

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// unusable counts the gaps for an unusable object.
const unusable = "SELECT COUNT(*) FROM gaps WHERE cause = 'invalid' AND detail LIKE '%ml/a%more than 16384 bytes%' AND to_version > 0"

// grow makes an object larger than the limit.
func (w *world) grow(name string, bytes int) {
	w.t.Helper()
	large := func(p *corev1.Pod) { p.Annotations = map[string]string{"large": strings.Repeat("x", bytes)} }
	if _, err := apitest.Modify(w.srv, pod(name), large); err != nil {
		w.t.Fatal(err)
	}
}

// TestUnusableObject checks that an unusable object keeps its recorded state, in a watch,
// in a list and after a spill. A gap names it each time, and its deletion is recorded.
func TestUnusableObject(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.limit = 16 << 10
		w.spill = record.Spill{After: 20 * time.Millisecond, Dir: t.TempDir()}
		w.create(pod("a"))
		w.create(pod("b"))
		stop := w.record("one")
		w.until(presences, "a 0 Queued", "b 0 Queued")
		w.grow("a", 20<<10)
		w.until(unusable, "1")
		stop()
		if err := w.srv.Delete(pod("b")); err != nil {
			t.Fatal(err)
		}
		w.create(pod("c"))
		w.srv.Compact()
		stop = w.record("one")
		w.until(presences, "a 0 Queued", "b 1 Deleted", "c 0 Queued")
		w.until(unusable, "2")
		back := w.away()
		w.phase("c", "Running")
		w.spilled(1)
		w.grow("a", 30<<10)
		w.spilled(w.recorder.Health().Targets[0].Spilled + 1)
		back()
		w.until(unusable, "3")
		w.grow("a", 1)
		w.phase("a", "Running")
		w.until(presences, "a 0 Running", "b 1 Deleted", "c 0 Running")
		w.grow("a", 20<<10)
		if err := w.srv.Delete(pod("a")); err != nil {
			t.Fatal(err)
		}
		w.until(presences, "a 1 Deleted", "b 1 Deleted", "c 0 Running")
		w.until(transitions, "a  Queued", "a Queued Running", "a Running Deleted", "b  Queued", "b Queued Deleted", "c  Queued", "c Queued Running")
		w.until(unusable, "5")
		stop()
	})
}

// TestUndecodable checks an object that is too deeply nested to decode, or for which the
// state function panics. Its revision has the body and the previous state, and the body has
// no redacted field. An object whose redacted fields cannot be removed is not stored.
func TestUndecodable(t *testing.T) {
	jobs := kube.Resource{Group: "example.com", Version: "v1", Name: "jobs", Kind: "Job"}
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	object := `{"metadata":{"name":"a","labels":{"app":"b","user":"hidden"}},"env":[{"value":"hidden","name":"seen"}],"status":` + deep + `}`
	body, status, labels, err := record.Observe(jobs, nil, []string{"env.value", "metadata.labels.user"}, upsert(object))
	if err != nil || !strings.Contains(body, deep) || !strings.Contains(body, "seen") || strings.Contains(body, "hidden") {
		t.Errorf("got a body of %d bytes, %v", len(body), err)
	}
	if status.State != "" || !strings.Contains(status.Message, "decode a at resourceVersion 7") || len(labels) != 1 || labels["app"] != "b" {
		t.Errorf("got status %+v and labels %v, want no state, the error, and app=b", status, labels)
	}
	odd := func(map[string]any) job.Status { panic("an odd job") }
	body, status, labels, err = record.Observe(jobs, odd, nil, upsert(`{"metadata":{"name":"a","labels":{"app":"b"}}}`))
	if err != nil || body == "" || labels["app"] != "b" || status.State != "" || !strings.Contains(status.Message, "an odd job") {
		t.Errorf("got %s, %+v, %v from a state function that panics", body, status, err)
	}
	body, _, _, err = record.Observe(jobs, nil, []string{"env.value"}, upsert(`{"metadata":{"name":"a"},"env":`+strings.Repeat("[", 20_000)+`{"value":"hidden"}`+strings.Repeat("]", 20_000)+`}`))
	if err == nil || body != "" {
		t.Errorf("got a body of %d bytes that may contain redacted fields", len(body))
	}
}

package observe_test

import (
	"strings"
	"testing"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/wire"
)

func observation(t *testing.T, kind delta.Kind, metadata string, redact ...string) observe.Observation {
	t.Helper()
	var paths []observe.FieldPath
	for _, text := range redact {
		path, err := observe.ParseFieldPath(text)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	p := observe.NewProjection(kube.Resource{Group: "batch", Version: "v1", Name: "jobs", Kind: "Job"}, nil, paths)
	body := `{"metadata":{"name":"a",` + metadata + `},"spec":{"template":{}},"status":{"startTime":"2026-03-01T09:01:00Z","active":1,"ready":1}}`
	o, err := observe.Observe(p, &delta.Delta{Kind: kind, Record: wire.Record{Key: wire.Key{Name: "a"}, UID: "u", Version: 7, Encoding: wire.JSON, Body: []byte(body)}}, model.Watched)
	if err != nil || o.Invalid != nil {
		t.Fatalf("got error %v, invalid %v; want neither", err, o.Invalid)
	}
	return o
}

// TestSubmitter checks the precedence of sources: the annotation of package submit, then
// labels, then other annotations.
func TestSubmitter(t *testing.T) {
	long := strings.Repeat("u", 1000)
	for _, c := range []struct{ metadata, want string }{
		{`"annotations":{"vedette.io/submitter":"ann@example.com"},"labels":{"vedette.io/user":"ann-example.com","user":"x"}`, "ann@example.com"},
		{`"annotations":{"vedette.io/submitter":""},"labels":{"vedette.io/user":"ann"}`, "ann"},
		{`"annotations":{"vedette.io/user":"bob"},"labels":{"user":"ann"}`, "ann"},
		{`"annotations":{"vedette.io/user":"bob"}`, "bob"},
		{`"annotations":{"vedette.io/submitter":"` + long + `"}`, long[:model.MaxWord]},
		{`"labels":{"app":"x"}`, ""},
	} {
		if o := observation(t, delta.Upsert, c.metadata); o.Submitter != c.want {
			t.Errorf("%s: %q, want %q", c.metadata, o.Submitter, c.want)
		}
	}
}

// TestHeldByPolicy checks that the suspension in the policy of Kubeflow's jobs reaches the state.
func TestHeldByPolicy(t *testing.T) {
	p := observe.NewProjection(kube.Resource{Group: "kubeflow.org", Version: "v1", Name: "pytorchjobs", Kind: "PyTorchJob"}, nil, nil)
	body := `{"metadata":{"name":"a"},"spec":{"runPolicy":{"suspend":true,"schedulingPolicy":{"queue":"q"}},"pytorchReplicaSpecs":{}}}`
	o, err := observe.Observe(p, &delta.Delta{Kind: delta.Upsert, Record: wire.Record{Key: wire.Key{Name: "a"}, UID: "u", Version: 7, Encoding: wire.JSON, Body: []byte(body)}}, model.Watched)
	if err != nil || o.Status.State != job.Suspended {
		t.Errorf("got %+v, error %v; want Suspended", o.Status, err)
	}
}

// TestCancelled checks that a cancelled job is Aborted with the actor and the reason, also
// after its deletion.
func TestCancelled(t *testing.T) {
	const cancelled = `"annotations":{"vedette.io/cancelled-by":"ann","vedette.io/cancel-reason":"wrong data","vedette.io/cancelled-at":"2026-03-01T09:10:00Z","vedette.io/cancel":"delete"}`
	want := job.Status{State: job.Aborted, Reason: "Cancelled", Message: "ann: wrong data", At: time.Date(2026, 3, 1, 9, 10, 0, 0, time.UTC)}
	if o := observation(t, delta.Upsert, cancelled); o.Status != want {
		t.Errorf("cancelled: %+v, want %+v", o.Status, want)
	}
	want.State, want.At = job.Deleted, time.Time{}
	if o := observation(t, delta.Delete, cancelled, "spec.template"); o.Status != want {
		t.Errorf("gone: %+v, want %+v", o.Status, want)
	}
	if o := observation(t, delta.Upsert, cancelled, "metadata.annotations"); o.Status.State != job.Running {
		t.Errorf("got %+v: a redacted annotation changed the state", o.Status)
	}
}

// TestFacts checks that a job has the facts of its redacted body at its state, and the queue of
// an annotation or a field, and that other objects have none.
func TestFacts(t *testing.T) {
	observe := func(r kube.Resource, body string, deleted bool) observe.Observation {
		paths, err := observe.ParseFieldPath("spec.activeDeadlineSeconds")
		if err != nil {
			t.Fatal(err)
		}
		p := observe.NewProjection(r, nil, []observe.FieldPath{paths})
		kind := delta.Upsert
		if deleted {
			kind = delta.Delete
		}
		o, err := observe.Observe(p, &delta.Delta{Kind: kind, Record: wire.Record{Key: wire.Key{Name: "a"}, UID: "u", Version: 7, Encoding: wire.JSON, Body: []byte(body)}}, model.Watched)
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	batch := kube.Resource{Group: "batch", Version: "v1", Name: "jobs", Kind: "Job"}
	const body = `{"metadata":{"name":"a","annotations":{"scheduling.volcano.sh/queue-name":"gpu"}},` +
		`"spec":{"activeDeadlineSeconds":60,"backoffLimit":2,"template":{"spec":{"priorityClassName":"high","containers":[{"name":"c","resources":{"limits":{"nvidia.com/gpu":"4"}}}]}}},` +
		`"status":{"failed":3,"conditions":[{"type":"Failed","status":"True","reason":"BackoffLimitExceeded"}]}}`
	for _, deleted := range []bool{false, true} {
		o := observe(batch, body, deleted)
		want := job.Facts{GPUs: 4, Pods: 1, Priority: "high", Attempt: 3, Attempts: 3}
		if !o.OfJob || o.Facts == nil || *o.Facts != want || o.Queue != "gpu" {
			t.Errorf("deleted %v: got facts %+v, queue %q; want %+v, queue gpu", deleted, o.Facts, o.Queue, want)
		}
	}
	set := observe(kube.Resource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Name: "jobsets", Kind: "JobSet"}, `{"metadata":{"name":"a"},"spec":{}}`, false)
	if set.Facts == nil || set.Facts.PodLabel != "jobset.sigs.k8s.io/jobset-name" || set.Facts.PodLabelValue != "a" {
		t.Errorf("JobSet: got facts %+v, want the label of its pods", set.Facts)
	}
	if o := observe(kube.Resource{Version: "v1", Name: "pods", Kind: "Pod"}, `{"metadata":{"name":"a"},"spec":{}}`, false); o.OfJob || o.Facts != nil {
		t.Errorf("pod: got facts %+v, want none", o.Facts)
	}
}

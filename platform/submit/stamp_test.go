package submit_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// bare is a manifest without lines.
func bare(metadata map[string]any) *manifest.Manifest {
	return &manifest.Manifest{Object: &unstructured.Unstructured{Object: map[string]any{"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata}}}
}

// TestNames: names from keys are valid, the same for the same request, and different for
// different requests.
func TestNames(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	client := submit.New(cluster, submit.Config{})
	type request struct{ prefix, user, namespace, key string }
	seen := map[string]request{}
	testinput.Check(t, func(t *rapid.T) {
		r := request{
			rapid.StringMatching(`|[a-z]([a-z0-9-]{0,300}[a-z0-9])?-`).Draw(t, "prefix"), rapid.SampledFrom([]string{"ann", "bob", "wei@example.com", "ünïcode\x01"}).Draw(t, "user"),
			rapid.SampledFrom([]string{"ml", "ci"}).Draw(t, "namespace"), rapid.StringMatching(`[a-z]{1,3}`).Draw(t, "key"),
		}
		metadata := map[string]any{}
		if r.prefix != "" {
			metadata["generateName"] = r.prefix
		}
		got, err := client.Submit(t.Context(), submit.Request{Manifest: bare(metadata), User: r.user, Namespace: r.namespace, Key: r.key, DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		name := got.Object.GetName()
		if problems := validation.IsDNS1123Label(name); len(problems) > 0 {
			t.Errorf("got name %q with problems %v, want a valid one", name, problems)
		}
		start := r.prefix
		if start == "" {
			start = "job-"
		}
		if !strings.HasPrefix(name, start[:min(len(start), 53)]) || got.Object.GetGenerateName() != r.prefix {
			t.Errorf("%q does not begin with %q", name, start)
		}
		before, known := seen[name]
		before.prefix, start = start[:min(len(start), 53)], before.prefix
		if r.prefix = before.prefix; known && (before != r || start != r.prefix) {
			t.Errorf("%+v and %+v have the name %q", before, r, name)
		}
		seen[name] = r
	})
}

// TestLabels: the names of users and templates become valid labels, and the annotation has
// the whole name.
func TestLabels(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	client := submit.New(cluster, submit.Config{})
	testinput.Check(t, func(t *rapid.T) {
		user := rapid.String().Filter(func(s string) bool { return s != "" }).Draw(t, "user")
		template := rapid.String().Draw(t, "template")
		got, err := client.Submit(t.Context(), submit.Request{Manifest: bare(map[string]any{"name": "a"}), User: user, Template: template, DryRun: true})
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range got.Object.GetLabels() {
			if problems := validation.IsValidLabelValue(value); len(problems) > 0 || value == "" {
				t.Errorf("got label %s=%q with problems %v, want a valid one", name, value, problems)
			}
		}
		if got.Object.GetAnnotations()[job.SubmitterAnnotation] != user {
			t.Errorf("submitter %q, want %q", got.Object.GetAnnotations()[job.SubmitterAnnotation], user)
		}
	})
}

// TestKeys: a request without a key is a request of its own; a key stays as it is.
func TestKeys(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	client := submit.New(cluster, submit.Config{})
	key := func(change func(*submit.Request)) string {
		req := submit.Request{Manifest: bare(map[string]any{"generateName": "a-"}), User: "ann", Namespace: "ml", DryRun: true}
		change(&req)
		got, err := client.Submit(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return got.Key
	}
	none := func(*submit.Request) {}
	if first, second := key(none), key(none); first == second || first == "" || second == "" {
		t.Errorf("got keys %q and %q, want two random ones", first, second)
	}
	for name, change := range map[string]func(*submit.Request){
		"given":       func(r *submit.Request) { r.Key = "mine" },
		"given again": func(r *submit.Request) { r.Key, r.Again = "mine", true },
	} {
		if got := key(change); got != "mine" {
			t.Errorf("%s: got key %q, want mine", name, got)
		}
	}
}

// TestClaims: a manifest cannot name another submitter, and marks of another job are
// removed. Both give warnings.
func TestClaims(t *testing.T) {
	_, cluster := serve(t, apitest.Config{})
	client := submit.New(cluster, submit.Config{User: "ann"})
	marks := map[string]any{
		job.SubmitterAnnotation: "bob", job.RequestKeyAnnotation: "old", job.RetryOfAnnotation: "u", job.RetryOfNameAnnotation: "n", job.AttemptAnnotation: "4",
		job.CancelledByAnnotation: "eve", job.CancelReasonAnnotation: "r", job.CancelledAtAnnotation: "t", job.CancelAnnotation: "suspend", "mine": "stays",
	}
	got, err := client.Submit(t.Context(), submit.Request{Manifest: bare(map[string]any{"name": "a", "annotations": marks, "labels": map[string]any{job.RetryRootLabel: "u", "mine": "stays"}})})
	if err != nil {
		t.Fatal(err)
	}
	a := got.Object.GetAnnotations()
	if names := slices.Sorted(maps.Keys(a)); !slices.Equal(names, []string{"mine", job.RequestKeyAnnotation, job.SubmitterAnnotation}) || a[job.SubmitterAnnotation] != "ann" || a[job.RequestKeyAnnotation] == "old" {
		t.Errorf("got annotations %v, want the caller's own, a new request key and submitter ann", a)
	}
	if l := got.Object.GetLabels(); len(l) != 2 || l[job.UserLabel] != "ann" || l["mine"] != "stays" {
		t.Errorf("got labels %v, want the caller's own and user ann", l)
	}
	if text := fmt.Sprint(got.Warnings); len(got.Warnings) != 2 || !strings.Contains(text, "names bob as submitter; the job is submitted as ann") || !strings.Contains(text, job.CancelledByAnnotation) {
		t.Errorf("got warnings %q, want one for the submitter and one for the mark of a cancel", got.Warnings)
	}
	got, err = client.Submit(t.Context(), submit.Request{Manifest: bare(map[string]any{"name": "b", "labels": map[string]any{job.UserLabel: "bob"}})})
	if err != nil || len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], "is bob; the job is submitted as ann") {
		t.Errorf("got error %v and warnings %q, want one for the user label", err, got.Warnings)
	}
	got, err = client.Submit(t.Context(), submit.Request{Manifest: bare(map[string]any{"name": "c"}), Retry: &submit.RetryOf{UID: "u1", Name: "b", Root: "u0", Attempt: 3}})
	a = got.Object.GetAnnotations()
	if err != nil || a[job.RetryOfAnnotation] != "u1" || a[job.RetryOfNameAnnotation] != "b" || a[job.AttemptAnnotation] != "3" || got.Object.GetLabels()[job.RetryRootLabel] != "u0" {
		t.Errorf("got error %v and %v, want attempt 3 of chain u0, a retry of b", err, got.Object)
	}
}

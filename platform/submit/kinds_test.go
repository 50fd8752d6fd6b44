package submit_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/kindtest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// kindYard returns a cluster that serves the type of an example and commands to Volcano.
func kindYard(t *testing.T, row *kindtest.Row) *yard {
	t.Helper()
	k := row.Kind(t)
	cfg := apitest.Config{Types: []apitest.Type{volcanoCommands}}
	if k.Group != "" && k.Group != "batch" {
		cfg.Types = append(cfg.Types, apitest.Type{Group: k.Group, Version: row.Version, Kind: k.Name, Namespaced: true, Status: true})
	}
	y := yardOf(t, cfg)
	y.client = submit.New(y.client.Cluster(), submit.Config{User: "ann", Types: []string{row.Type}}) // also one whose objects are no jobs
	return y
}

// made creates the example of a row.
func (y *yard) made(row *kindtest.Row) submit.Job {
	y.Helper()
	object := &unstructured.Unstructured{Object: (&unstructured.Unstructured{Object: row.Object(y)}).DeepCopy().Object}
	object.SetNamespace("ml")
	client, err := kube.For[unstructured.Unstructured](y.client.Cluster(), kube.ClientConfig{Resource: row.Type, Writes: kube.Persist})
	if err != nil {
		y.Fatal(err)
	}
	created, err := client.Create(y.Context(), object)
	if err != nil {
		y.Fatal(err)
	}
	return y.find(created)
}

// valueAt returns a field of an object.
func valueAt(object *unstructured.Unstructured, path []string) any {
	v, _, _ := unstructured.NestedFieldNoCopy(object.Object, path...)
	return v
}

// TestCancelOfKinds: each kind is cancelled by its field, by a command, or by deletion. By
// its own field it is then Aborted as soon as its operator has not begun.
func TestCancelOfKinds(t *testing.T) {
	for _, row := range kindtest.Rows(t) {
		t.Run(row.Type, func(t *testing.T) {
			y := kindYard(t, &row)
			j := y.made(&row)
			done, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{Reason: "wrong data"})
			if err != nil || done.How != row.Cancel.How {
				t.Fatalf("got %+v and error %v, want %s", done, err, row.Cancel.How)
			}
			object := y.again(j)
			if (object == nil) != (row.Cancel.How == job.CancelDelete) {
				t.Fatalf("the object is %v after a cancel by %s", object, row.Cancel.How)
			}
			if row.Cancel.Field == nil {
				return
			}
			path, want := kindtest.Split(row.Cancel.Field)
			if got := valueAt(object, path); got != want {
				t.Errorf("%v is %v, want %v", path, got, want)
			}
			if s := job.ReadStatus(object.Object); row.Cancel.How == job.CancelSuspend && s.State != job.Aborted {
				t.Errorf("cancelled before the operator acts: got %+v, want Aborted", s)
			}
		})
	}
}

// TestHoldOfKinds: a held job of each kind that has a field for it does not start, has the
// state Suspended before its operator acts, and can be released.
func TestHoldOfKinds(t *testing.T) {
	for _, row := range kindtest.Rows(t) {
		t.Run(row.Type, func(t *testing.T) {
			y := kindYard(t, &row)
			object := &unstructured.Unstructured{Object: (&unstructured.Unstructured{Object: row.Object(t)}).DeepCopy().Object}
			delete(object.Object, "status") // no operator has acted
			object.SetNamespace("ml")
			result, err := y.client.Submit(t.Context(), submit.Request{Manifest: &manifest.Manifest{Object: object}, Namespace: "ml", Hold: true})
			if (err != nil) != (row.Hold.Field == nil) {
				t.Fatalf("got error %v, want one: %v", err, row.Hold.Field == nil)
			}
			if err != nil {
				return
			}
			held := y.find(result.Object)
			path, want := kindtest.Split(row.Hold.Field)
			if got := valueAt(held.Object, path); got != want {
				t.Errorf("%v is %v, want %v", path, got, want)
			}
			if s := job.ReadStatus(held.Object.Object); s.State != job.Suspended {
				t.Errorf("held before the operator acts: got %+v, want Suspended", s)
			}
			if let, err := y.client.Release(t.Context(), held); err != nil || !let {
				t.Fatalf("released %v, error %v; want true", let, err)
			}
			if got := valueAt(y.find(result.Object).Object, path); got != row.Hold.Released {
				t.Errorf("released: %v is %v, want %v", path, got, row.Hold.Released)
			}
		})
	}
}

// TestRetryOfKinds: a job that was cancelled before its operator acted can be retried, and the
// copy has the spec that the user wrote.
func TestRetryOfKinds(t *testing.T) {
	for _, row := range kindtest.Rows(t) {
		t.Run(row.Type, func(t *testing.T) {
			y := kindYard(t, &row)
			j := y.made(&row)
			before := j.Object
			if _, err := y.client.Cancel(t.Context(), j, submit.CancelOptions{}); err != nil {
				t.Fatal(err)
			}
			result := submit.CopyOf(before)
			if row.Cancel.How == job.CancelSuspend {
				result = y.retry(y.find(before), submit.RetryOptions{}).Object
			} else if object := y.again(j); object != nil { // Aborted as soon as its operator says so
				result = submit.CopyOf(object)
			}
			want := row.Spec
			if row.Submitted != nil {
				want = row.Submitted
			}
			got := result.Object["spec"].(map[string]any)
			if left, ok := got["runPolicy"].(map[string]any); ok && len(left) == 0 {
				delete(got, "runPolicy")
			}
			if row.Type == "jobs.batch" || row.Type == "pods" { // the server adds fields to its own types
				want, got = map[string]any{"suspend": nil, "nodeName": nil}, map[string]any{"suspend": got["suspend"], "nodeName": got["nodeName"]}
			}
			if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
				t.Errorf("the spec of the copy (-want +got):\n%s", diff)
			}
		})
	}
}

// asJSON returns a value with the number types of encoding/json.
func asJSON(t *testing.T, v any) (result any) {
	t.Helper()
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &result)
	}
	if err != nil {
		t.Fatal(err)
	}
	return result
}

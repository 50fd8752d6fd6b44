package writeapi_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/portal/api"
)

const train = `apiVersion: batch/v1
kind: Job
metadata:
  name: train
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: train:7
        resources: {limits: {nvidia.com/gpu: 8}}
`

// TestSubmit: a job is created once, in the name of the person, with a row in the audit.
func TestSubmit(t *testing.T) {
	w := newWorld(t)
	request := api.SubmitRequest{Cluster: clusterName, Namespace: "team-a", YAML: train, Key: "k-1"}
	checked := post[api.Checked](w, "anna", api.PathCheck, request)
	if !checked.OK || checked.GPUs != 8 || checked.Pods != 1 || len(checked.Problems) > 0 {
		t.Errorf("check: got %+v, want OK with 8 GPUs and 1 Pod", checked)
	}
	w.wantActs() // a dry run is not a write
	first := post[api.Submitted](w, "anna", api.PathSubmit, request)
	again := post[api.Submitted](w, "anna", api.PathSubmit, request)
	if !first.Created || again.Created || first.Job != again.Job || first.Job.UID == "" || first.Job.Type != "jobs.batch" {
		t.Errorf("got %+v, then %+v; want one new job, then the same", first, again)
	}
	for _, r := range w.srv.Requests() {
		if r.Resource.Resource == "jobs" && r.Verb == "create" && r.User == "portal" {
			t.Error("the portal creates a job by its own rights")
		}
	}
	p := w.refused("ben", api.PathSubmit, request, http.StatusForbidden)
	if p.Type != api.ProblemDenied || !strings.Contains(p.Role, "- create") || !strings.Contains(p.Role, "name: ben") || !strings.Contains(p.Role, "namespace: team-a") {
		t.Errorf("got %+v, want a Role to create for ben in team-a", p)
	}
	w.refused("anna", api.PathSubmit, api.SubmitRequest{Cluster: "elsewhere", YAML: train}, http.StatusServiceUnavailable)
	w.wantActs("anna submit team-a/train done", "anna submit team-a/train done", "ben submit team-a/train denied")
	if strings.Contains(w.logged.String(), "token-of") {
		t.Error("the log has a token")
	}
}

// TestCheckNeedsTheRight: a check by a person who may not create the job ends before its dry run, so
// that the API server does not run its admission. The namespace of the request and that of the YAML
// count.
func TestCheckNeedsTheRight(t *testing.T) {
	w := newWorld(t)
	for _, c := range []api.SubmitRequest{
		{Cluster: clusterName, Namespace: "team-a", YAML: train},
		{Cluster: clusterName, YAML: strings.Replace(train, "  name: train", "  name: train\n  namespace: team-a", 1)},
	} {
		p := w.refused("ben", api.PathCheck, c, http.StatusForbidden)
		if p.Type != api.ProblemDenied || !strings.Contains(p.Role, "- create") || !strings.Contains(p.Role, "namespace: team-a") {
			t.Errorf("got %+v, want the role to create in team-a", p)
		}
	}
	for _, r := range w.srv.Requests() {
		if r.User == "ben" && r.Verb == apitest.VerbCreate && r.Resource.Resource == "jobs" {
			t.Errorf("the API server got %s %s of ben", r.Verb, r.Path)
		}
	}
}

// TestNoRights: a person who may create nothing anywhere is refused before the body is read, and
// without a row in the audit, which has no job to name. A small form needs no right.
func TestNoRights(t *testing.T) {
	w := newWorld(t)
	for _, c := range []struct {
		person, path, length string
		want                 int
	}{
		{"vera", api.PathSubmit, "Content-Length: 100", http.StatusForbidden},
		{"vera", api.PathCheck, "Content-Length: 2000000", http.StatusForbidden},
		{"vera", api.PathCheck, "Transfer-Encoding: chunked", http.StatusForbidden},
		{"vera", api.PathRender, "Transfer-Encoding: chunked", http.StatusForbidden},
		{"vera", api.PathRender, "Content-Length: 65537", http.StatusForbidden},
		{"anna of lab", api.PathSubmit, "Content-Length: 100", http.StatusForbidden}, // no cluster knows her
		{"nobody", api.PathSubmit, "Content-Length: 100", http.StatusUnauthorized},
	} {
		if got := w.withoutBody(c.person, c.path, c.length); got != c.want {
			t.Errorf("%s: POST %s with %s and no body: got status %d, want %d", c.person, c.path, c.length, got, c.want)
		}
	}
	post[api.Rendered](w, "vera", api.PathRender, api.RenderRequest{Template: "job", Values: map[string]any{}})
	w.wantActs()
}

// TestNotAJob: only jobs can be submitted, and one at a time.
func TestNotAJob(t *testing.T) {
	w := newWorld(t)
	deep := strings.Repeat("{a: ", 2000) + "1" + strings.Repeat("}", 2000)
	var bomb strings.Builder
	bomb.WriteString("a: &a [x,x,x,x,x,x,x,x,x,x]\n")
	for _, c := range "bcdefgh" {
		bomb.WriteString(string(c) + ": &" + string(c) + " [" + strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 10), ",") + "]\n")
	}
	for name, yaml := range map[string]string{
		"a Secret":         "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {a: b}\n",
		"a role binding":   "apiVersion: rbac.authorization.k8s.io/v1\nkind: RoleBinding\nmetadata: {name: b}\nroleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}\n",
		"a DaemonSet":      strings.Replace(strings.Replace(train, "batch/v1", "apps/v1", 1), "kind: Job", "kind: DaemonSet", 1),
		"an unknown type":  "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: t}\n",
		"a path as a type": "apiVersion: batch/v1\nkind: ../../secrets\nmetadata: {name: t}\n",
		"a list":           "apiVersion: v1\nkind: List\nitems: []\n",
		"two jobs":         train + "---\n" + train,
		"nothing":          "\n",
		"a text":           "hello",
		"a bomb":           bomb.String(),
		"deep nesting":     "apiVersion: batch/v1\nkind: Job\nspec: " + deep,
	} {
		p := w.refused("root", api.PathSubmit, api.SubmitRequest{Cluster: clusterName, Namespace: "team-a", YAML: yaml}, http.StatusUnprocessableEntity)
		if p.Type != api.ProblemInvalid {
			t.Errorf("%s: got %+v, want an invalid request", name, p)
		}
	}
	w.refused("root", api.PathSubmit, strings.Repeat("x", 17<<20), http.StatusRequestEntityTooLarge)
	for _, r := range w.srv.Requests() {
		if r.Verb == "create" && !strings.HasSuffix(r.Resource.Resource, "reviews") && r.Resource.Resource != "jobs" {
			t.Errorf("the API server got %s %s", r.Verb, r.Path)
		}
	}
}

// TestProblems: mistakes have their line, field and parameter, and the value that repairs them
// if there is one.
func TestProblems(t *testing.T) {
	w := newWorld(t)
	check := func(in api.SubmitRequest) []api.FieldProblem {
		t.Helper()
		in.Cluster, in.Namespace = clusterName, "team-a"
		return post[api.Checked](w, "anna", api.PathCheck, in).Problems
	}
	got := check(api.SubmitRequest{YAML: strings.Replace(train, "  name: train", "  name: [", 1)})
	if len(got) == 0 || got[0].Line == 0 || strings.HasPrefix(got[0].Message, "yaml:") {
		t.Errorf("no YAML: %+v", got)
	}
	w.refuse = func(o metav1.Object) error {
		job, ok := o.(*batchv1.Job)
		if !ok {
			return nil
		}
		return apierrors.NewInvalid(schema.GroupKind{Group: "batch", Kind: "Job"}, job.Name, field.ErrorList{
			field.NotSupported(field.NewPath("spec", "template", "spec", "restartPolicy"), "Always", []string{"Never"}),
			field.Invalid(field.NewPath("spec", "template", "spec", "containers").Index(0).Child("image"), "x", "no such image"),
		})
	}
	want := []api.FieldProblem{
		{Field: "spec.template.spec.restartPolicy", Line: 8, Message: `Unsupported value: "Always": supported values: "Never"`, Repair: "Never"},
		{Field: "spec.template.spec.containers[0].image", Line: 11, Message: `Invalid value: "x": no such image`},
	}
	if diff := cmp.Diff(want, check(api.SubmitRequest{YAML: train})); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
	low := strings.Replace(train, "{limits: {nvidia.com/gpu: 8}}", "{requests: {memory: 720Gi}, limits: {nvidia.com/gpu: 8, memory: 640Gi}}", 1)
	before := w.refuse
	w.refuse = func(o metav1.Object) error { // as in errors of API servers of any version
		at := field.NewPath("spec", "template", "spec", "containers").Index(0).Child("resources", "requests")
		return apierrors.NewInvalid(schema.GroupKind{Group: "batch", Kind: "Job"}, o.GetName(), field.ErrorList{
			field.Invalid(at, "720Gi", "must be less than or equal to memory limit of 640Gi"), field.Invalid(at.Key("memory"), "720Gi", "must be less than or equal to memory limit of 640Gi"),
			field.Invalid(at, "64", "must be less than or equal to cpu limit of 32"),
		})
	}
	limit := api.FieldProblem{Field: "spec.template.spec.containers[0].resources.limits.memory", Line: 12, Message: "the memory limit, 640Gi, is less than the request, 720Gi", Repair: "720Gi"}
	want = []api.FieldProblem{limit, limit, {Field: "spec.template.spec.containers[0].resources.requests", Line: 12, Message: `Invalid value: "64": must be less than or equal to cpu limit of 32`}}
	if diff := cmp.Diff(want, check(api.SubmitRequest{YAML: low})); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
	w.refuse = before
	rendered := post[api.Rendered](w, "anna", api.PathRender, api.RenderRequest{Template: "job", Values: map[string]any{"image": "train:7", "gpus": 2, "name": "llama"}})
	lines := strings.Split(rendered.YAML, "\n")
	for parameter, word := range map[string]string{"image": "image: train:7", "name": "name: llama", "gpus": `nvidia.com/gpu: "2"`} {
		at := rendered.Lines[parameter]
		if len(at) == 0 || !slices.ContainsFunc(at, func(n int) bool {
			return strings.Contains(strings.ReplaceAll(lines[n-1], `"2"`, "2"), strings.ReplaceAll(word, `"2"`, "2"))
		}) {
			t.Errorf("%s is in lines %v of\n%s", parameter, at, rendered.YAML)
		}
	}
	made := api.SubmitRequest{Template: "job", Values: map[string]any{"image": "train:7"}}
	if got := check(made); len(got) != 2 || got[1].Parameter != "image" || got[1].Line == 0 {
		t.Errorf("check of a template: got %+v, want 2 problems, the second in parameter image", got)
	}
	made.Values = map[string]any{"gpus": -1, "what": "x"}
	if got := check(made); len(got) != 3 || got[0].Line != 0 {
		t.Errorf("wrong values: got %+v, want 3 problems, the first without a line", got)
	}
	w.refuse = func(metav1.Object) error { return errQuota }
	if got := check(api.SubmitRequest{YAML: train}); len(got) != 1 || !strings.Contains(got[0].Message, "exceeded quota") {
		t.Errorf("check with a quota: got %+v, want that it is exceeded", got)
	}
	w.refused("anna", api.PathSubmit, api.SubmitRequest{Cluster: clusterName, Namespace: "team-a", YAML: train}, http.StatusUnprocessableEntity)
	w.wantActs("anna submit team-a/train failed")
}

// TestTemplates: the list has the built-in templates with their forms.
func TestTemplates(t *testing.T) {
	w := newWorld(t)
	for path, want := range map[string]int{"": 200, "/job": 200, "/nothing": 404, "/..%2f..%2fetc%2fpasswd": 404} {
		if status, text := w.send("vera", http.MethodGet, api.Prefix+api.PathTemplates+path, nil); status != want || want == 200 && !strings.Contains(text, `"type":"int"`) {
			t.Errorf("%s: got status %d and %.200s, want %d", path, status, text, want)
		}
	}
}

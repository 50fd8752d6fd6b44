package submit_test

import (
	"errors"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/platform/submit"
)

// refuse returns a client of a server that answers dry runs with the given answers, one
// after the other.
func refuse(t *testing.T, answers ...metav1.Status) *submit.Client {
	t.Helper()
	srv, cluster := serve(t, apitest.Config{})
	for _, a := range answers {
		inject(t, srv, apitest.Fault{Match: apitest.Match{Verb: apitest.VerbCreate, Resource: "jobs"}, Action: apitest.Respond(a)})
	}
	return submit.New(cluster, submit.Config{})
}

// refusal returns a Status.
func refusal(code int, message string, details *metav1.StatusDetails) metav1.Status {
	s := apitest.Failure(code, 0)
	s.Message, s.Details = message, details
	return s
}

// TestObjections: the text of the server is unchanged, and has the line of the field.
func TestObjections(t *testing.T) {
	causes := &metav1.StatusDetails{Kind: "Job", Causes: []metav1.StatusCause{
		{Type: "FieldValueInvalid", Field: "spec.parallelism", Message: `Invalid value: -2: must be greater than or equal to 0`},
		{Type: "FieldValueRequired", Field: "spec.template.spec.containers[0].resources.limits[nvidia.com/gpu]", Message: "Required value\x1b[31m"},
	}}
	strict := `Job in version "v1" cannot be handled as a Job: strict decoding error: unknown field "spec.template.spec.containers[0].imag", duplicate field "spec.parallelism", unknown field "metadata.annotations[\"a, unknown field \"]"`
	for name, c := range map[string]struct {
		answers []metav1.Status
		want    string
	}{
		"values": {[]metav1.Status{refusal(422, "Job is invalid", causes)}, "job.yaml:6: spec.parallelism: Invalid value: -2: must be greater than or equal to 0\n" +
			"job.yaml:11: spec.template.spec.containers[0].resources.limits[nvidia.com/gpu]: Required value\x1b[31m"},
		"unknown fields and values": {
			[]metav1.Status{refusal(400, strict, nil), refusal(422, "Job is invalid", &metav1.StatusDetails{Causes: causes.Causes[:1]})},
			"job.yaml:11: unknown field \"spec.template.spec.containers[0].imag\"\njob.yaml:6: duplicate field \"spec.parallelism\"\n" +
				"job.yaml:3: unknown field \"metadata.annotations[\\\"a, unknown field \\\"]\"\n" +
				"job.yaml:6: spec.parallelism: Invalid value: -2: must be greater than or equal to 0",
		},
		"type": {
			[]metav1.Status{refusal(400, `Job in version "v1" cannot be handled as a Job: json: cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32`, nil)},
			`job.yaml:6: Job in version "v1" cannot be handled as a Job: json: cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32`,
		},
		"no JSON":   {[]metav1.Status{refusal(400, "cannot parse", nil)}, "job.yaml:1: cannot parse"},
		"namespace": {[]metav1.Status{refusal(404, `namespaces "ml" not found`, &metav1.StatusDetails{Kind: "namespaces", Name: "ml"})}, "job.yaml:3: metadata.namespace: namespaces \"ml\" not found"},
		"quota":     {[]metav1.Status{refusal(403, `jobs.batch "train-7" is forbidden: exceeded quota: q`, nil)}, `job.yaml:1: jobs.batch "train-7" is forbidden: exceeded quota: q`},
		"too large": {[]metav1.Status{refusal(500, "etcdserver: request is too large", nil)}, "job.yaml:1: etcdserver: request is too large"},
	} {
		client := refuse(t, c.answers...)
		_, err := client.Submit(t.Context(), submit.Request{Manifest: parse(t, jobYAML)})
		if got := problems(err); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
}

// TestOwnObjections: mistakes that are found before the dry run.
func TestOwnObjections(t *testing.T) {
	srv, cluster := serve(t, apitest.Config{})
	client := submit.New(cluster, submit.Config{})
	edit := func(old, new string) submit.Request {
		return submit.Request{Manifest: parse(t, strings.Replace(jobYAML, old, new, 1))}
	}
	large := submit.Request{Manifest: parse(t, jobYAML)}
	large.Manifest.Object.SetAnnotations(map[string]string{"a": strings.Repeat("x", 3<<20)})
	other := edit("name: train-7", "name: train-7\n  namespace: other")
	other.Namespace = "ml"
	for name, c := range map[string]struct {
		req  submit.Request
		want string
	}{
		"unknown kind":      {edit("kind: Job", "kind: Jobb"), `job.yaml:2: kind: the server at ` + cluster.Host() + ` has no resource type "Jobb.v1.batch"; did you mean jobs.batch`},
		"no namespaces":     {edit("apiVersion: batch/v1\nkind: Job", "apiVersion: v1\nkind: Node"), "job.yaml:2: kind: nodes is not a type of jobs; submit one of "},
		"no job":            {edit("apiVersion: batch/v1\nkind: Job", "apiVersion: v1\nkind: ConfigMap"), "job.yaml:2: kind: configmaps is not a type of jobs; submit one of "},
		"3 MB":              {large, "job.yaml:1: the object has 31"},
		"another namespace": {other, "job.yaml:5: metadata.namespace: the manifest is for the namespace other, and the request for ml"},
		"name is a number":  {edit("name: train-7", "name: 7"), "job.yaml:4: metadata.name is 7, which is not text; put it in quotes"},
		"name with a slash": {edit("name: train-7", "name: train/7"), "job.yaml:4: metadata.name: the name \"train/7\" is not valid"},
		"labels":            {edit("name: train-7", "name: train-7\n  labels: [a]"), "job.yaml:5: metadata.labels is not a mapping"},
		"metadata":          {edit("metadata:\n  name: train-7", "metadata: train-7"), "job.yaml:3: metadata is not a mapping"},
		"wrong namespace":   {edit("name: train-7", "name: train-7\n  namespace: ../etc"), "job.yaml:5: metadata.namespace: the namespace \"../etc\" is not valid"},
	} {
		_, err := client.Submit(t.Context(), c.req)
		if got := problems(err); !strings.HasPrefix(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, c.want)
		}
	}
	for _, key := range []string{strings.Repeat("k", submit.MaxKey+1), "a\nb", "\xff"} {
		if _, err := client.Submit(t.Context(), submit.Request{Manifest: parse(t, jobYAML), Key: key}); err == nil {
			t.Errorf("the key %.20q was accepted", key)
		}
	}
	if _, err := client.Submit(t.Context(), submit.Request{}); err == nil {
		t.Error("no manifest")
	}
	if n := creations(srv); n > 0 {
		t.Errorf("%d requests to create something", n)
	}
}

// TestDenied: the error for a missing right has a role that grants it; a refusal by
// admission has none.
func TestDenied(t *testing.T) {
	allowed := true
	srv, _ := serve(t, apitest.Config{
		Tokens: map[string]string{"t-wei": "wei@example.com", "t-ci": "system:serviceaccount:ci:runner"},
		Authorize: func(r apitest.Request) error {
			if r.Verb == apitest.VerbCreate && !allowed {
				return errors.New(`User "x" cannot create resource "jobs"`)
			}
			return nil
		},
		Admit: func(apitest.Request, metav1.Object) error {
			return errors.New(`exceeded quota: User "x" cannot have more`)
		},
	})
	rc := srv.RESTConfig()
	rc.BearerToken = "t-wei"
	_, err := submit.New(connect(t, rc), submit.Config{}).Submit(t.Context(), submit.Request{Manifest: parse(t, jobYAML)})
	var denied *submit.DeniedError
	var invalid *submit.InvalidError
	if errors.As(err, &denied) || !errors.As(err, &invalid) || !apierrors.IsForbidden(err) {
		t.Errorf("rejected by admission: got %T: %v, want it invalid, not denied", err, err)
	}
	allowed = false
	_, err = submit.New(connect(t, rc), submit.Config{}).Submit(t.Context(), submit.Request{Manifest: parse(t, jobYAML)})
	if !errors.As(err, &denied) || err.Error() != "the user wei@example.com may not create jobs.batch in the namespace ml" {
		t.Fatalf("got %T: %v, want that the user may not create jobs.batch", err, err)
	}
	want := `apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: vedette-create-jobs
  namespace: ml
rules:
- apiGroups:
  - batch
  resources:
  - jobs
  verbs:
  - create
  - get
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: vedette-create-jobs
  namespace: ml
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: vedette-create-jobs
subjects:
- apiGroup: rbac.authorization.k8s.io
  kind: User
  name: wei@example.com
`
	if denied.Role != want {
		t.Errorf("got the role\n%s\nwant\n%s", denied.Role, want)
	}
	rc = srv.RESTConfig()
	rc.BearerToken = "t-ci"
	_, err = submit.New(connect(t, rc), submit.Config{}).Submit(t.Context(), submit.Request{Manifest: parse(t, jobYAML)})
	if !errors.As(err, &denied) || !strings.Contains(denied.Role, "- kind: ServiceAccount\n  name: runner\n  namespace: ci\n") {
		t.Errorf("got %v, want a Role for the service account runner", err)
	}
}

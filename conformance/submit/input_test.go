package submit_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/conformance/controlplane"
)

// jobText is a job that the server accepts.
const jobText = `apiVersion: batch/v1
kind: Job
metadata:
  name: train-7
spec:
  parallelism: 2
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: example.com/train:7
        env:
        - {name: A, value: b}
`

// input is the input of a user, and the expected output.
type input struct {
	name string
	// edit is pairs of old and new text in jobText.
	edit []string
	args []string
	want []string
	// since is the first version of Kubernetes whose API server has these words.
	since string
}

// Sentences of the server.
const (
	subdomain = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character ` +
		`(e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`
	label = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ` +
		`(e.g. 'MyValue', or 'my_value', or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`
	qualified = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character ` +
		`(e.g. 'MyName', or 'my.name', or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`
	dnsLabel = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character ` +
		`(e.g. 'my-name', or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`
)

var long = strings.Repeat("n", 300)

// inputs are mistakes of users. The output has "vedette: standard input:" before each
// line of want. HOST is the server.
var inputs = []input{
	{
		name: "two mistakes", edit: []string{"parallelism: 2", "paralelism: 2", "restartPolicy: Never", "restartPolicy: Always"},
		want: []string{`6: unknown field "spec.paralelism"`, `9: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"`},
	},
	{
		name: "two mistakes of syntax", edit: []string{"parallelism: 2", "parallelism: 2\n  parallelism: 3", "image: ", "\timage: "},
		want: []string{`7: the field "parallelism" is in line 6 already`, "13: invalid YAML: found a tab character that violates indentation"},
	},
	{
		name: "wrong type", edit: []string{"parallelism: 2", "parallelism: two"},
		want: []string{`6: Job in version "v1" cannot be handled as a Job: json: cannot unmarshal string into Go struct field JobSpec.spec.parallelism of type int32`},
	},
	{
		name: "wrong type in a list", edit: []string{"image: example.com/train:7", "image: [a]"},
		want: []string{`12: spec.template.spec.containers[0].image: Job in version "v1" cannot be handled as a Job: json: cannot unmarshal array into Go struct field Container.spec.template.spec.containers.image of type string`},
	},
	{name: "missing namespace", args: []string{"-n", "nowhere"}, want: []string{`3: metadata.namespace: namespaces "nowhere" not found`}},
	{name: "missing namespace in the file", edit: []string{"name: train-7", "name: train-7\n  namespace: nowhere"}, want: []string{`5: metadata.namespace: namespaces "nowhere" not found`}},
	{
		name: "another namespace", edit: []string{"name: train-7", "name: train-7\n  namespace: nowhere"}, args: []string{"-n", "team-bad-input"},
		want: []string{"5: metadata.namespace: the manifest is for the namespace nowhere, and the request for team-bad-input"},
	},
	{name: "unknown type", edit: []string{"kind: Job", "kind: PyTorchJob", "batch/v1", "kubeflow.org/v1"}, want: []string{`2: kind: the server at HOST has no resource type "PyTorchJob.v1.kubeflow.org"`}},
	{
		name: "name of 300 characters", since: "1.35", edit: []string{"train-7", long},
		want: []string{`4: metadata.name: Invalid value: "` + long + `": must be no more than 253 characters`, `7: spec.template.labels: Invalid value: "` + long + `": must be no more than 63 bytes`},
	},
	{name: "prefix of 300 characters", edit: []string{"name: train-7", "generateName: " + long}, want: []string{`4: metadata.generateName: Invalid value: "` + long + `": must be no more than 253 characters`}},
	{name: "label of 300 characters", since: "1.35", edit: []string{"name: train-7", "name: train-7\n  labels: {a: " + long + "}"}, want: []string{`5: metadata.labels: Invalid value: "` + long + `": must be no more than 63 bytes`}},
	{name: "container of 300 characters", edit: []string{"name: main", "name: " + long}, want: []string{`11: spec.template.spec.containers[0].name: Invalid value: "` + long + `": must be no more than 63 characters`}},
	{
		name: "control characters in the name", edit: []string{"train-7", `"train\e[31m\u202e\0"`},
		want: []string{`4: metadata.name: Invalid value: "train\x1b[31m\u202e\x00": ` + subdomain, `7: spec.template.labels: Invalid value: "train\x1b[31m\u202e\x00": ` + label},
	},
	{
		name: "control characters in the namespace", edit: []string{"name: train-7", "name: train-7\n" + `  namespace: "a\e[31m"`},
		want: []string{`5: metadata.namespace: the namespace "a\x1b[31m" is not valid; use lowercase letters, digits and '-', at most 63`},
	},
	{
		name: "control characters in a label", edit: []string{"name: train-7", "name: train-7\n" + `  labels: {"a\e[31m": "b\a"}`},
		want: []string{`5: metadata.labels: Invalid value: "a\x1b[31m": ` + qualified, `5: metadata.labels: Invalid value: "b\a": ` + label},
	},
	{
		name: "control characters in an annotation", edit: []string{"name: train-7", "name: train-7\n" + `  annotations: {"a\e[31m": "b\a"}`},
		want: []string{`5: metadata.annotations: Invalid value: "a\x1b[31m": ` + qualified},
	},
	{
		name: "control characters in container and variable", since: "1.32", edit: []string{"name: main", `name: "main\e[31m"`, "name: A", `name: "A\e=\n"`},
		want: []string{
			`11: spec.template.spec.containers[0].name: Invalid value: "main\x1b[31m": ` + dnsLabel,
			`14: spec.template.spec.containers[0].env[0].name: Invalid value: "A\x1b=\n": a valid environment variable name must consist only of printable ASCII characters other than '='`,
		},
	},
	{name: "control characters in a field's name", edit: []string{"parallelism: 2", `"a\e[31m\n": 2`}, want: []string{`6: unknown field "spec.a\x1b[31m\n"`}},
	{name: "control characters in the type", edit: []string{"kind: Job", `kind: "Job\e[31m"`}, want: []string{`2: kind: "Job\x1b[31m.v1.batch" is not the name of a type: it has a space or a control character`}},
	{
		name: "quota", args: []string{"-n", "full"},
		want: []string{`1: jobs.batch "train-7" is forbidden: exceeded quota: no-jobs, requested: count/jobs.batch=1, used: count/jobs.batch=0, limited: count/jobs.batch=0`},
	},
	{
		name: "3 MB", edit: []string{"value: b", "value: " + strings.Repeat("x", 3<<20)},
		want: []string{"1: the object has 3145960 bytes; the API server stores at most 1572864. Put large data into a volume, an image or a ConfigMap"},
	},
	{name: "empty", edit: []string{jobText, ""}, want: []string{" the file has no object"}},
	{name: "no YAML", edit: []string{jobText, "\x00\xff\xfe"}, want: []string{"1: invalid YAML: control characters are not allowed"}},
}

// testBadInput: the output has the server's sentences with the lines of the file, all
// mistakes at once, and no job is created.
func testBadInput(t *testing.T, s *stage) {
	admin := s.kubeconfig(t, "")
	s.full(t)
	host := strings.TrimPrefix(s.plane.Host(), "https://")
	for _, in := range inputs {
		t.Run(in.name, func(t *testing.T) {
			if in.since != "" {
				controlplane.Needs(t, in.since, "these words of the API server")
			}
			text := strings.NewReplacer(in.edit...).Replace(jobText)
			code, out, errs := s.run(t, admin, text, append([]string{"submit", "-f", "-"}, in.args...)...)
			var want strings.Builder
			for _, line := range in.want {
				want.WriteString("vedette: standard input:" + strings.Replace(line, "HOST", host, 1) + "\n")
			}
			if code != 1 || out != "" || errs != want.String() {
				t.Errorf("exit code %d\n%s%swant\n%s", code, out, errs, want.String())
			}
		})
	}
	if n := len(s.jobs(t)); n != 0 {
		t.Errorf("%d jobs", n)
	}
}

// full creates a namespace in which no job may be created. No controller runs that would
// count the jobs.
func (s *stage) full(t *testing.T) {
	t.Helper()
	if _, err := s.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "full"}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	hard := corev1.ResourceList{"count/jobs.batch": resource.MustParse("0")}
	quotas := s.client.CoreV1().ResourceQuotas("full")
	q, err := quotas.Create(t.Context(), &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "no-jobs"}, Spec: corev1.ResourceQuotaSpec{Hard: hard}}, metav1.CreateOptions{})
	if err == nil {
		q.Status = corev1.ResourceQuotaStatus{Hard: hard, Used: hard}
		_, err = quotas.UpdateStatus(t.Context(), q, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

package submit_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/platform/submit"
	"github.com/vedette-io/vedette/platform/submit/manifest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// jobYAML is a valid job.
const jobYAML = `apiVersion: batch/v1
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
`

// anonymous is the user of a server without tokens.
const anonymous = "anonymous"

// serve starts a server and connects to it.
func serve(t *testing.T, cfg apitest.Config) (*apitest.Server, *kube.Cluster) {
	t.Helper()
	srv, err := apitest.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return srv, connect(t, srv.RESTConfig())
}

func connect(t *testing.T, rc *rest.Config) *kube.Cluster {
	t.Helper()
	cluster, err := kube.Connect(kube.Config{REST: rc, Namespace: "ml"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	return cluster
}

// parse returns the one manifest of a text.
func parse(t *testing.T, text string) *manifest.Manifest {
	t.Helper()
	all, err := manifest.Parse(t.Context(), "job.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 1 {
		t.Fatalf("the text has %d manifests", len(all))
	}
	return all[0]
}

// jobs returns the jobs of a server.
func jobs(t *testing.T, srv *apitest.Server) []*batchv1.Job {
	t.Helper()
	all, err := srv.List(&batchv1.Job{}, "")
	if err != nil {
		t.Fatal(err)
	}
	var found []*batchv1.Job
	for _, o := range all {
		found = append(found, o.(*batchv1.Job))
	}
	return found
}

// inject arms a fault for creations, but not for dry runs.
func inject(t *testing.T, srv *apitest.Server, f apitest.Fault) *apitest.Injection {
	t.Helper()
	i, err := srv.Inject(f)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// creations returns the number of requests to create jobs.
func creations(srv *apitest.Server) int {
	return len(slices.DeleteFunc(srv.Requests(), func(r apitest.Request) bool {
		return r.Verb != apitest.VerbCreate || r.Resource.Resource != "jobs"
	}))
}

// problems returns the problems of an error, one per line.
func problems(err error) string {
	invalid, ok := err.(*submit.InvalidError)
	if !ok {
		return fmt.Sprintf("%T: %v", err, err)
	}
	var lines []string
	for _, p := range invalid.Problems {
		lines = append(lines, p.String())
	}
	return strings.Join(lines, "\n")
}

// forbidden returns the refusal of a quota.
func forbidden(message string) metav1.Status {
	s := apitest.Failure(403, 0)
	s.Message = message
	return s
}

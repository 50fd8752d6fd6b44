package kindtest

import (
	_ "embed"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/job"
)

//go:embed kinds.yaml
var file []byte

// Name is the name of all examples.
const Name = "train-7"

// Row is an example of a kind.
type Row struct {
	// Type is the type, such as "pytorchjobs.kubeflow.org", Version the version of its API, and
	// Source the place that says how its operator works.
	Type, Version, Source string
	// Spec is submitted, and Status is written by the operator. Submitted is the spec of a copy,
	// if it differs.
	Spec, Status, Submitted map[string]any
	GPUs                    int
	Pod                     Pod
	Cancel                  Cancel
	Hold                    Hold
	// None has the reasons for cells without a test, by the name of the cell.
	None map[string]string
}

// Pod is a pod as the operator makes it. Owners are the controllers from the pod up to the
// example.
type Pod struct {
	Labels map[string]string
	Owners []job.Owner
}

// Cancel is how a job is cancelled: a value of job.CancelAnnotation, and a path with its
// value, if a field does it.
type Cancel struct {
	How   string
	Field []any
}

// Hold is how a job is held: a path with its value, and the value after the release.
type Hold struct {
	Field    []any
	Released any
}

// Rows returns the examples.
func Rows(t testing.TB) (rows []Row) {
	t.Helper()
	if err := yaml.Unmarshal(file, &rows); err != nil {
		t.Fatalf("read the examples of kinds: %v", err)
	}
	return rows
}

// Kind returns the kind of the example.
func (r *Row) Kind(t testing.TB) *job.Kind {
	t.Helper()
	k := job.KindOfType(r.Type)
	if k == nil {
		t.Fatalf("the example %s has no kind", r.Type)
	}
	return k
}

// Object returns the example.
func (r *Row) Object(t testing.TB) map[string]any {
	t.Helper()
	k := r.Kind(t)
	o := map[string]any{"apiVersion": apiVersion(k.Group, r.Version), "kind": k.Name, "metadata": map[string]any{"name": Name}, "spec": r.Spec}
	if r.Status != nil {
		o["status"] = r.Status
	}
	return o
}

func apiVersion(group, version string) string {
	if group == "" {
		return version
	}
	return group + "/" + version
}

// Split returns a path and its value.
func Split(field []any) (path []string, value any) {
	for _, part := range field[:len(field)-1] {
		text, _ := part.(string)
		path = append(path, text)
	}
	return path, field[len(field)-1]
}

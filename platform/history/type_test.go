package history_test

import (
	"slices"
	"testing"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

var (
	pods    = history.Type{Resource: "pods", Kind: "Pod"}
	jobs    = history.Type{Group: "batch", Resource: "jobs", Kind: "Job"}
	volcano = history.Type{Group: "batch.volcano.sh", Resource: "jobs", Kind: "Job"}
)

// TestFindType: the words that kubectl accepts.
func TestFindType(t *testing.T) {
	all := []history.Type{volcano, jobs, pods}
	for word, want := range map[string]history.Type{
		"pods": pods, "pod": pods, "po": pods, "Pod": pods, "pods.v1": pods, "jobs.batch": jobs, "job.batch": jobs, "jobs.v1.batch": jobs, "Job.v1alpha1.batch.volcano.sh": volcano, "vcjob": volcano,
		"job": jobs, "jobs": jobs,
	} {
		if got, err := history.FindType(all, word); err != nil || got != want {
			t.Errorf("%q: got %v and error %v, want %v", word, got, err, want)
		}
	}
	for word, want := range map[string]string{
		"cow":        `no type "cow" is recorded; recorded types: jobs.batch.volcano.sh, jobs.batch, pods`,
		"pods.batch": `no type "pods.batch" is recorded; did you mean pods?`,
	} {
		if got, err := history.FindType(all, word); err == nil || err.Error() != want {
			t.Errorf("%q: got %v and error %v, want %s", word, got, err, want)
		}
	}
	if got, err := history.FindType(nil, "cow"); err == nil || err.Error() != `no type "cow" is recorded, and no other type` {
		t.Errorf("without types: %v, %v", got, err)
	}
}

// TestFindTypes: the order is that of kubectl.
func TestFindTypes(t *testing.T) {
	var all, want []history.Type
	for _, group := range []string{"", "batch", "networking.k8s.io", "a.example.com", "jobset.x-k8s.io"} {
		want = append(want, history.Type{Group: group, Resource: "jobs", Kind: "Job"})
	}
	for _, i := range []int{3, 2, 4, 0, 1} {
		all = append(all, want[i])
	}
	if got, err := history.FindTypes(all, "Job"); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v and error %v, want %v", got, err, want)
	}
}

// TestTypes: all recorded types, sorted by resource and group.
func TestTypes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		got, err := history.New(open(t, url)).Types(t.Context())
		if err != nil || !slices.Equal(got, []history.Type{jobs, volcano, pods}) {
			t.Errorf("got %v and error %v, want %v", got, err, []history.Type{jobs, volcano, pods})
		}
	})
}

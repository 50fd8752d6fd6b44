package rule

import (
	"testing"
)

func TestTypePatterns(t *testing.T) {
	job, torch, pod := Type{"batch", "jobs", "Job"}, Type{"kubeflow.org", "pytorchjobs", "PyTorchJob"}, Type{"", "pods", "Pod"}
	volcano := Type{"batch.volcano.sh", "jobs", "Job"}
	for _, c := range []struct {
		pattern string
		of      Type
		want    bool
	}{
		{"jobs", job, true},
		{"jobs", volcano, true},
		{"Job", job, true},
		{"jobs.batch", job, true},
		{"jobs.batch", volcano, false},
		{"jobs.batch.volcano.sh", volcano, true},
		{"pytorchjob.kubeflow.org", torch, true},
		{"*.kubeflow.org", torch, true},
		{"*.kubeflow.org", job, false},
		{"*", pod, true},
		{"pods", pod, true},
		{"pod", job, false},
	} {
		p, err := ParseTypePattern(c.pattern)
		if err != nil {
			t.Errorf("pattern %s does not parse: %v", c.pattern, err)
		} else if got := p.Matches(c.of); got != c.want || p.String() != c.pattern {
			t.Errorf("%s matches %s: %v, want %v", p, c.of, got, c.want)
		}
	}
	for _, bad := range []string{"", ".", "jobs.", ".batch", "jobs/batch", "job*", "jobs.*", "jobs batch", "jobs.batch/v1"} {
		if _, err := ParseTypePattern(bad); err == nil {
			t.Errorf("%q is not refused", bad)
		}
	}
}

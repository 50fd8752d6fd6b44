package history

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestUnrecorded: which parts of the history are not current.
func TestUnrecorded(t *testing.T) {
	now := time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)
	of := func(cluster, resource string, renewed, committed time.Duration) Freshness {
		return Freshness{Cluster: cluster, Type: Type{Resource: resource}, Renewed: now.Add(-renewed), Committed: now.Add(-committed)}
	}
	const minute = time.Minute
	for _, test := range []struct {
		name string
		all  []Freshness
		want string
	}{
		{"all are recorded", []Freshness{of("a", "jobs", 0, 0), of("b", "pods", 9*time.Second, 9*time.Second)}, ""},
		{"nobody has recorded", nil, "/ 00:00:00 false"},
		{"a cluster without a recorder", []Freshness{of("a", "jobs", minute, minute), of("a", "pods", minute, 2*minute), of("b", "pods", 0, 0)}, "a/ 09:59:00 false"},
		{"a type without a recorder", []Freshness{of("a", "jobs", minute, minute), of("a", "pods", 0, 0)}, "a/jobs 09:59:00 false"},
		{"a type is behind", []Freshness{of("a", "jobs", 0, 2*minute), of("a", "pods", 0, 0)}, "a/jobs 09:58:00 true"},
		{"one is behind, and one has no recorder", []Freshness{of("a", "jobs", 0, 2*minute), of("a", "pods", minute, minute)}, "a/jobs 09:58:00 true; a/pods 09:59:00 false"},
	} {
		var got []string
		for _, u := range unrecordedOf(test.all, now) {
			got = append(got, fmt.Sprintf("%s/%s %s %v", u.Cluster, u.Type.Resource, u.Since.Format(time.TimeOnly), u.Behind))
		}
		if strings.Join(got, "; ") != test.want {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

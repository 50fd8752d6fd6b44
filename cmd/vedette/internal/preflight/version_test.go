package preflight

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/version"
)

func TestExamineVersion(t *testing.T) {
	for _, c := range []struct {
		git, minor string
		verdict    Verdict
		found      string
	}{
		{"v1.28.15", "28", Passed, "Kubernetes v1.28.15 at here"},
		{"v1.28.9-gke.1", "28+", Passed, "Kubernetes v1.28.9-gke.1 at here"},
		{"v1.27.16", "27", Warning, "is older than 1.28"},
		{"v1.31.0-proxy", "", Warning, `has the minor version "", which is not a number`},
	} {
		var f Findings
		f.examineVersion(&version.Info{Major: "1", Minor: c.minor, GitVersion: c.git}, "here")
		if got := f.All[0]; got.Verdict != c.verdict || !strings.Contains(got.Found, c.found) || (got.Remedy == "") != (c.verdict == Passed) {
			t.Errorf("%s: got %+v, want %s and %q", c.git, got, c.verdict, c.found)
		}
	}
}

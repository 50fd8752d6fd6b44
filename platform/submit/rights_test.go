package submit_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
)

// TestSubmitterRights: the example of the rights of people allows every type of jobs.
func TestSubmitterRights(t *testing.T) {
	testinput.Uncached(t)
	text, err := os.ReadFile("../../deploy/submitters.yaml")
	if err != nil {
		t.Fatal(err)
	}
	document, _, _ := strings.Cut(string(text), "\n---\n")
	var role rbacv1.ClusterRole
	if err := yaml.Unmarshal([]byte(document), &role); err != nil {
		t.Fatal(err)
	}
	for _, name := range job.Types() {
		resource, group := job.SplitType(name)
		if !slices.ContainsFunc(role.Rules, func(r rbacv1.PolicyRule) bool {
			return slices.Contains(r.APIGroups, group) && slices.Contains(r.Resources, resource) && slices.Contains(r.Verbs, "delete")
		}) {
			t.Errorf("deploy/submitters.yaml grants no rights on %s", name)
		}
	}
}

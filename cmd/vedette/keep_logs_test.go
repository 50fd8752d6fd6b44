package main

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/apitest"
)

// TestDoctorOfLogs checks that doctor finds missing rights for kept logs, only if logs are kept.
func TestDoctorOfLogs(t *testing.T) {
	t.Parallel()
	denied := true
	srv := recordable(t, apitest.Config{Authorize: func(r apitest.Request) error {
		if denied && r.Subresource == "log" || r.Resource.Resource == "jobs" && r.Verb == "get" {
			return errors.New("not you")
		}
		return nil
	}})
	args := []string{"doctor", "pods", "--kubeconfig", srv.kubeconfig, "--db", "sqlite:" + filepath.Join(t.TempDir(), "h.db")}
	if out, _ := ended(t, 0, args...); strings.Contains(out, "logs") {
		t.Errorf("logs are checked although none are kept:\n%s", out)
	}
	args = append(args, "--keep-logs", "jobs,namespace=other,rockets.example.com")
	out, _ := ended(t, 1, args...)
	for _, want := range []string{
		"logs | may not get pods/log in other (not you); grant get on pods/log in a Role or ClusterRole",
		"logs | may not get pods/log in ml (not you); grant",
		"logs | may not get jobs.batch in all namespaces; without this right, owners of these objects are not known",
		`has no resource type "rockets.example.com"`,
	} {
		if got := strings.Join(rows(out), "\n"); !strings.Contains(got, want) {
			t.Errorf("%s is not in\n%s", want, got)
		}
	}
	denied = false
	out, _ = ended(t, 0, args...)
	if got := strings.Join(rows(out), "\n"); !strings.Contains(got, "logs | may list and watch pods and get pods/log in ml") {
		t.Errorf("doctor: got %s, want the rights for logs passed", got)
	}
}

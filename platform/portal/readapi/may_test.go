package readapi_test

import (
	"context"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/readapi"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// TestMayRelease: a person who may patch a held job may release it; the answer to others does not
// list the act.
func TestMayRelease(t *testing.T) {
	w := newWorld(t)
	held := newJob("team-a", "held")
	held.Labels[job.HeldLabel] = "true"
	a, b := w.create(held).(*batchv1.Job), w.create(newJob("team-a", "free")).(*batchv1.Job)
	w.settle()
	verb := ""
	w.serve(func(c *readapi.Config) {
		c.May = func(_ context.Context, r access.Right) error {
			if r.Verb == verb && r.Resource == "jobs" && r.Namespace == "team-a" {
				return nil
			}
			return web.Denied("no", "")
		}
	})
	for _, c := range []struct {
		job  *batchv1.Job
		verb string
		want []string
	}{
		{a, "patch", []string{"release"}},
		{a, "delete", []string{"stop"}},
		{a, "list", []string{}},
		{b, "patch", []string{}},
	} {
		verb = c.verb
		if d := read[api.JobDetail](w, jobPath(api.PathJob, string(c.job.UID))); !slices.Equal(d.May, c.want) {
			t.Errorf("%s with the right to %s: may %q, want %q", c.job.Name, c.verb, d.May, c.want)
		}
	}
}

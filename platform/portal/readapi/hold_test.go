package readapi_test

import (
	"context"
	"slices"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/portal/access"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/readapi"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// TestReleaseWhileHeld: a held job can be released by a person who may change it, and only while it
// is held. A queue that only delays its start is not shown.
func TestReleaseWhileHeld(t *testing.T) {
	w := newWorld(t)
	held := newJob("team-a", "held")
	held.Labels[job.HeldLabel], held.Labels["kueue.x-k8s.io/queue-name"] = "true", job.NoQueue
	on := true
	held.Spec.Suspend = &on
	job, free := w.create(held), w.create(newJob("team-a", "free"))
	w.settle()
	allowed := false
	w.serve(func(c *readapi.Config) {
		c.May = func(_ context.Context, r access.Right) error {
			if r.Verb == "patch" && !allowed {
				return web.Denied("no", "kind: Role")
			}
			return nil
		}
	})
	may := func(o apitest.Object) bool {
		d := read[api.JobDetail](w, jobPath(api.PathJob, string(o.GetUID())))
		return slices.Contains(d.May, "release")
	}
	if may(job) || may(free) {
		t.Error("a person without the right may release")
	}
	allowed = true
	if !may(job) || may(free) {
		t.Errorf("with the right: held %v, free %v", may(job), may(free))
	}
	if d := read[api.JobDetail](w, jobPath(api.PathJob, string(job.GetUID()))); d.Job.Queue != "" {
		t.Errorf("got queue %q, want none", d.Job.Queue)
	}
	if _, err := apitest.Modify(w.srv, held, func(j *batchv1.Job) {
		j.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobComplete, Status: corev1.ConditionTrue}}
	}); err != nil {
		t.Fatal(err)
	}
	w.settle()
	if may(job) {
		t.Error("a job that has ended may be released")
	}
}

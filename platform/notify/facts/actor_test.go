package facts_test

import (
	"maps"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestActor: messages about a cancelled job name the actor and the reason, even after the
// job is deleted.
func TestActor(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		p := newPlatform(t, url)
		p.create(trainJob())
		p.begin(1, "node-1")
		theJob := trainJob()
		if _, err := apitest.Modify(p.srv, theJob, func(j *batchv1.Job) {
			maps.Copy(j.Annotations, map[string]string{
				job.CancelledByAnnotation: "ann", job.CancelReasonAnnotation: "wrong data", job.CancelAnnotation: job.CancelDelete, job.CancelledAtAnnotation: time.Now().UTC().Format(time.RFC3339),
			})
		}); err != nil {
			t.Fatal(err)
		}
		aborted := p.seen("train", job.Aborted)
		if err := p.srv.Delete(theJob); err != nil {
			t.Fatal(err)
		}
		deleted := p.seen("train", job.Deleted)
		n := p.fill(message.Aborted, aborted)
		m, err := message.Compose(&n, message.Options{})
		if err != nil || n.Actor != "ann" || m.Title != "Aborted, wrong data: train" {
			t.Errorf("got actor %q, title %q, error %v; want ann and the reason in the title", n.Actor, m.Title, err)
		}
		if n := p.fill(message.Deleted, deleted); n.Actor != "ann" {
			t.Errorf("deleted by %q, want ann", n.Actor)
		}
		aborted.To, aborted.Reason = job.Running, ""
		if n := p.fill(message.Started, aborted); n.Actor != "" {
			t.Errorf("started by %q, want nobody", n.Actor)
		}
	})
}

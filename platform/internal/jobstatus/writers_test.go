package jobstatus_test

import (
	"sync"
	"testing"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/observe"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// TestTwoWriters: two transactions change two pods of a job, or a pod and the job, at the same time. The
// second decision counts the changes of both, also if one of them writes the job to which the other
// one's pod belongs.
func TestTwoWriters(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		jobObject, first, second := &objects[2], &objects[4], &objects[8]
		running, restarting := job.Status{State: job.Running}, job.Status{State: job.Restarting, Reason: "CrashLoopBackOff", Message: "again"}
		write := func(o *object, r observe.Observation, hold func()) {
			err := w.Transact(t.Context(), func(tx *sqldb.Tx) error {
				err := w.write(t.Context(), tx, o.kind, r)
				hold()
				return err
			})
			if err != nil {
				t.Error(err)
			}
		}
		both := func(one, other *object, s, otherStatus job.Status) {
			t.Helper()
			held, release := make(chan struct{}), make(chan struct{})
			earlier, later := w.observation(one, s), w.observation(other, otherStatus)
			var work sync.WaitGroup
			work.Go(func() {
				write(one, earlier, func() {
					close(held)
					<-release
				})
			})
			<-held
			work.Go(func() { write(other, later, func() {}) })
			dbtest.Blocked(t, url, nil)
			close(release)
			work.Wait()
		}
		w.reset()
		for _, o := range []*object{jobObject, first, second} {
			write(o, w.observation(o, running), func() {})
		}
		both(first, second, restarting, restarting)
		w.Want("SELECT state, reason, message FROM jobs", "Restarting CrashLoopBackOff again")
		both(first, jobObject, running, job.Status{State: job.Starting})
		w.Want("SELECT state, reason, message FROM jobs", "Restarting CrashLoopBackOff again")
		both(second, jobObject, running, running)
		w.Want("SELECT state, reason, message FROM jobs", "Running  ")
		both(jobObject, first, job.Status{State: job.Submitted}, job.Status{State: job.Queued, Reason: "Unschedulable", Message: "no node"})
		w.Want("SELECT state, reason, message FROM jobs", "Queued Unschedulable no node")
		for _, podFirst := range []bool{true, false} {
			w.reset()
			write(first, w.observation(first, running), func() {})
			if podFirst {
				both(first, jobObject, restarting, running)
			} else {
				both(jobObject, first, running, restarting)
			}
			w.Want("SELECT state, reason, message FROM jobs", "Restarting CrashLoopBackOff again")
		}
	})
}

// TestMovedPod: a pod counts for the job that its label names until its owner is recorded, and then for
// that of the owner alone. A pod that is deleted counts no more.
func TestMovedPod(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		w := newWorld(t, url)
		w.reset()
		set, jobObject, pod := &objects[0], &objects[2], &objects[8]
		write := func(o *object, s job.Status) {
			t.Helper()
			r := w.observation(o, s)
			r.Deleted = s.State == job.Deleted
			if err := w.Transact(t.Context(), func(tx *sqldb.Tx) error { return w.write(t.Context(), tx, o.kind, r) }); err != nil {
				t.Fatal(err)
			}
		}
		const statuses = "SELECT o.name, j.state, j.reason FROM jobs j JOIN objects o ON o.id = j.object_id ORDER BY o.name"
		write(set, job.Status{State: job.Running})
		write(pod, job.Status{State: job.Restarting, Reason: "CrashLoopBackOff"})
		w.Want(statuses, "set Restarting CrashLoopBackOff")
		write(jobObject, job.Status{State: job.Running})
		w.Want(statuses, "job Restarting CrashLoopBackOff", "set Running ")
		write(pod, job.Status{State: job.Deleted})
		w.Want(statuses, "job Running ", "set Running ")
	})
}

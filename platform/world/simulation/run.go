package simulation

import (
	"context"
	"errors"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vedette-io/vedette/apitest"
	"github.com/vedette-io/vedette/job"
)

// How jobs end, in the order of the summary.
const (
	jobSucceeded = "succeeded"
	jobRetried   = "succeeded after a retry"
	jobFailed    = "failed"
	jobCancelled = "cancelled by their user"
	jobDeleted   = "deleted by their user"
)

// errGone means that another job has the name now.
var errGone = errors.New("the job was deleted")

// jobRun takes one job from its queue to its end, as the queue, the job controller and the
// nodes do.
type jobRun struct {
	*world
	plan     jobPlan
	job      *batchv1.Job
	attempts int
	holds    bool // a token of gpus
}

// toEnd runs the job, and returns how it ended, "" if ctx is done before that.
//
// Errors: errGone, and those of the server.
func (r *jobRun) toEnd(ctx context.Context) (string, error) {
	defer r.release()
	r.pass(ctx, r.plan.chance, 300)
	if Suspended(r.job) {
		message := "waits for quota in queue " + r.job.Labels[job.KueueQueueLabel]
		if err := r.condition(batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", message); err != nil {
			return "", err
		}
		if !r.acquire(ctx) {
			return "", nil
		}
		r.pass(ctx, r.plan.chance, 800)
		if r.plan.withdrawn() {
			return jobCancelled, r.withdraw()
		}
	}
	if cancelled, err := r.admit(); err != nil {
		return "", err
	} else if cancelled {
		<-ctx.Done() // the platform will soon observe it
	}
	for ctx.Err() == nil {
		worked, err := r.attempt(ctx)
		switch {
		case err != nil || ctx.Err() != nil:
			return "", err
		case worked:
			return r.succeed()
		case r.attempts > int(*r.job.Spec.BackoffLimit):
			return jobFailed, r.condition(batchv1.JobFailed, corev1.ConditionTrue, "BackoffLimitExceeded", "Job has reached the specified backoff limit")
		}
		r.pass(ctx, r.plan.chance, 800) // the job controller waits before a retry
	}
	return "", nil
}

// Suspended reports whether a job is suspended.
func Suspended(job *batchv1.Job) bool { return job.Spec.Suspend != nil && *job.Spec.Suspend }

// acquire waits for a node, and reports whether it has one.
func (r *jobRun) acquire(ctx context.Context) bool {
	if r.holds {
		return true
	}
	select {
	case r.gpus <- struct{}{}:
		r.holds = true
	case <-ctx.Done():
	}
	return r.holds
}

func (r *jobRun) release() {
	if r.holds {
		<-r.gpus
		r.holds = false
	}
}

// withdraw cancels the job in the name of its user, as vedette does.
func (r *jobRun) withdraw() error {
	err := r.modify(func(j *batchv1.Job) {
		j.Annotations[job.CancelledByAnnotation], j.Annotations[job.CancelReasonAnnotation] = j.Annotations[job.SubmitterAnnotation], "wrong data"
		j.Annotations[job.CancelledAtAnnotation], j.Annotations[job.CancelAnnotation] = time.Now().UTC().Format(time.RFC3339), job.CancelDelete
	})
	if err != nil {
		return err
	}
	return r.server.Delete(r.job)
}

// admit starts the job, as the queue does, unless its user has cancelled it.
func (r *jobRun) admit() (cancelled bool, err error) {
	err = r.modify(func(j *batchv1.Job) {
		if cancelled = Suspended(j) && j.Annotations[job.CancelledByAnnotation] != ""; cancelled {
			return
		}
		run, now := false, metav1.Now()
		j.Spec.Suspend, j.Status.StartTime = &run, &now
	})
	if err != nil || cancelled {
		return cancelled, err
	}
	for _, c := range r.job.Status.Conditions {
		if c.Type == batchv1.JobSuspended {
			return false, r.condition(batchv1.JobSuspended, corev1.ConditionFalse, "JobResumed", "")
		}
	}
	return false, nil
}

// attempt runs the pods of the job to their end, and reports whether they succeeded.
func (r *jobRun) attempt(ctx context.Context) (worked bool, err error) {
	r.attempts++
	g, err := newPodGroup(r.world, &r.plan, r.job, r.attempts)
	if err != nil {
		return false, err
	}
	n := int32(len(g.pods))
	if err := r.status(func(s *batchv1.JobStatus) { s.Active, s.Ready = n, new(int32) }); err != nil {
		return false, err
	}
	if !g.fits() {
		return false, g.waitForever(ctx)
	}
	if !r.acquire(ctx) {
		return false, nil
	}
	r.pass(ctx, r.plan.chance, 500)
	if err := g.schedule(); err != nil {
		return false, err
	}
	r.pass(ctx, r.plan.chance, 1000)
	if g.pullFails() {
		return false, g.waitForImage(ctx)
	}
	if err := g.begin(); err != nil {
		return false, err
	}
	if err := r.status(func(s *batchv1.JobStatus) { s.Ready = &n }); err != nil {
		return false, err
	}
	lasts := r.plan.lasts()
	reason, code := r.plan.failure()
	if g.train(ctx, lasts, reason); ctx.Err() != nil {
		return false, nil
	}
	if err := g.end(reason, code); err != nil {
		return false, err
	}
	return reason == "", r.count(g, reason == "")
}

// count writes the ended pods of an attempt in two steps, as the job controller does: first
// their UIDs, then the counters. A failed attempt counts as one pod.
func (r *jobRun) count(g *podGroup, worked bool) error {
	uncounted := &batchv1.UncountedTerminatedPods{Failed: []types.UID{g.pods[0].UID}}
	if worked {
		uncounted.Failed = nil
		for _, pod := range g.pods {
			uncounted.Succeeded = append(uncounted.Succeeded, pod.UID)
		}
	}
	err := r.status(func(s *batchv1.JobStatus) { s.Active, s.Ready, s.UncountedTerminatedPods = 0, new(int32), uncounted })
	if err != nil {
		return err
	}
	return r.status(func(s *batchv1.JobStatus) {
		s.Succeeded += int32(len(uncounted.Succeeded))
		s.Failed += int32(len(uncounted.Failed))
		s.UncountedTerminatedPods = &batchv1.UncountedTerminatedPods{}
	})
}

func (r *jobRun) succeed() (string, error) {
	how, now := jobSucceeded, metav1.Now()
	if r.attempts > 1 {
		how = jobRetried
	}
	return how, r.status(func(s *batchv1.JobStatus) {
		s.CompletionTime = &now
		setCondition(s, batchv1.JobComplete, corev1.ConditionTrue, "CompletionsReached", "")
	})
}

// halt ends the pods of a job that was suspended while it ran, as the job controller does.
func (r *jobRun) halt() error {
	if err := removePods(r.server, r.job); err != nil {
		return err
	}
	return r.status(func(s *batchv1.JobStatus) {
		s.Active, s.Ready = 0, new(int32)
		setCondition(s, batchv1.JobSuspended, corev1.ConditionTrue, "JobSuspended", "Job suspended")
	})
}

// modify changes the job, unless another job has its name now.
func (r *jobRun) modify(change func(*batchv1.Job)) error {
	same := true
	job, err := apitest.Modify(r.server, r.job, func(job *batchv1.Job) {
		if same = job.UID == r.job.UID; same {
			change(job)
		}
	})
	switch {
	case err != nil:
		return fmt.Errorf("change job %s/%s: %w", r.job.Namespace, r.job.Name, err)
	case !same:
		return errGone
	}
	r.job = job
	return nil
}

func (r *jobRun) status(change func(*batchv1.JobStatus)) error {
	return r.modify(func(job *batchv1.Job) { change(&job.Status) })
}

// condition sets a condition of the job.
func (r *jobRun) condition(kind batchv1.JobConditionType, status corev1.ConditionStatus, reason, message string) error {
	return r.status(func(s *batchv1.JobStatus) { setCondition(s, kind, status, reason, message) })
}

func setCondition(s *batchv1.JobStatus, kind batchv1.JobConditionType, status corev1.ConditionStatus, reason, message string) {
	c := batchv1.JobCondition{Type: kind, Status: status, Reason: reason, Message: message, LastTransitionTime: metav1.Now()}
	for i := range s.Conditions {
		if s.Conditions[i].Type == kind {
			s.Conditions[i] = c
			return
		}
	}
	s.Conditions = append(s.Conditions, c)
}

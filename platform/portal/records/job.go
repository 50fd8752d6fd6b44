package records

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// OfJob returns a job for the API.
func OfJob(j *history.Job) api.RecordJob {
	out := api.RecordJob{
		ID: j.ID, Cluster: j.Cluster, ClusterUID: j.ClusterUID, Type: j.Type, Kind: j.Kind, Namespace: j.Namespace, Name: j.Name, UID: j.UID,
		State: j.State, Raw: j.Raw, Reason: j.Reason, Message: j.Message, Since: j.Since.UTC(), Queue: j.Queue, Submitter: j.Submitter, Presence: j.Presence.String(),
		Submitted: j.Submitted.UTC(), Ended: j.Ended.UTC(), Deleted: j.Deleted.UTC(), Waited: j.WaitedSeconds, Ran: j.RanSeconds, Tries: j.Tries,
		GPUs: j.GPUs, Pods: j.Pods, Asks: j.Asks, Node: j.Node, Life: make([]api.Span, len(j.Life)),
	}
	for i, s := range j.Life {
		out.Life[i] = api.Span{State: string(s.State), From: s.From.UTC(), To: s.To.UTC(), Gap: s.Gap, Inferred: s.Inferred, Attempt: s.Attempt}
	}
	return out
}

// jobOf is the inverse of OfJob.
func jobOf(j *api.RecordJob) history.Job {
	out := history.Job{
		ID: j.ID, Cluster: j.Cluster, ClusterUID: j.ClusterUID, Type: j.Type, Kind: j.Kind, Namespace: j.Namespace, Name: j.Name, UID: j.UID,
		State: j.State, Raw: j.Raw, Reason: j.Reason, Message: j.Message, Since: j.Since, Queue: j.Queue, Submitter: j.Submitter, Presence: presenceOf(j.Presence),
		Submitted: j.Submitted, Ended: j.Ended, Deleted: j.Deleted, WaitedSeconds: j.Waited, RanSeconds: j.Ran, Tries: j.Tries,
		GPUs: j.GPUs, Pods: j.Pods, Asks: j.Asks, Node: j.Node,
	}
	for _, s := range j.Life {
		out.Life = append(out.Life, job.Span{State: job.State(s.State), From: s.From, To: s.To, Gap: s.Gap, Inferred: s.Inferred, Attempt: s.Attempt})
	}
	return out
}

// OfAttempt returns an attempt for the API.
func OfAttempt(a *history.Attempt) api.RecordAttempt {
	out := api.RecordAttempt{
		Number: a.Number, Record: OfObject(&a.Object), State: string(a.State), Reason: a.Reason, Message: a.Message, Ran: a.Ran.Seconds(),
		RetryOf: a.RetryOf, CancelledBy: a.CancelledBy, CancelReason: a.CancelReason, Compared: a.Compared,
	}
	for _, c := range a.Changes {
		out.Changes = append(out.Changes, api.RecordFieldChange{Path: c.Path, Old: c.Old, New: c.New})
	}
	return out
}

// attemptOf is the inverse of OfAttempt.
func attemptOf(a *api.RecordAttempt) history.Attempt {
	out := history.Attempt{
		Number: a.Number, Object: objectOf(&a.Record), State: job.State(a.State), Reason: a.Reason, Message: a.Message, Ran: duration(a.Ran),
		RetryOf: a.RetryOf, CancelledBy: a.CancelledBy, CancelReason: a.CancelReason, Compared: a.Compared,
	}
	for _, c := range a.Changes {
		out.Changes = append(out.Changes, history.FieldChange{Path: c.Path, Old: c.Old, New: c.New})
	}
	return out
}

// duration returns a number of seconds as a duration, rounded to the precision of the database.
func duration(seconds float64) time.Duration {
	return time.Duration(seconds * float64(time.Second)).Round(time.Microsecond)
}

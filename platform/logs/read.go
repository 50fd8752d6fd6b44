package logs

import (
	"context"
	"errors"
	"iter"

	"github.com/vedette-io/vedette/job"
)

// NoLogsError reports that there are no logs to read.
type NoLogsError struct {
	// Job is the job, as in "job/train-7".
	Job string
	// Kept is set if kept logs were searched too.
	Kept bool
	// Attempts is the number of known attempts. If it is not 0, no container has started
	// yet, or the options select none of their logs.
	Attempts int
	// Chosen is set if the options select some pods, containers or attempts.
	Chosen bool
	// Waits is the state of a job that waits for its first pod: Submitted or Queued. It is
	// empty for other jobs, and if the state is unknown.
	Waits job.State
}

// Error implements error.
func (e *NoLogsError) Error() string {
	switch {
	case e.Attempts > 0 && !e.Chosen:
		return "no container of " + e.Job + " has started yet"
	case e.Attempts > 0:
		return e.Job + " has logs, but none of the pods, containers and attempts that were asked for"
	case e.Waits != "":
		return "no pod of " + e.Job + " exists, because it is " + string(e.Waits)
	case e.Kept:
		return "no pod of " + e.Job + " exists, and no log of it was kept"
	}
	return "no pod of " + e.Job + " exists, so its logs are gone from the cluster"
}

// Read returns the lines of a job's logs: attempt after attempt, and within an attempt
// ordered by time. With Options.Follow it continues with new lines, in the order in which
// they arrive, until the job has ended. The loop may be slow: unread lines stay on the
// nodes, as long as the nodes keep them. A pod that cannot be read causes a note.
//
// Errors: one error ends the sequence: *NoLogsError; *submit.DeniedError for a missing
// right on pods or on their logs; *kube.RequestError; the cause of ctx; those of the
// database.
func Read(ctx context.Context, options Options) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		o := options
		if err := o.check(); err != nil {
			yield(Line{}, err)
			return
		}
		err := read(ctx, &o, func(l Line) bool { return yield(l, nil) })
		if err != nil && !errors.Is(err, errEnough) {
			yield(Line{}, err)
		}
	}
}

func read(ctx context.Context, o *Options, yield func(Line) bool) error {
	told := false
	r := newReader(o, func(l Line) bool {
		told = told || l.Note == ""
		return yield(l)
	})
	if err := r.survey(ctx); err != nil {
		return err
	}
	o.Follow = o.Follow && o.Cluster != nil
	nothing := &NoLogsError{Job: o.Job.String(), Kept: o.Kept != nil, Attempts: r.plan.last, Chosen: len(o.Pods)+len(o.Containers)+len(o.Attempts) > 0}
	if !o.Follow && len(r.plan.runs) == 0 && len(r.plan.notes(map[string]bool{}, false)) == 0 {
		if nothing.Attempts == 0 {
			nothing.Waits = waits(o)
		}
		return nothing
	}
	if o.Found != nil {
		o.Found(len(r.plan.runs))
	}
	if err := r.present(ctx); err != nil || !o.Follow {
		return err
	}
	if err := r.follow(ctx); err != nil {
		return err
	}
	if !told && len(r.plan.live) == 0 && len(r.plan.runs) == 0 {
		return nothing
	}
	return nil
}

// waits returns the state of the job if it waits for its pods.
func waits(o *Options) job.State {
	if o.Job.Object == nil {
		return ""
	}
	if s := job.ReadStatus(o.Job.Object.Object).State; s.Waits() {
		return s
	}
	return ""
}

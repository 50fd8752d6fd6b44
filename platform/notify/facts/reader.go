package facts

import (
	"context"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"

	"github.com/vedette-io/vedette/wire"
)

// Reader reads facts from the history in a database. Any goroutine may use it.
type Reader struct{ source source }

// New returns a reader. The caller closes the database.
func New(db *sqldb.DB) *Reader { return &Reader{source{history.New(db)}} }

// Fill adds the facts in the history about a job at the version of a notice. It does not
// change fields that are set. Unknown facts stay empty.
//
// Errors: those of the database. The notice is then valid, and has the facts that were
// read before.
func (r *Reader) Fill(ctx context.Context, n *message.Notice, of feed.Object) error {
	identify(n, &of)
	spec, err := r.Spec(ctx, of.ID, wire.Version(n.Version))
	if err != nil {
		return err
	}
	setIfZero(&n.Job.GPUs, spec.GPUs)
	setIfZero(&n.Actor, actorOf(n, &spec))
	life, err := r.source.life(ctx, n, &of)
	if err != nil {
		return err
	}
	fillTimes(n, &life)
	if err := r.fillStrip(ctx, n, &of, &life); err != nil {
		return err
	}
	fillAttempts(n, &spec, &life)
	if n.Timer != nil && n.Timer.Deadline.IsZero() {
		n.Timer.Deadline = spec.Deadline
	}
	p := pods{source: r.source, job: &of, notice: n, life: &life}
	if err := p.fillCause(ctx); err != nil {
		return err
	}
	if n.Cause.Reason == message.DeadlineExceeded && n.Cause.Limit == "" && spec.Limit > 0 {
		n.Cause.Limit = message.Duration(spec.Limit)
	}
	return p.fillNodes(ctx)
}

// Spec returns the fields of the body of a job at a version, or at the newest earlier
// version that still has a body. Version 0 means the last one. It returns the zero value
// if there is no body.
//
// Errors: those of the database.
func (r *Reader) Spec(ctx context.Context, object int64, version wire.Version) (job.Spec, error) {
	body, err := r.source.body(ctx, object, version)
	if err != nil || body == nil {
		return job.Spec{}, err
	}
	return job.ParseSpec(body), nil
}

// identify sets the names of the job.
func identify(n *message.Notice, of *feed.Object) {
	j := &n.Job
	setIfZero(&j.Cluster, of.Cluster)
	setIfZero(&j.ClusterUID, of.ClusterUID)
	setIfZero(&j.Type, of.Type.String())
	setIfZero(&j.Kind, of.Type.Kind)
	setIfZero(&j.Namespace, of.Namespace)
	setIfZero(&j.Name, of.Name)
	setIfZero(&j.UID, of.UID)
	setIfZero(&j.Queue, of.Queue)
	setIfZero(&j.Owner, of.Submitter)
}

func setIfZero[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// fillTimes sets how long the job waited and ran.
func fillTimes(n *message.Notice, l *lifeOf) {
	if d, found := l.waited(n.Kind == message.WaitsLong); found && n.Waited == nil {
		n.Waited = &d
	}
	if n.Ran == nil && !l.Started.IsZero() {
		n.Ran = &l.Ran
	}
	setIfZero(&n.LastRun, l.lastRun(n.To == job.Running))
}

// fillStrip sets the life of the job, with its gaps, if it is known from its beginning.
func (r *Reader) fillStrip(ctx context.Context, n *message.Notice, of *feed.Object, l *lifeOf) error {
	if n.Life != nil || !l.Whole || len(l.Spans) == 0 {
		return nil
	}
	gaps, err := r.source.gaps(ctx, of, l.Spans[0].From, l.Spans[len(l.Spans)-1].To)
	n.Life = strip(job.Hatch(l.Spans, gaps))
	return err
}

// fillAttempts sets the number of the attempt: the larger one of the job itself and of its
// transitions. After a restart it is the number of the attempt that follows.
func fillAttempts(n *message.Notice, s *job.Spec, l *lifeOf) {
	attempt := s.AttemptOf(n.Kind == message.Failed)
	if attempt > 0 || l.Whole && len(l.attempts) > 0 {
		attempt = max(attempt, l.Life.Attempts)
	}
	setIfZero(&n.Attempt, attempt)
	if n.Attempt <= s.Attempts {
		setIfZero(&n.Attempts, s.Attempts)
	}
}

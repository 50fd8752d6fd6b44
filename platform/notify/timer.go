package notify

import (
	"context"
	"errors"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
	"github.com/vedette-io/vedette/wire"
)

const (
	// timersAtOnce is the maximum number of timers that one round checks.
	timersAtOnce = 500
	// recheck is the interval of checks for a value that a timer needs and that is not
	// recorded yet, such as the start of a job with a deadline.
	recheck = time.Minute
	// recheckUsual is the interval of checks for the usual times of a queue.
	recheckUsual = 10 * time.Minute
	// afterFired is the time after which the planner checks whether the state of a fired
	// timer was left.
	afterFired = 24 * time.Hour
	// lateTimer is the maximum delay of a timer whose message is not marked as late.
	lateTimer = 5 * time.Minute
)

// timerKinds maps the kinds of timers to kinds of messages.
var timerKinds = map[rule.TimerKind]message.Kind{
	rule.Waits: message.WaitsLong, rule.WaitsLongerThanUsual: message.WaitsLong, rule.Runs: message.RunningLong, rule.RunsLongerThanUsual: message.RunningLong,
	rule.NearDeadline: message.NearDeadline, rule.NoProgress: message.NoProgress,
}

// timers decides when timers are due, and whether they fire. It is stateless.
type timers struct {
	history  *history.History
	usual    *usual
	progress Progress // may be nil
}

// start returns the timer of a rule for a state that began with a transition.
func (k *timers) start(r *rule.Rule, t *feed.Transition) delivery.Timer {
	return delivery.Timer{
		Key: timerSubject(r, t).key(r.ID()), Kind: r.Timer.Kind.String(), Due: k.firstDue(r.Timer, t),
		Object: t.Object.ID, Version: uint64(t.Version), Rule: r.ID(),
	}
}

// firstDue returns when the planner first checks a timer.
func (k *timers) firstDue(timer *rule.Timer, t *feed.Transition) time.Time {
	if timer.Kind == rule.NearDeadline {
		return t.Happened
	}
	return t.Happened.Add(k.least(timer, t.Object.Queue))
}

// least returns the minimum duration of a state before the timer fires. If the usual time
// is unknown, the planner checks again after recheckUsual.
func (k *timers) least(timer *rule.Timer, queue string) time.Duration {
	var usual time.Duration
	switch timer.Kind {
	case rule.WaitsLongerThanUsual:
		usual, _ = k.usual.wait(queue)
	case rule.RunsLongerThanUsual:
		usual, _ = k.usual.run(queue)
	}
	return max(timer.After, usual)
}

// verdict is the decision about a timer that is due.
type verdict struct {
	start  feed.Transition // began the state
	fires  bool
	again  time.Time // time of the next check; zero: never
	detail message.Timer
	status job.Status // of a wait: why the job waits now
}

// judge decides about a timer that is due. object is nil if the history does not have it.
//
// Errors: those of the database and of Progress.
func (k *timers) judge(ctx context.Context, r *rule.Rule, t *delivery.Timer, object *history.Object, labels map[string]string, now time.Time) (v verdict, err error) {
	switch {
	case object == nil || object.Presence == history.Deleted:
		return v, nil
	case object.Presence != history.Present:
		return verdict{again: now.Add(recheck)}, nil // the state is unknown
	}
	start, counts, err := runOf(ctx, k.history, r.Timer, feedObject(object, labels))
	if err != nil || !counts || start.Version != wire.Version(t.Version) {
		return v, err
	}
	if v.start = start; t.Fired {
		v.again = now.Add(afterFired)
		return v, nil
	}
	v.detail.After = r.Timer.After
	switch r.Timer.Kind {
	case rule.NearDeadline:
		err = k.judgeDeadline(ctx, r.Timer, &v, now)
	case rule.NoProgress:
		err = k.judgeProgress(ctx, r.Timer, object, &v, now)
	case rule.Waits, rule.WaitsLongerThanUsual:
		err = k.judgeWait(ctx, r.Timer, object, &v, now)
	default:
		k.judgeLength(r.Timer, &v, now)
	}
	return v, err
}

// judgeWait decides about a job that waits, by what its pods say. One whose pods are being started
// does not wait; it is checked again, because its next pods may wait.
func (k *timers) judgeWait(ctx context.Context, timer *rule.Timer, object *history.Object, v *verdict, now time.Time) error {
	one, err := k.history.JobsByID(ctx, []int64{object.ID})
	if err != nil || len(one) == 0 {
		return err
	}
	in := rule.Input{Object: rule.Object{Queue: object.Queue}, New: rule.View{State: job.State(one[0].State)}}
	if !timer.Counts(&in) {
		v.again = now.Add(recheck)
		return nil
	}
	v.status = job.Status{State: in.New.State, Raw: one[0].Raw, Reason: one[0].Reason, Message: one[0].Message}
	k.judgeLength(timer, v, now)
	return nil
}

// judgeLength decides about a state that lasts.
func (k *timers) judgeLength(timer *rule.Timer, v *verdict, now time.Time) {
	queue := v.start.Object.Queue
	known := true
	switch timer.Kind {
	case rule.WaitsLongerThanUsual:
		v.detail.P90, known = k.usual.wait(queue)
	case rule.RunsLongerThanUsual:
		v.detail.P90, known = k.usual.run(queue)
	}
	if !known {
		v.again = now.Add(recheckUsual)
		return
	}
	due := v.start.Happened.Add(k.least(timer, queue))
	if v.fires = !due.After(now); !v.fires {
		v.again = due
	}
}

// judgeDeadline decides about a job with a deadline. A job without one has no timer.
func (k *timers) judgeDeadline(ctx context.Context, timer *rule.Timer, v *verdict, now time.Time) error {
	spec, err := bodyAt(ctx, k.history, v.start.Object.ID, 0)
	if errors.Is(err, history.ErrNoBody) || errors.Is(err, history.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}
	deadline := spec.Deadline
	switch due := deadline.Add(-timer.After); {
	case spec.Limit == 0: // the job has no deadline
	case deadline.IsZero():
		v.again = now.Add(recheck)
	case due.After(now):
		v.again = due
	default:
		v.fires, v.detail.Deadline, v.detail.Left = true, deadline, max(0, deadline.Sub(now))
	}
	return nil
}

// judgeProgress decides about a job with signals of progress.
func (k *timers) judgeProgress(ctx context.Context, timer *rule.Timer, object *history.Object, v *verdict, now time.Time) error {
	last, signal, known, err := lastProgress(ctx, k.history, k.progress, object, timer.Signals, now.Add(-timer.After))
	if err != nil {
		return err
	}
	if last.Before(v.start.Happened) {
		last = v.start.Happened
	}
	due := last.Add(timer.After)
	switch {
	case !known:
		v.again = now.Add(timer.After) // no signal is present
	case due.After(now):
		v.again = due
	default:
		v.fires, v.detail.Quiet, v.detail.Since, v.detail.Signal = true, now.Sub(last), last, signalName(signal)
	}
	return nil
}

// signalName returns the name of a signal for message.Timer.
func signalName(s rule.Signal) string {
	switch s.Kind {
	case rule.Annotation:
		return "annotation " + s.Name
	case rule.Status:
		return "status field " + s.Name
	}
	return "log line"
}

// timerSubject returns the subject of the messages of a timer.
func timerSubject(r *rule.Rule, t *feed.Transition) subject {
	return subject{t.Object.Cluster, t.Object.UID, t.Version, r.Timer.Kind.String()}
}

// notice returns the notice of a timer that fires.
func (v *verdict) notice(r *rule.Rule, t *delivery.Timer, owner string, now time.Time) *message.Notice {
	n := noticeOf(&v.start, owner)
	n.Kind, n.Timer, n.Happened = timerKinds[r.Timer.Kind], &v.detail, now
	n.Late = now.Sub(t.Due) > lateTimer
	lasted := elapsed(now, v.start.Happened)
	if n.Kind == message.WaitsLong {
		n.Waited, n.Reason, n.Message = &lasted, v.status.Reason, v.status.Message
	} else {
		n.Ran = &lasted
	}
	return n
}

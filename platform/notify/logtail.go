package notify

import (
	"context"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

const (
	// logLines is the maximum number of log lines in a message. Channels show fewer.
	logLines = 20
	// logWait is the maximum age of a message that waits for a log. Recorders fetch a log
	// within a second after the end of the container, and planners may be faster.
	logWait = 3 * time.Second
	// logPoll is the interval in which a waiting message checks for the log.
	logPoll = 100 * time.Millisecond
)

// logTail adds the end of a kept log to notices. Any goroutine may use it.
type logTail struct {
	kept *joblog.Store
	once *once
	wait time.Duration // logWait, except in tests
}

// fill sets Notice.Log to the end of the log of the container that explains the message.
// The notice was created ago before now. A failure waits for that log until it is logWait
// old, so a backlog waits once, not once for each message. Without a log the notice stays
// unchanged. An error of the database is only logged, because it must not keep a message
// from its receiver.
func (l *logTail) fill(ctx context.Context, n *message.Notice, ago time.Duration) {
	waits := n.Kind == message.Failed || n.Kind == message.Restarted
	if !waits && n.Kind != message.NoProgress && n.Kind != message.RunningLong {
		return
	}
	end := time.NewTimer(max(0, l.wait-ago))
	defer end.Stop()
	poll := time.NewTicker(logPoll)
	defer poll.Stop()
	for {
		log, found, err := l.choose(ctx, n, waits)
		if err == nil && found {
			err = l.set(ctx, n, &log)
		}
		if err != nil && ctx.Err() == nil {
			l.once.log("kept logs", "kept logs cannot be read; messages are sent without them", "err", faultlog.Text(err))
		}
		if found || !waits || err != nil {
			return
		}
		select {
		case <-poll.C:
		case <-end.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// choose returns the log that explains the message. If ended is set, it is the log of a
// container that ended after the job last ran, in the pod of the cause if that is known.
func (l *logTail) choose(ctx context.Context, n *message.Notice, ended bool) (best joblog.Log, found bool, err error) {
	all, err := l.kept.Of(ctx, joblog.Selection{ClusterUID: n.Job.ClusterUID, Namespace: n.Job.Namespace, UIDs: []string{n.Job.UID}})
	began := n.LastRun.Truncate(time.Second) // times of containers are in whole seconds
	for i := range all {
		log := &all[i]
		fits := !ended || !log.Ended.IsZero() && !log.Ended.Before(began) && (n.Cause.Pod == "" || log.Pod == n.Cause.Pod)
		if fits && (!found || worth(log) >= worth(&best)) {
			best, found = *log, true
		}
	}
	return best, found, err
}

// worth ranks logs: logs of failures come first, then logs with lines.
func worth(log *joblog.Log) (w int) {
	if log.ExitCode != 0 {
		w += 2
	}
	if log.Lines > 0 {
		w++
	}
	return w
}

// set sets Notice.Log to the end of a log.
func (l *logTail) set(ctx context.Context, n *message.Notice, log *joblog.Log) error {
	if log.Lines == 0 {
		return nil
	}
	last, err := l.kept.LastLines(ctx, *log, logLines)
	if err != nil {
		return err
	}
	n.Log = &message.Log{Source: sourceOf(n, log), Attempt: n.Attempt, Kept: log.Lines}
	for _, line := range last {
		n.Log.Lines = append(n.Log.Lines, line.Text)
	}
	if n.Kind == message.Restarted && n.Attempt > 1 {
		n.Log.Attempt-- // the notice has the number of the attempt that begins now
	}
	return nil
}

// sourceOf names the pod of a log in the same way as the sentence of the message.
func sourceOf(n *message.Notice, log *joblog.Log) string {
	if c := &n.Cause; c.Role != "" && c.Index != nil && c.Pod == log.Pod {
		return fmt.Sprintf("%s-%d", c.Role, *c.Index)
	}
	return log.Pod
}

// logProgress finds the last line in kept logs.
type logProgress struct{ kept *joblog.Store }

// Last implements Progress.
func (p logProgress) Last(ctx context.Context, object history.Object, _ rule.Signal) (time.Time, error) {
	return p.kept.LastLine(ctx, object.UID)
}

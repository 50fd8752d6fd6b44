package insight

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/internal/jobspec"
	"github.com/vedette-io/vedette/portal/api"
	"github.com/vedette-io/vedette/portal/insight/words"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/record/jobfilter"
	"github.com/vedette-io/vedette/record/jobindex"
	"github.com/vedette-io/vedette/record/joblog"
	"github.com/vedette-io/vedette/state"
)

// failing builds the answer to why a job failed.
type failing struct {
	*parts
	job    *jobindex.Row
	viewer *Viewer
	s      *words.Speaker
	at     time.Time
	answer api.Failure

	object   history.Object
	attempts []attempt
	endings  []ending
	podsSeen bool
}

const (
	// maxFailedPods is the maximum number of pods that are read of a job.
	maxFailedPods = 60
	// failDays is the period in which equal failures are counted.
	failDays = 30
	// lastLines is the number of log lines in an answer.
	lastLines = 10
)

// write fills the answer.
func (f *failing) write(ctx context.Context) error {
	objects, err := f.source.history.ObjectsByID(ctx, []int64{f.job.ID})
	if err != nil {
		return err
	}
	if len(objects) > 0 {
		f.object = objects[0]
	}
	f.attempts = attemptsOf(f.job, f.at)
	if err := f.readPods(ctx); err != nil {
		return err
	}
	e, err := f.cause(ctx)
	if err != nil {
		return err
	}
	f.describe(e)
	if err := f.like(ctx, e); err != nil {
		return err
	}
	return f.lines(ctx, e)
}

// readPods finds the ending of each attempt.
func (f *failing) readPods(ctx context.Context) error {
	pods, err := f.pods(ctx, f.job)
	if err != nil {
		return err
	}
	recorded, err := f.source.recorded(ctx)
	if err != nil {
		return err
	}
	f.podsSeen = recorded["pods"]
	pods = slices.DeleteFunc(pods, func(p history.Object) bool { return state.State(p.State) == state.Succeeded || p.Created.After(f.at) })
	// Failed pods are the most informative; then the newest ones.
	slices.SortStableFunc(pods, func(a, b history.Object) int {
		failed := func(p history.Object) int {
			if state.State(p.State) == state.Failed {
				return 0
			}
			return 1
		}
		return cmp.Compare(failed(a), failed(b))
	})
	pods = pods[:min(len(pods), maxFailedPods)]
	bodies, err := f.source.history.Bodies(ctx, pods)
	if err != nil {
		return err
	}
	var endings []ending
	for _, p := range pods {
		found := endingsOf(jobspec.Parse(bodies[p.ID]))
		for i := range found {
			if found[i].at.IsZero() && (state.State(p.State).Final() || found[i].cause == imagePull) {
				found[i].at = p.Since
			}
		}
		endings = append(endings, found...)
	}
	f.endings = endings
	assign(f.attempts, endings)
	return nil
}

// cause returns the cause of the job's failure: its own reason if that names a cause,
// otherwise the first bad ending in the last attempt. It returns nil if neither is known.
func (f *failing) cause(ctx context.Context) (*ending, error) {
	last := f.attempts[len(f.attempts)-1].first
	own := ending{cause: causes[f.job.Reason]}
	if name, found := overQuota(f.object.Message); found {
		own = ending{cause: quotaExceeded, why: name}
	}
	switch own.cause {
	case deadlineExceeded: // this ended its pods, and not the other way around
		body, err := f.source.history.Bodies(ctx, []history.Object{f.object})
		if limit := jobspec.Read(body[f.object.ID]).Limit; limit > 0 {
			own.limit = words.Span(limit)
		}
		return &own, err
	case quotaExceeded:
		return &own, nil
	case "", exitError:
		return last, nil
	}
	if last == nil {
		return &own, nil
	}
	return last, nil
}

// overQuota returns the quota that a message of the API server names.
func overQuota(text string) (name string, found bool) {
	_, rest, found := strings.Cut(text, "exceeded quota: ")
	name, _, _ = strings.Cut(rest, ",")
	return name, found
}

// describe fills the facts and the sentences.
func (f *failing) describe(e *ending) {
	a := &f.answer
	a.Attempts, a.Days = max(f.job.Tries, len(f.attempts)), failDays
	if e == nil {
		a.Cause = f.job.Reason
		a.Sentence = f.unexplained()
		if f.podsSeen {
			a.Unknown = append(a.Unknown, f.s.Say("unknown.cause"))
		} else {
			a.Unknown = append(a.Unknown, f.s.Say("unknown.type", "what", f.s.Say("unknown.what.pod"), "type", "pods", "cluster", f.job.Cluster))
		}
		return
	}
	a.Cause, a.ExitCode, a.Signal, a.Pod, a.Node = e.cause, e.code, signalOf(e.code), e.pod, e.node
	if e.cause == oomKilled {
		a.Limit, a.Memory = e.limit, repairOf(e)
	}
	var same []string
	for i, other := range f.attempts {
		if other.first != nil && e.same(other.first) {
			same = append(same, strconv.Itoa(i+1))
		}
	}
	a.CauseOf = max(1, len(same))
	a.Sentence = f.s.Join(e.sentence(f.s), othersOf(f.endings, &f.attempts[len(f.attempts)-1], e).sentence(f.s), f.repeated(same))
	a.RetryHelps = f.retry(e, len(same))
}

// unexplained returns the reason and the message of the job itself.
func (f *failing) unexplained() string {
	switch {
	case f.job.Reason == "":
		return f.s.Say("fail.unknown")
	case f.object.Message == "" || f.object.Reason != f.job.Reason:
		return f.s.Say("fail.reason", "reason", f.job.Reason)
	}
	return f.s.Say("fail.message", "reason", f.job.Reason, "message", quoted(f.object.Message))
}

// repeated returns a sentence about the attempts with the same ending, and about the
// retries.
func (f *failing) repeated(same []string) string {
	none := f.job.Reason == "BackoffLimitExceeded"
	switch list := f.s.List(same); {
	case len(same) > 1 && none:
		return f.s.Say("fail.same.noRetries", "attempts", list)
	case len(same) > 1:
		return f.s.Say("fail.same", "attempts", list)
	case none:
		return f.s.Say("fail.noRetries")
	}
	return ""
}

// sentence describes how a pod ended.
func (e *ending) sentence(s *words.Speaker) string {
	subject := s.Say("fail.job")
	if e.pod != "" {
		subject = s.Say("fail.pod", "pod", cmp.Or(e.role, e.pod))
	}
	if e.init && e.container != "" {
		subject = s.Say("fail.init", "container", e.container, "subject", subject)
	}
	on := ""
	if e.node != "" {
		on = s.Say("on", "node", e.node)
	}
	code := ""
	if e.code != nil {
		code = strconv.Itoa(*e.code)
	}
	named := []string{"subject", subject, "on", on, "limit", e.limit, "code", code, "signal", signalOf(e.code), "why", quoted(e.why), "quota", e.why}
	return strings.TrimSpace(s.Say(e.key(), named...))
}

// key returns the key of the sentence about an ending.
func (e *ending) key() string {
	switch e.cause {
	case oomKilled:
		return either(e.limit != "", "fail.OOMKilled", "fail.OOMKilled.bare")
	case evicted:
		return either(e.why != "", "fail.Evicted.why", "fail.Evicted")
	case nodeLost:
		return "fail.NodeLost"
	case deadlineExceeded:
		return either(e.limit != "", "fail.Deadline", "fail.Deadline.bare")
	case preempted:
		return "fail.Preempted"
	case imagePull:
		return "fail.ImagePull"
	case quotaExceeded:
		return "fail.Quota"
	}
	switch {
	case signalOf(e.code) != "":
		return "fail.Error.signal"
	case e.code != nil:
		return "fail.Error"
	}
	return "fail.Error.bare"
}

func either(first bool, yes, no string) string {
	if first {
		return yes
	}
	return no
}

// retry describes the requirement of a retry, if it is known.
func (f *failing) retry(e *ending, same int) string {
	switch e.cause {
	case evicted, nodeLost, preempted:
		return f.s.Say("retry.platform")
	case imagePull:
		return f.s.Say("retry.image")
	case deadlineExceeded:
		return f.s.Say("retry.deadline")
	case oomKilled:
		if same > 1 {
			return f.s.Say("retry.memory", "n", strconv.Itoa(same))
		}
	}
	return ""
}

// maxLike is the maximum number of failed jobs to compare, the newest ones.
const maxLike = 300

// like counts the jobs of the same owner and type that failed for the same cause, or for the
// same reason if the cause is not known.
func (f *failing) like(ctx context.Context, e *ending) error {
	q := jobindex.Query{From: f.at.AddDate(0, 0, -failDays), To: f.at, Sees: f.viewer.Sees, At: f.viewer.At, Brief: true}
	q.Filter.Terms = []jobfilter.Term{
		{Key: jobfilter.Type, Values: []string{f.job.Type}},
		{Key: jobfilter.State, Values: []string{string(state.Failed)}},
	}
	var ids []int64
	err := f.index.View(func(v *jobindex.View) error {
		v.Each(q, func(r *jobindex.Row) bool {
			if r.Owner == f.job.Owner && r.Reason == f.job.Reason {
				ids = append(ids, r.ID)
			}
			return true
		})
		return nil
	})
	if err != nil {
		return err
	}
	if f.answer.Like = len(ids); e == nil || e.pod == "" {
		return nil
	}
	slices.Sort(ids)
	return f.sameCause(ctx, ids[max(0, len(ids)-maxLike):], e.cause)
}

// sameCause counts the jobs with a pod that failed for a cause. The job itself is among
// them.
func (f *failing) sameCause(ctx context.Context, ids []int64, cause string) error {
	objects, err := f.source.history.ObjectsByID(ctx, ids)
	if err != nil {
		return err
	}
	byJob, err := f.source.history.PodsOf(ctx, objects, 20*maxLike)
	if err != nil {
		return err
	}
	f.answer.Like = 1
	for _, o := range objects {
		same := slices.ContainsFunc(byJob[o.ID], func(p history.Object) bool {
			return cmp.Or(causes[p.Reason], exitError) == cause && state.State(p.State) == state.Failed
		})
		if same && o.ID != f.job.ID {
			f.answer.Like++
		}
	}
	return nil
}

// lines reads the end of the log of the container that failed, or of the job.
func (f *failing) lines(ctx context.Context, e *ending) error {
	uids := []string{f.job.UID}
	logs, err := f.logs.Of(ctx, joblog.Selection{ClusterUID: f.job.ClusterUID, UIDs: uids})
	if err != nil {
		return err
	}
	var found joblog.Log
	var lines []joblog.Line
	for _, l := range logs {
		if e != nil && l.Pod == e.pod && l.Container == e.container && l.Restart == e.restart {
			found = l
			if lines, err = f.logs.LastLines(ctx, l, lastLines); err != nil {
				return err
			}
		}
	}
	if len(lines) == 0 {
		if found, lines, _, err = f.logs.Tail(ctx, joblog.Selection{ClusterUID: f.job.ClusterUID, UIDs: uids}, lastLines); err != nil {
			return err
		}
	}
	if len(lines) == 0 {
		f.answer.Unknown = append(f.answer.Unknown, f.s.Say("unknown.logs"))
		return nil
	}
	f.answer.LinesKept = found.Lines
	for _, l := range lines {
		f.answer.Lines = append(f.answer.Lines, api.LogLine{Time: l.Time, Pod: found.Pod, Container: found.Container, Text: l.Text, Kept: true})
	}
	return nil
}

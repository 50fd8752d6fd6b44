package insight

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"

	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/insight/words"
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
	endings  []job.Ending
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
	pods, err := f.pods(ctx, f.job, f.viewer)
	if err != nil {
		return err
	}
	recorded, err := f.source.recorded(ctx)
	if err != nil {
		return err
	}
	f.podsSeen = recorded["pods"] && (len(pods) > 0 || job.KindOfType(f.job.Type).FindsPods())
	pods = slices.DeleteFunc(pods, func(p history.Object) bool { return job.State(p.State) == job.Succeeded || p.Created.After(f.at) })
	// Failed pods are the most informative; then the newest ones.
	slices.SortStableFunc(pods, func(a, b history.Object) int {
		failed := func(p history.Object) int {
			if job.State(p.State) == job.Failed {
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
	for _, p := range pods {
		found := job.Endings(job.ParseObject(bodies[p.ID]))
		for i := range found {
			found[i].SeenIn(p.Since, job.State(p.State) == job.Failed)
		}
		f.endings = append(f.endings, found...)
	}
	assign(f.attempts, f.endings)
	return nil
}

// cause returns the cause of the job's failure. It returns nil if it is not known.
func (f *failing) cause(ctx context.Context) (*job.Ending, error) {
	e := job.EndingOfJob(f.job.Reason, f.object.Message, f.attempts[len(f.attempts)-1].first)
	if e == nil || e.Cause != job.CauseDeadlineExceeded || e.Pod != "" {
		return e, nil
	}
	body, err := f.source.history.Bodies(ctx, []history.Object{f.object})
	e.Deadline = job.ParseSpec(body[f.object.ID]).Limit
	return e, err
}

// describe fills the facts and the sentences.
func (f *failing) describe(e *job.Ending) {
	a := &f.answer
	a.Attempts, a.Days = max(f.job.Tries, len(f.attempts)), failDays
	if e == nil {
		a.Cause = f.job.Reason
		a.Sentence = f.unexplained()
		if !f.viewer.seesPods(f.job.Cluster, f.job.Namespace) {
			a.Unknown = append(a.Unknown, f.s.Say("unknown.right", "type", "pods", "namespace", f.job.Namespace))
		} else if f.podsSeen {
			a.Unknown = append(a.Unknown, f.s.Say("unknown.cause"))
		} else {
			a.Unknown = append(a.Unknown, f.s.Say("unknown.type", "what", f.s.Say("unknown.what.pod"), "type", "pods", "cluster", f.job.Cluster))
		}
		return
	}
	a.Cause, a.ExitCode, a.Signal, a.Pod, a.Node = string(e.Cause), e.Exit, signalOf(e.Exit), e.Pod, e.Node
	if e.Cause == job.CauseOOMKilled {
		a.Limit, a.Memory = job.Memory(e.Memory), repairOf(e)
	}
	var same []string
	for i, other := range f.attempts {
		if other.first != nil && e.Same(other.first) {
			same = append(same, strconv.Itoa(i+1))
		}
	}
	a.CauseOf = max(1, len(same))
	a.Sentence = f.s.Join(sentenceOf(e, f.s), othersOf(f.endings, &f.attempts[len(f.attempts)-1], e).sentence(f.s), f.repeated(same))
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

// sentenceOf describes how a pod ended.
func sentenceOf(e *job.Ending, s *words.Speaker) string {
	subject := s.Say("fail.job")
	if e.Pod != "" {
		subject = s.Say("fail.pod", "pod", cmp.Or(replicaOf(e), e.Pod))
	}
	if e.Role == job.InitContainer && e.Container != "" {
		subject = s.Say("fail.init", "container", e.Container, "subject", subject)
	}
	on := ""
	if e.Node != "" {
		on = s.Say("on", "node", e.Node)
	}
	code := ""
	if e.Exit != nil {
		code = strconv.Itoa(*e.Exit)
	}
	named := []string{"subject", subject, "on", on, "limit", limitOf(e), "code", code, "signal", signalOf(e.Exit), "why", quoted(e.Message), "quota", e.Message}
	return strings.TrimSpace(s.Say(keyOf(e), named...))
}

// replicaOf returns the place of a pod in its job, such as "worker-2"; "" if its labels do not
// have it.
func replicaOf(e *job.Ending) string {
	if e.Index == nil {
		return ""
	}
	return e.Replica + "-" + strconv.Itoa(*e.Index)
}

// limitOf returns the limit that a pod exceeded; "" if it is not known.
func limitOf(e *job.Ending) string {
	if e.Deadline > 0 {
		return words.Span(e.Deadline)
	}
	return job.Memory(e.Memory)
}

// keyOf returns the key of the sentence about an ending.
func keyOf(e *job.Ending) string {
	switch e.Cause {
	case job.CauseOOMKilled:
		return either(limitOf(e) != "", "fail.OOMKilled", "fail.OOMKilled.bare")
	case job.CauseEvicted:
		return either(e.Message != "", "fail.Evicted.why", "fail.Evicted")
	case job.CauseNodeLost:
		return "fail.NodeLost"
	case job.CauseDeadlineExceeded:
		return either(limitOf(e) != "", "fail.Deadline", "fail.Deadline.bare")
	case job.CausePreempted:
		return "fail.Preempted"
	case job.CauseImagePull:
		return "fail.ImagePull"
	case job.CauseQuotaExceeded:
		return "fail.Quota"
	}
	switch {
	case signalOf(e.Exit) != "":
		return "fail.Error.signal"
	case e.Exit != nil:
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
func (f *failing) retry(e *job.Ending, same int) string {
	switch e.Cause {
	case job.CauseEvicted, job.CauseNodeLost, job.CausePreempted:
		return f.s.Say("retry.platform")
	case job.CauseImagePull:
		return f.s.Say("retry.image")
	case job.CauseDeadlineExceeded:
		return f.s.Say("retry.deadline")
	case job.CauseOOMKilled:
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
func (f *failing) like(ctx context.Context, e *job.Ending) error {
	q := jobindex.Query{From: f.at.AddDate(0, 0, -failDays), To: f.at, At: f.viewer.At, Brief: true}
	q.Since = func(cluster, clusterUID, _, namespace string) (time.Time, bool) {
		return f.viewer.since(cluster, clusterUID, namespace)
	}
	q.Filter.Terms = []jobfilter.Term{
		{Key: jobfilter.Type, Values: []string{f.job.Type}},
		{Key: jobfilter.State, Values: []string{string(job.Failed)}},
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
	if f.answer.Like = len(ids); e == nil || e.Pod == "" {
		return nil
	}
	slices.Sort(ids)
	return f.sameCause(ctx, ids[max(0, len(ids)-maxLike):], e.Cause)
}

// sameCause counts the jobs with a pod that failed for a cause. The job itself is among
// them.
func (f *failing) sameCause(ctx context.Context, ids []int64, cause job.Cause) error {
	objects, err := f.source.history.ObjectsByID(ctx, ids)
	if err != nil {
		return err
	}
	objects = slices.DeleteFunc(objects, func(o history.Object) bool { return !f.viewer.seesPods(o.Cluster, o.Namespace) })
	byJob, err := f.source.history.PodsOf(ctx, objects, 20*maxLike)
	if err != nil {
		return err
	}
	f.answer.Like = 1
	for _, o := range objects {
		same := slices.ContainsFunc(byJob[o.ID], func(p history.Object) bool {
			return cmp.Or(job.CauseOf(p.Reason), job.CauseError) == cause && job.State(p.State) == job.Failed
		})
		if same && o.ID != f.job.ID {
			f.answer.Like++
		}
	}
	return nil
}

// lines reads the end of the log of the container that failed, or of the job.
func (f *failing) lines(ctx context.Context, e *job.Ending) error {
	of := joblog.Selection{ClusterUID: f.job.ClusterUID, Namespace: f.job.Namespace, UIDs: []string{f.job.UID}}
	logs, err := f.logs.Of(ctx, of)
	if err != nil {
		return err
	}
	var found joblog.Log
	var lines []joblog.Line
	for _, l := range logs {
		if e != nil && l.Pod == e.Pod && l.Container == e.Container && l.Restart == e.Restart {
			found = l
			if lines, err = f.logs.LastLines(ctx, l, lastLines); err != nil {
				return err
			}
		}
	}
	if len(lines) == 0 {
		if found, lines, _, err = f.logs.Tail(ctx, of, lastLines); err != nil {
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

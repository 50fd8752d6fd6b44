package jobview

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/logs/joblog"
	"github.com/vedette-io/vedette/platform/portal/api"
)

// Member is a job of a chain of retries, with the records of its runs.
type Member struct {
	history.Attempt
	Life job.Life
	Pods *PodSet      // may be nil
	Logs []joblog.Log // that are kept
	Body []byte       // the last body; nil if it is not recorded
}

// Attempts compares the runs of all jobs of a chain side by side. The members must be in the order
// of their numbers.
func Attempts(chain []Member) api.AttemptList {
	list := api.AttemptList{Attempts: []api.Attempt{}, Fields: []api.AttemptField{}}
	t := table{}
	for i := range chain {
		for _, a := range attemptsOf(&chain[i], len(list.Attempts)) {
			list.Attempts = append(list.Attempts, a.Attempt)
			t.add(&a, i)
		}
	}
	list.Fields = append(t.fields(), changed(chain, t.member)...)
	return list
}

// attempt is one attempt with its values in the comparison.
type attempt struct {
	api.Attempt
	image string
	exit  *int
}

// attemptsOf returns the attempts of one job. before is the number of attempts of earlier jobs of
// the chain.
func attemptsOf(m *Member, before int) []attempt {
	var runs []run
	var failures []failure
	var first map[string]int
	if m.Pods != nil {
		runs, failures, first = slices.Clone(m.Pods.runs), slices.Clone(m.Pods.failures), m.Pods.first
	}
	runs = withLogs(runs, m.Logs, first)
	failures = withRuns(failures, runs)
	recorded := slices.Collect(job.Attempts(m.Life.Spans))
	recorded = recorded[:min(len(recorded), maxAttempts)]
	n := len(recorded)
	for _, number := range first {
		n = max(n, number)
	}
	n = min(attemptsIn(runs, n), maxAttempts)
	all := make([]attempt, n)
	for i := range all {
		a := &all[i]
		a.Number, a.Run, a.State = before+i+1, i+1, string(job.Failed)
		o := &m.Object
		a.Job = api.JobRef{Cluster: o.Cluster, UID: o.UID, Type: o.Type.String(), Namespace: o.Namespace, Name: o.Name}
		if len(recorded) == n {
			a.recordedAs(&recorded[i], i == n-1 && m.Life.Open())
		} else {
			a.timesOf(runs)
		}
		if a.of(m, runs, failures); i == n-1 {
			a.State = cmp.Or(string(m.State), o.Raw)
			if a.Reason == "" {
				a.Reason = m.Reason
			}
		}
	}
	return all
}

// maxAttempts is the maximum number of attempts of one job: a hostile restart count could be huge.
const maxAttempts = 200

// of adds the facts from pods and logs to an attempt.
func (a *attempt) of(m *Member, runs []run, failures []failure) {
	pods := map[string]bool{}
	for i := range runs {
		r := &runs[i]
		if r.attempt != a.Run {
			continue
		}
		pods[r.podUID] = true
		if r.node != "" && !slices.Contains(a.Nodes, r.node) {
			a.Nodes = append(a.Nodes, r.node)
		}
	}
	if m.Pods != nil {
		for i := range m.Pods.objects {
			o, p := &m.Pods.objects[i], m.Pods.pods[i]
			if m.Pods.first[o.UID] != a.Run {
				continue
			}
			pods[o.UID] = true
			if node := p.Spec.NodeName; node != "" && !slices.Contains(a.Nodes, node) {
				a.Nodes = append(a.Nodes, node)
			}
		}
		a.image = m.Pods.image(a.Run)
	}
	if a.image == "" && m.Body != nil {
		spec := job.ParseSpec(m.Body)
		a.image = spec.Image
	}
	slices.Sort(a.Nodes)
	a.Pods = len(pods)
	if f := firstFailure(failures, a.Run); f != nil {
		a.Reason, a.exit, a.FirstFailure = string(f.Cause), f.Exit, shortPod(f.Pod, m.Object.Name)+", "+string(f.Cause)
		if f.Exit != nil {
			a.FirstFailure = shortPod(f.Pod, m.Object.Name) + ", " + job.ExitCodeMessage(int64(*f.Exit))
		}
	}
}

// recordedAs sets the times of an attempt from the life of its job. The last attempt of an open job
// has no end, unless it is over.
func (a *attempt) recordedAs(r *job.Attempt, open bool) {
	a.Began, a.Ended, a.Ran = instant(r.From), instant(r.To), r.Ran.Seconds()
	if open && !r.Over {
		a.Ended = time.Time{}
	}
}

// timesOf sets the times of an attempt from its runs.
func (a *attempt) timesOf(runs []run) {
	open := false
	for i := range runs {
		r := &runs[i]
		if r.attempt != a.Run {
			continue
		}
		if !r.Began.IsZero() && (a.Began.IsZero() || r.Began.Before(a.Began)) {
			a.Began = instant(r.Began)
		}
		if r.Ended.After(a.Ended) {
			a.Ended = instant(r.Ended)
		}
		open = open || !r.Over
	}
	if open {
		a.Ended = time.Time{}
	}
	if !a.Began.IsZero() && !a.Ended.IsZero() {
		a.Ran = max(a.Ended.Sub(a.Began).Seconds(), 0)
	}
}

// image returns the image of the main container of the pods of an attempt, with the beginning
// of its digest if that is recorded.
func (s *PodSet) image(number int) string {
	for i, p := range s.pods {
		if s.first[s.objects[i].UID] != number || len(p.Spec.Containers) == 0 {
			continue
		}
		main := p.Spec.Containers[0]
		for _, c := range p.Status.ContainerStatuses {
			if _, digest, found := strings.Cut(c.ImageID, "@sha256:"); c.Name == main.Name && found && !strings.Contains(main.Image, "@") {
				return main.Image + "@" + digest[:min(8, len(digest))]
			}
		}
		return main.Image
	}
	return ""
}

// shortPod returns the name of a pod without the job's name, if the rest identifies the replica.
func shortPod(pod, job string) string {
	rest, ok := strings.CutPrefix(pod, job+"-")
	if !ok || len(rest) == 5 && !strings.ContainsRune(rest, '-') {
		return pod
	}
	if index, random, ok := strings.Cut(rest, "-"); ok && len(random) == 5 {
		return index // of an indexed Job
	}
	return rest
}

// table has the rows of the comparison.
type table struct {
	attempts []attempt
	member   []int // the index of its job in the chain, of each attempt
}

func (t *table) add(a *attempt, member int) {
	t.attempts, t.member = append(t.attempts, *a), append(t.member, member)
}

// fields returns the rows of every comparison.
func (t *table) fields() []api.AttemptField {
	exit := func(a *attempt) string {
		if a.exit == nil {
			return ""
		}
		return strconv.Itoa(*a.exit)
	}
	var all []api.AttemptField
	for _, f := range []struct {
		name string
		of   func(*attempt) string
	}{
		{"ended", func(a *attempt) string { return cmp.Or(a.Reason, a.State) }},
		{"ran", func(a *attempt) string { return lasting(a.Ran) }},
		{"firstFailure", func(a *attempt) string { return a.FirstFailure }},
		{"exitCode", exit},
		{"image", func(a *attempt) string { return a.image }},
		{"nodes", func(a *attempt) string { return strings.Join(a.Nodes, " ") }},
	} {
		row := api.AttemptField{Name: f.name}
		for i := range t.attempts {
			row.Values = append(row.Values, f.of(&t.attempts[i]))
			row.Differs = append(row.Differs, i > 0 && f.name != "ran" && row.Values[i] != row.Values[i-1])
		}
		all = append(all, row)
	}
	return all
}

// lasting formats a number of seconds with two units: "2h 14m".
func lasting(seconds float64) string {
	s := int64(seconds)
	switch {
	case s < 60:
		return strconv.FormatInt(s, 10) + "s"
	case s < 3600:
		return strconv.FormatInt(s/60, 10) + "m " + strconv.FormatInt(s%60, 10) + "s"
	case s < 86400:
		return strconv.FormatInt(s/3600, 10) + "h " + strconv.FormatInt(s%3600/60, 10) + "m"
	}
	return strconv.FormatInt(s/86400, 10) + "d " + strconv.FormatInt(s%86400/3600, 10) + "h"
}

// changed returns a row for each field of the spec that differs between two jobs of a chain.
// members has the job of each attempt.
func changed(chain []Member, members []int) (all []api.AttemptField) {
	var paths []string
	for i := range chain {
		for _, c := range chain[i].Changes {
			if !slices.Contains(paths, c.Path) {
				paths = append(paths, c.Path)
			}
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		values := valuesOf(chain, path)
		row := api.AttemptField{Name: path}
		for i, m := range members {
			row.Values = append(row.Values, values[m])
			row.Differs = append(row.Differs, i > 0 && values[m] != row.Values[i-1])
		}
		all = append(all, row)
	}
	return all
}

// valuesOf returns the value of a field in each job of a chain. A retry has the value of the job
// that it repeats, unless it changed the field.
func valuesOf(chain []Member, path string) []string {
	value, known := map[string]string{}, map[string]bool{} // by UID
	set := func(uid, v string) {
		if !known[uid] {
			value[uid], known[uid] = v, true
		}
	}
	for i := range chain {
		for _, c := range chain[i].Changes {
			if c.Path == path {
				set(chain[i].RetryOf, c.Old)
				set(chain[i].Object.UID, c.New)
			}
		}
	}
	for i := range chain { // from a job that changed the field back to the first job
		if m := &chain[len(chain)-1-i]; m.RetryOf != "" && known[m.Object.UID] {
			set(m.RetryOf, value[m.Object.UID])
		}
	}
	values := make([]string, len(chain))
	for i := range chain {
		if m := &chain[i]; m.RetryOf != "" && known[m.RetryOf] {
			set(m.Object.UID, value[m.RetryOf])
		}
		values[i] = value[chain[i].Object.UID]
	}
	return values
}

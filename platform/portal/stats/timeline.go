package stats

import (
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
)

const (
	// DefaultRows is the default number of rows of a page of a timeline.
	DefaultRows = 200
	// MaxRows is the maximum number of rows of a page.
	MaxRows = 2000
	// maxGroups is the maximum number of groups in an answer.
	maxGroups = 200
)

// timeline collects the first rows after a place in the order.
type timeline struct {
	window   Window
	order    order
	limit    int
	begin    *place // nil: from the beginning
	rows     []timelineRow
	worst    *place // rows after it do not belong to the page
	matching int
	groups   map[string]*api.TimelineGroup
	last     *api.TimelineGroup // the group of the last job
	jobs     []api.TimelineJob  // those of the page
}

// timelineRow is a job without its life.
type timelineRow struct {
	at  place
	row jobindex.Row
}

// add adds a job that existed in the window.
func (t *timeline) add(r *jobindex.Row) {
	t.matching++
	t.addGroup(r)
	p := t.order.place(r)
	if t.begin != nil && t.order.compare(&p, t.begin) <= 0 {
		return
	}
	if t.worst != nil && t.order.compare(&p, t.worst) > 0 {
		return
	}
	t.rows = append(t.rows, timelineRow{p, *r})
	if len(t.rows) >= 2*(t.limit+1) {
		t.cut()
	}
}

// cut keeps the first rows, one more than the limit. It is called whenever there are twice as many,
// so a page costs little memory and time.
func (t *timeline) cut() {
	slices.SortFunc(t.rows, func(a, b timelineRow) int { return t.order.compare(&a.at, &b.at) })
	if t.rows = t.rows[:min(len(t.rows), t.limit+1)]; len(t.rows) > t.limit {
		t.worst = &place{}
		*t.worst = t.rows[t.limit].at
	}
}

// addGroup counts a job in the header of its group.
func (t *timeline) addGroup(r *jobindex.Row) {
	name := t.order.group(r)
	g := t.last
	if g == nil || g.Name != name {
		g = t.groups[name]
	}
	if g == nil {
		g = &api.TimelineGroup{Name: strings.Clone(name)}
		t.groups[g.Name] = g
	}
	t.last = g
	g.Jobs++
	if r.State == job.Running {
		g.Running++
		g.GPUs += max(0, r.GPUs)
	}
}

// job describes a job with the spans of its life that are in the window.
func (t *timeline) job(r *jobindex.Row) api.TimelineJob {
	spans := make([]job.Span, 0, len(r.Life))
	for _, s := range r.Life {
		if s.From.Before(t.window.To) && (s.To.IsZero() || s.To.After(t.window.From)) {
			spans = append(spans, s)
		}
	}
	return api.TimelineJob{
		ID: r.ID, Cluster: r.Cluster, UID: strings.Clone(r.UID), Type: r.Type, Namespace: r.Namespace, Name: strings.Clone(r.Name), State: string(r.State), Reason: r.Reason,
		Queue: r.Queue, Owner: r.Owner, GPUs: r.GPUs, Tries: r.Tries, Submitted: r.Submitted, Ended: r.Ended, Life: jobview.Life(spans),
	}
}

// finish adds the lives of the rows of the page. Lives of other jobs are not read. It is called
// within the view of add.
func (t *timeline) finish(v *jobindex.View, at time.Time) {
	t.cut()
	t.jobs = make([]api.TimelineJob, 0, min(len(t.rows), t.limit))
	for i := range t.rows[:min(len(t.rows), t.limit)] {
		r := &t.rows[i].row
		r.Life = nil // the scan has reused the array for other rows
		v.Complete(r, at)
		t.jobs = append(t.jobs, t.job(r))
	}
}

// answer returns the page.
func (t *timeline) answer() *api.Timeline {
	a := &api.Timeline{From: t.window.From, To: t.window.To, Jobs: t.jobs, Gaps: []api.Gap{}, Matching: count(t.matching)}
	if len(t.rows) > t.limit {
		a.Next = t.order.cursor(t.rows[t.limit-1].at)
	}
	for _, g := range t.groups {
		a.Groups = append(a.Groups, *g)
	}
	slices.SortFunc(a.Groups, func(x, y api.TimelineGroup) int { return strings.Compare(x.Name, y.Name) })
	a.Groups = a.Groups[:min(len(a.Groups), maxGroups)]
	return a
}

// count returns a number that is exact up to 10,000.
func count(n int) api.Count {
	if n > jobindex.Exact {
		return api.Count{N: jobindex.Exact, More: true}
	}
	return api.Count{N: n}
}

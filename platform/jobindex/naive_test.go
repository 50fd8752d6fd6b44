package jobindex_test

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
)

// naive is a simple index: a list of jobs.
type naive struct {
	jobs []jobindex.Job
	gaps []history.Gap
	now  time.Time
}

func countOf(n int) jobindex.Count {
	if n > jobindex.Exact {
		return jobindex.Count{N: jobindex.Exact, More: true}
	}
	return jobindex.Count{N: n}
}

// naiveStates are the states in their order.
var naiveStates = []job.State{
	"", job.Submitted, job.Queued, job.Suspended, job.Starting, job.Running, job.Restarting, job.Succeeded, job.Failed, job.Aborted, job.Deleted, "Odd",
}

// rowOf returns the row of a job as of an instant, and false if the job did not exist.
// past is set if the instant is not now.
func rowOf(j *jobindex.Job, at time.Time, past bool, gaps []history.Gap) (jobindex.Row, bool) {
	if past && j.Submitted.After(at) {
		return jobindex.Row{}, false
	}
	facts := job.Facts{GPUs: -1, Pods: -1}
	if j.Facts != nil {
		facts = *j.Facts
	}
	r := jobindex.Row{
		ID: j.ID, Cluster: j.Cluster, ClusterUID: j.ClusterUID, Type: j.Type, Kind: j.Kind, Namespace: j.Namespace, Name: j.Name, UID: j.UID, Queue: j.Queue, Owner: j.Owner,
		Priority: facts.Priority, State: j.State, Reason: j.Reason, Submitted: j.Submitted, Since: j.Since, Deleted: j.Deleted, GPUs: facts.GPUs, Pods: facts.Pods, Presence: j.Presence,
		Labels: j.Labels, Version: j.Version,
	}
	entries := j.Transitions
	if past {
		if r.Deleted.After(at) {
			r.Deleted, r.Presence = time.Time{}, history.Present
		}
		if j.Since.After(at) {
			r.Presence = history.Present
			n := 0
			for n < len(entries) && !entries[n].At.After(at) {
				n++
			}
			entries = entries[:n]
			r.State, r.Since, r.Reason = job.Submitted, j.Submitted, ""
			if n > 0 {
				r.State, r.Since = entries[n-1].To, entries[n-1].At
			}
		}
	}
	if r.State.Final() {
		r.Ended = r.Since
	}
	end := r.Ended
	if r.Open() {
		if end = at; r.Presence != history.Present {
			end = r.Since
		}
	}
	l := job.LifeOf(r.Submitted, entries, end)
	r.Started, r.FirstWait = l.Started, l.FirstWait
	r.Waited, r.Ran, r.Tries = l.Waited, l.Ran, l.Attempts
	if !past || !j.Since.After(at) {
		r.Tries = max(r.Tries, facts.Attempt)
	}
	var missing []job.Interval
	for _, g := range gaps {
		if g.ClusterUID == r.ClusterUID && g.Type.String() == r.Type && (g.Namespace == "" || g.Namespace == r.Namespace) {
			missing = append(missing, g.Interval(at))
		}
	}
	if r.Life = l.Spans; missing != nil {
		r.Life = job.Hatch(r.Life, missing)
	}
	if n := len(r.Life); r.Open() && n > 0 && r.Presence == history.Present {
		r.Life[n-1].To = time.Time{}
	}
	return r, true
}

// naiveKey returns the sort key of a row as a number or a text.
func naiveKey(r *jobindex.Row, key string) (int64, string, bool) {
	switch key {
	case "submitted":
		return r.Submitted.UnixMicro(), "", true
	case "since":
		return r.Since.UnixMicro(), "", true
	case "waited":
		return r.Waited.Microseconds(), "", true
	case "ran":
		return r.Ran.Microseconds(), "", true
	case "gpus":
		return int64(r.GPUs), "", true
	case "tries":
		return int64(r.Tries), "", true
	case "state":
		return int64(slices.Index(naiveStates, r.State)), "", true
	case "name":
		return 0, r.Name, true
	case "queue":
		return 0, r.Queue, true
	case "owner":
		return 0, r.Owner, true
	case "namespace":
		return 0, r.Namespace, true
	}
	return 0, "", false
}

// naivePlace is a place in an order.
type naivePlace struct {
	n    int64
	text string
	id   int64
}

func (p naivePlace) cursor(sort string) string {
	return base64.RawURLEncoding.EncodeToString([]byte(sort + " " + strconv.FormatInt(p.n, 10) + " " + strconv.FormatInt(p.id, 10) + " " + p.text))
}

func naivePlaceOf(cursor, sort string) (p naivePlace, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err != nil {
		return p, jobindex.ErrCursor
	}
	parts := strings.SplitN(string(text), " ", 4)
	if len(parts) != 4 || parts[0] != sort {
		return p, jobindex.ErrCursor
	}
	n, err1 := strconv.ParseInt(parts[1], 10, 64)
	id, err2 := strconv.ParseInt(parts[2], 10, 64)
	p = naivePlace{n, parts[3], id}
	if err1 != nil || err2 != nil || p.cursor(sort) != cursor {
		return p, jobindex.ErrCursor
	}
	return p, nil
}

func naiveCompare(x, y naivePlace, down bool) int {
	c := cmp.Or(cmp.Compare(x.n, y.n), cmp.Compare(x.text, y.text), cmp.Compare(x.id, y.id))
	if down {
		return -c
	}
	return c
}

// selected returns the rows that a query selects without and with the terms of the state.
func (v *naive) selected(q *jobindex.Query, f jobfilter.Filter) (all []jobindex.Row) {
	at, past := q.At, !q.At.IsZero()
	if !past {
		at = v.now
	}
	m := f.Compile(at, q.Mine)
	for i := range v.jobs {
		r, ok := rowOf(&v.jobs[i], at, past, v.gaps)
		switch {
		case !ok, q.Sees != nil && !q.Sees(r.Cluster, r.Namespace), q.Since != nil && !seen(q, &r), !m.Match(&r):
		case !q.To.IsZero() && !r.Submitted.Before(q.To), !q.From.IsZero() && !r.Open() && r.Ended.Before(q.From):
		default:
			all = append(all, r)
		}
	}
	return all
}

// seen reports whether a query may select a row.
func seen(q *jobindex.Query, r *jobindex.Row) bool {
	since, some := q.Since(r.Cluster, r.ClusterUID, r.Type, r.Namespace)
	return some && !r.Submitted.Before(since)
}

// List returns a page of the jobs that a query selects, and counts all of them.
//
// Errors: jobindex.ErrCursor, ErrSort.
func (v *naive) List(q jobindex.Query) (page jobindex.Page, counts jobindex.Counts, err error) {
	counts = v.Count(q)
	sort := cmp.Or(q.Sort, "-submitted")
	key, down := strings.CutPrefix(sort, "-")
	if _, _, ok := naiveKey(&jobindex.Row{}, key); !ok {
		return page, counts, fmt.Errorf("%w %q", jobindex.ErrSort, q.Sort)
	}
	at := func(r *jobindex.Row) naivePlace {
		n, text, _ := naiveKey(r, key)
		return naivePlace{n, text, r.ID}
	}
	rows := v.selected(&q, q.Filter)
	slices.SortFunc(rows, func(x, y jobindex.Row) int { return naiveCompare(at(&x), at(&y), down) })
	from, to := 0, 0
	limit := q.Limit
	if limit <= 0 {
		limit = jobindex.DefaultLimit
	}
	limit = min(limit, jobindex.MaxLimit)
	switch {
	case q.Before != "":
		p, err := naivePlaceOf(q.Before, sort)
		if err != nil {
			return page, counts, err
		}
		for to < len(rows) && naiveCompare(at(&rows[to]), p, down) < 0 {
			to++
		}
		from = max(0, to-limit)
	case q.After != "":
		p, err := naivePlaceOf(q.After, sort)
		if err != nil {
			return page, counts, err
		}
		for from < len(rows) && naiveCompare(at(&rows[from]), p, down) <= 0 {
			from++
		}
		to = min(from+limit, len(rows))
	default:
		to = min(limit, len(rows))
	}
	page.Rows = rows[from:to]
	if len(page.Rows) == 0 {
		return page, counts, nil
	}
	if page.First = from + 1; from > 0 {
		page.Previous = at(&rows[from]).cursor(sort)
	}
	if to < len(rows) {
		page.Next = at(&rows[to-1]).cursor(sort)
	}
	return page, counts, nil
}

// jobindex.Count counts the jobs that a query selects.
func (v *naive) Count(q jobindex.Query) (c jobindex.Counts) {
	n, all := map[job.State]int{}, 0
	for _, r := range v.selected(&q, q.Filter.Without(jobfilter.State)) {
		n[r.State]++
		all++
	}
	c.States = map[job.State]jobindex.Count{}
	for s, k := range n {
		c.States[s] = countOf(k)
	}
	c.All, c.Matching = countOf(all), countOf(len(v.selected(&q, q.Filter)))
	return c
}

// Suggest returns at most n values of a key that jobs of a query have and that contain a text,
// with the numbers of jobs, the most frequent first. Terms of the key itself do not count. An
// empty key suggests keys. Labels are suggested as names, and as name=value once the prefix
// has a "=".
func (v *naive) Suggest(q jobindex.Query, key, prefix string, n int) (all []jobindex.Suggestion) {
	if key == "" {
		for _, k := range jobfilter.Keys() {
			if strings.HasPrefix(string(k), strings.ToLower(prefix)) && len(all) < n {
				all = append(all, jobindex.Suggestion{Key: k})
			}
		}
		return all
	}
	found := map[string]int{}
	for _, r := range v.selected(&q, q.Filter.Without(jobfilter.Key(key))) {
		if key != string(jobfilter.Label) {
			found[r.Text(jobfilter.Key(key))]++
			continue
		}
		for name, value := range r.Labels {
			switch {
			case !strings.Contains(prefix, "="):
				found[name]++
			case value != r.UID && value != r.Name:
				found[name+"="+value]++
			}
		}
	}
	for value, k := range found {
		if value != "" && strings.Contains(strings.ToLower(value), strings.ToLower(prefix)) {
			all = append(all, jobindex.Suggestion{Key: jobfilter.Key(key), Value: value, Count: countOf(k)})
		}
	}
	slices.SortFunc(all, func(x, y jobindex.Suggestion) int {
		return cmp.Or(-cmp.Compare(found[x.Value], found[y.Value]), cmp.Compare(x.Value, y.Value))
	})
	return all[:min(n, len(all))]
}

// Each calls f for all jobs that a query selects, in any order, until f returns false. The row
// is used again for the next job: f copies what it keeps, also Life. Sort, Limit and cursors of
// the query are ignored.
func (v *naive) Each(q jobindex.Query, f func(*jobindex.Row) bool) {
	rows := v.selected(&q, q.Filter)
	for i := range rows {
		if !f(&rows[i]) {
			return
		}
	}
}

package jobindex_test

import (
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/wire"
)

// begin is the beginning of the histories of tests.
var begin = time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)

// minutes returns a time after begin.
func minutes(n int) time.Time { return begin.Add(time.Duration(n) * time.Minute) }

// drawing draws values with names.
type drawing struct{ *rapid.T }

func (d drawing) one(what string, values ...string) string {
	return rapid.SampledFrom(values).Draw(d.T, what)
}

func (d drawing) n(what string, from, to int) int { return rapid.IntRange(from, to).Draw(d.T, what) }

// job draws a job with an ID.
func (d drawing) job(id int64) jobindex.Job {
	j := jobindex.Job{
		ID: id, UID: fmt.Sprintf("uid-%d", id%40), Name: d.one("name", "train-a", "train-b", "eval", fmt.Sprint("job-", id)), Namespace: d.one("namespace", "ml", "web", "team-a"),
		ClusterUID: d.one("cluster", "uid-a", "uid-b", "uid-c"), Queue: d.one("queue", "", "gpu", "gpu-h100", "cpu"), Owner: d.one("owner", "", "ann", "bob", "李雷"),
		Submitted: minutes(d.n("submitted", 0, 300)), Version: wire.Version(d.n("version", 1, 99)),
	}
	j.Cluster = map[string]string{"uid-a": "a", "uid-b": "b", "uid-c": "a"}[j.ClusterUID]
	j.Type, j.Kind = "jobs.batch", "Job"
	if d.n("type", 0, 2) == 0 {
		j.Type, j.Kind = "pytorchjobs.kubeflow.org", "PyTorchJob"
	}
	if d.n("labels", 0, 2) > 0 {
		j.Labels = map[string]string{"team": d.one("team", "x", "y")}
		if d.n("names", 0, 1) == 0 {
			j.Labels["job-name"], j.Labels["uid"] = j.Name, j.UID
		}
	}
	if d.n("unknown facts", 0, 9) == 0 {
		d.live(&j)
		return j
	}
	j.Facts = &job.Facts{GPUs: d.n("gpus", 0, 9), Pods: d.n("pods", 0, 2), Attempt: d.n("attempt", 0, 3), Priority: d.one("priority", "", "high")}
	d.live(&j)
	return j
}

// live draws the life of a job.
func (d drawing) live(j *jobindex.Job) {
	at := j.Submitted
	states := []job.State{job.Submitted, job.Queued, job.Starting, job.Running, job.Restarting, job.Suspended, "", job.Aborted, "Odd"}
	for range d.n("entries", 0, 5) {
		at = at.Add(time.Duration(d.n("later", -5, 60)) * time.Minute)
		j.Transitions = append(j.Transitions, job.Transition{To: rapid.SampledFrom(states).Draw(d.T, "state"), At: at, Inferred: d.n("inferred", 0, 3) == 0})
	}
	if d.n("ends", 0, 1) == 0 {
		at = at.Add(time.Duration(d.n("end", 0, 60)) * time.Minute)
		j.Transitions = append(j.Transitions, job.Transition{To: rapid.SampledFrom([]job.State{job.Succeeded, job.Failed}).Draw(d.T, "end"), At: at})
	}
	j.State, j.Since, j.Reason = job.Submitted, j.Submitted, d.one("reason", "", "OOMKilled", "Evicted")
	if n := len(j.Transitions); n > 0 {
		j.State, j.Since = j.Transitions[n-1].To, j.Transitions[n-1].At
	}
	j.Presence = history.Presence(d.n("presence", 0, 3))
	if j.Presence == history.Deleted {
		j.Deleted = at.Add(time.Duration(d.n("deletion", 0, 60)) * time.Minute)
		j.Transitions = append(j.Transitions, job.Transition{To: job.Deleted, At: j.Deleted})
		if !j.State.Final() {
			j.State, j.Since = job.Deleted, j.Deleted
		}
	}
}

// filter draws parameters of a filter.
func (d drawing) filter() jobfilter.Filter {
	all := []string{
		"state=Running", "state=failed&state=Succeeded", "state=!Submitted", "state=S*", "cluster=a", "namespace=ml", "namespace=!web", "namespace=*e*", "queue=gpu*", "queue=", "queue=!gpu",
		"owner=ann&owner=bob", "owner=李*", "kind=job", "type=jobs.batch", "name=train-*", "name=!eval", "label=team", "label=team=x", "label=!team=y", "label=job-name=train-*", "label=uid=uid-1*",
		"label=!job-name", "reason=OOMKilled", "reason=", "priority=high", "gpus=>4", "gpus=<=2", "gpus=8", "gpus=!0", "pods=1", "waited=>30m", "ran=<1h", "ran=>=1h", "tries=>1", "tries=1",
		"submitted=>2026-11-20T09:00:00Z", "submitted=2026-11-20", "submitted=<3h", "submitted=08:30", "ended=>2026-11-20T10:00:00Z", "ended=!2026-11-20", "since=<2h", "since=>5h", "window=2h", "mine=true",
		"q=train", "q=tr+b", "q=!job", "waited=0s",
	}
	var parts []string
	for range d.n("terms", 0, 3) {
		parts = append(parts, d.one("term", all...))
	}
	q, err := url.ParseQuery(strings.Join(parts, "&"))
	if err != nil {
		d.Fatal(err)
	}
	f, err := jobfilter.Parse(q)
	if err != nil {
		d.Fatal(err)
	}
	return f
}

// query draws a query.
func (d drawing) query() jobindex.Query {
	q := jobindex.Query{Filter: d.filter(), Limit: d.n("limit", 1, 7)}
	q.Sort = d.one("direction", "", "-") + d.one("sort", "submitted", "since", "waited", "ran", "gpus", "tries", "name", "state", "queue", "owner", "namespace")
	if d.n("at", 0, 2) == 0 {
		q.At = minutes(d.n("instant", 0, 600))
	}
	if d.n("mine", 0, 1) == 0 {
		q.Mine = []string{"ann", ""}
	}
	if d.n("sees", 0, 2) == 0 {
		q.Sees = func(cluster, namespace string) bool { return namespace != "web" && cluster == "a" }
	}
	if d.n("sees types", 0, 2) == 0 {
		born := minutes(d.n("born", 0, 600))
		q.Since = func(cluster, clusterUID, typ, namespace string) (time.Time, bool) {
			if namespace == "web" {
				return born, true
			}
			return time.Time{}, typ == "jobs.batch" || cluster == "b" && clusterUID != "" && namespace == "ml"
		}
	}
	if d.n("from", 0, 3) == 0 {
		q.From = minutes(d.n("from at", 0, 600))
	}
	if d.n("to", 0, 3) == 0 {
		q.To = minutes(d.n("to at", 0, 600))
	}
	return q
}

// machine is an index beside a naive one.
type machine struct {
	index *jobindex.Index
	naive naive
	next  int64
}

// change changes some jobs in both.
func (m *machine) change(d drawing) {
	switch d.n("change", 0, 5) {
	case 0:
		m.index.Copy()
	case 1:
		if n := len(m.naive.jobs); n > 0 {
			i := d.n("removed", 0, n-1)
			m.index.Remove(m.naive.jobs[i].ID)
			m.naive.jobs = slices.Delete(m.naive.jobs, i, i+1)
		}
	case 2:
		if n := len(m.naive.jobs); n > 0 {
			i := d.n("changed", 0, n-1)
			j := m.naive.jobs[i]
			j.Transitions = nil
			d.live(&j)
			m.naive.jobs[i] = j
			m.index.Put([]jobindex.Job{j})
		}
	default:
		var added []jobindex.Job
		for range d.n("added", 1, 10) {
			m.next++
			added = append(added, d.job(m.next))
		}
		m.naive.jobs = append(m.naive.jobs, added...)
		m.index.Put(added)
	}
}

// same fails the test if two values differ.
func same(d drawing, what string, got, want any) {
	if !reflect.DeepEqual(got, want) {
		d.Fatalf("%s\n got %+v\nwant %+v", what, got, want)
	}
}

// plain makes rows comparable: an empty life is nil.
func plain(rows []jobindex.Row) []jobindex.Row {
	if len(rows) == 0 {
		return nil
	}
	all := slices.Clone(rows)
	for i := range all {
		if len(all[i].Life) == 0 {
			all[i].Life = nil
		}
		all[i].Life = slices.Clone(all[i].Life)
	}
	return all
}

// list compares the pages of a list, forwards and then backwards.
func (m *machine) list(d drawing, q jobindex.Query) {
	other, steps := q, 0
	for step := 0; ; step++ {
		got, counts, err := view(d, m, func(v *jobindex.View) (jobindex.Page, jobindex.Counts, error) { return v.List(q) })
		want, wanted, err2 := m.naive.List(other)
		if err != nil || err2 != nil {
			d.Fatalf("list failed: index %v, naive %v", err, err2)
		}
		what := fmt.Sprintf("page %d of %+v", step, q)
		same(d, what+": counts", counts, wanted)
		same(d, what, plain(got.Rows), plain(want.Rows))
		same(d, what+": place", []any{got.First, got.Next != "", got.Previous != ""}, []any{want.First, want.Next != "", want.Previous != ""})
		if d.n("meanwhile", 0, 5) == 0 {
			m.change(d)
		}
		if steps++; steps > 30 {
			return
		}
		switch back := q.Before != "" || got.Next == ""; {
		case back && got.Previous == "":
			return
		case back:
			q.After, q.Before, other.After, other.Before = "", got.Previous, "", want.Previous
		default:
			q.After, other.After = got.Next, want.Next
		}
	}
}

func view[A, B any](d drawing, m *machine, f func(*jobindex.View) (A, B, error)) (a A, b B, err error) {
	if e := m.index.ViewAt(m.naive.now, func(v *jobindex.View) error {
		a, b, err = f(v)
		return nil
	}); e != nil {
		d.Fatal(e)
	}
	return a, b, err
}

// rest compares everything except lists.
func (m *machine) rest(d drawing, q jobindex.Query) {
	key := d.one("key", "", "state", "cluster", "namespace", "queue", "owner", "kind", "type", "name", "label", "label", "reason", "priority", "gpus")
	part, n := d.one("part", "", "g", "TR", "team=", "a"), d.n("suggestions", 0, 5)
	from, to := minutes(d.n("from", 0, 600)), minutes(d.n("to", 0, 600))
	err := m.index.ViewAt(m.naive.now, func(v *jobindex.View) error {
		same(d, fmt.Sprintf("suggestions %q %q of %+v", key, part, q), v.Suggest(q, key, part, n), m.naive.Suggest(q, key, part, n))
		collect := func(rows *[]jobindex.Row) func(*jobindex.Row) bool {
			return func(r *jobindex.Row) bool {
				*rows = append(*rows, plain([]jobindex.Row{*r})...)
				return true
			}
		}
		var got, want []jobindex.Row
		within := q
		within.From, within.To = from, to
		v.Each(within, collect(&got))
		brief := within
		brief.Brief = true
		var completed []jobindex.Row
		v.Each(brief, func(r *jobindex.Row) bool {
			if r.Labels != nil || len(r.Life) > 0 {
				d.Fatalf("a brief row is complete: %+v", r)
			}
			c := *r
			v.Complete(&c, q.At)
			completed = append(completed, plain([]jobindex.Row{c})...)
			return true
		})
		same(d, "completed rows", completed, got)
		lives := within
		lives.Unlabeled, lives.NewestFirst = true, true
		var labeled []jobindex.Row
		v.Each(lives, func(r *jobindex.Row) bool {
			if r.Labels != nil {
				d.Fatalf("an unlabeled row has labels: %+v", r)
			}
			whole := *r
			whole.Life = nil
			v.Complete(&whole, q.At)
			r.Labels = whole.Labels
			labeled = append(labeled, plain([]jobindex.Row{*r})...)
			return true
		})
		slices.Reverse(labeled)
		same(d, "unlabeled rows with labels", labeled, got)
		m.naive.Each(within, collect(&want))
		byID := func(x, y jobindex.Row) int { return int(x.ID - y.ID) }
		slices.SortFunc(got, byID)
		slices.SortFunc(want, byID)
		same(d, fmt.Sprintf("during %v to %v of %+v", from, to, q), got, want)
		for i := range m.naive.jobs {
			m.lookUp(d, v, &m.naive.jobs[i], q.At)
		}
		scopes, wanted := map[jobindex.Scope]int{}, map[jobindex.Scope]int{}
		for _, s := range v.Scopes() {
			n := s.Jobs
			s.Jobs = 0
			scopes[s] += n
		}
		for _, j := range m.naive.jobs {
			wanted[jobindex.Scope{Cluster: j.Cluster, ClusterUID: j.ClusterUID, Type: j.Type, Kind: j.Kind, Namespace: j.Namespace}]++
		}
		same(d, "scopes", scopes, wanted)
		if v.Len() != len(m.naive.jobs) {
			d.Fatalf("%d jobs, want %d", v.Len(), len(m.naive.jobs))
		}
		return nil
	})
	if err != nil {
		d.Fatal(err)
	}
}

// lookUp compares the ways to find one job.
func (m *machine) lookUp(d drawing, v *jobindex.View, j *jobindex.Job, at time.Time) {
	got, ok := v.ByID(j.ID)
	want, _ := rowOf(j, m.naive.now, false, m.naive.gaps)
	if !ok {
		d.Fatalf("job %d is missing", j.ID)
	}
	same(d, "by ID", plain([]jobindex.Row{got}), plain([]jobindex.Row{want}))
	var byUID, byName *jobindex.Job
	for i := range m.naive.jobs {
		o := &m.naive.jobs[i]
		if o.UID == j.UID && o.Cluster == j.Cluster && (byUID == nil || o.ID > byUID.ID) {
			byUID = o
		}
		later := byName == nil || o.Submitted.After(byName.Submitted) || o.Submitted.Equal(byName.Submitted) && o.ID > byName.ID
		if o.Name == j.Name && o.Namespace == j.Namespace && o.Type == j.Type && o.ClusterUID == j.ClusterUID && later {
			byName = o
		}
	}
	instant := at
	if at.IsZero() {
		instant = m.naive.now
	}
	want, exists := rowOf(byUID, instant, !at.IsZero(), m.naive.gaps)
	got, ok = v.Job(j.Cluster, j.UID, at)
	if ok != exists {
		d.Fatalf("job %d at %v: found %t, want %t", j.ID, at, ok, exists)
	}
	same(d, "by UID", plain([]jobindex.Row{got}), plain([]jobindex.Row{want}))
	if got, ok = v.Newest(j.ClusterUID, j.Type, j.Namespace, j.Name); !ok || got.ID != byName.ID {
		d.Fatalf("newest of %s: %d %t, want %d", j.Name, got.ID, ok, byName.ID)
	}
}

// TestModel: a view gives the same results as a linear search of a list of jobs.
func TestModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		d := drawing{t}
		m := &machine{index: jobindex.New(jobindex.Config{}), naive: naive{now: minutes(700)}}
		if d.n("gaps", 0, 1) == 0 {
			of := history.Type{Group: "batch", Resource: "jobs", Kind: "Job"}
			m.naive.gaps = []history.Gap{{ID: 1, ClusterUID: "uid-a", Type: of, Namespace: "ml", Began: minutes(100), Ended: minutes(130)}, {ID: 2, ClusterUID: "uid-b", Type: of, Began: minutes(200)}}
			m.index.SetGaps(m.naive.gaps)
		}
		for range d.n("changes", 1, 8) {
			m.change(d)
		}
		for range 3 {
			q := d.query()
			m.list(d, q)
			m.rest(d, q)
		}
	})
}

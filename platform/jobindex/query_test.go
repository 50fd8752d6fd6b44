package jobindex_test

import (
	"errors"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/world/indextest"
)

// world returns an index of made-up jobs.
func world(jobs int) *jobindex.Index {
	x := jobindex.New(jobindex.Config{})
	indextest.NewWorld(1, jobs, begin).Fill(x)
	return x
}

// TestInvalidQueries: invalid orders and cursors are refused.
func TestInvalidQueries(t *testing.T) {
	err := world(100).View(func(v *jobindex.View) error {
		page, _, err := v.List(jobindex.Query{Limit: 10})
		if err != nil {
			return err
		}
		for _, q := range []jobindex.Query{{Sort: "age"}, {Sort: "--name"}} {
			if _, _, err := v.List(q); !errors.Is(err, jobindex.ErrSort) {
				t.Errorf("query %+v: got %v, want ErrSort", q, err)
			}
		}
		for _, q := range []jobindex.Query{{After: "x"}, {Before: "eA"}, {Sort: "name", After: page.Next}, {After: page.Next, Before: page.Next}, {After: page.Next + "A"}, {After: string(make([]byte, 5000))}} {
			if _, _, err := v.List(q); !errors.Is(err, jobindex.ErrCursor) {
				t.Errorf("query %.200v: got %v, want ErrCursor", q, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPagesOfGrowingKeys: waiting jobs appear once each, although their keys grow between
// the reads of the pages.
func TestPagesOfGrowingKeys(t *testing.T) {
	x := jobindex.New(jobindex.Config{})
	var jobs []jobindex.Job
	for i := range 60 {
		j := jobindex.Job{ID: int64(i + 1), UID: fmt.Sprint(i), Submitted: minutes(i), State: job.Queued, Since: minutes(i), Transitions: []job.Transition{{To: job.Queued, At: minutes(i)}}}
		if i%3 == 0 { // waited for half an hour in total
			j.Transitions = append(j.Transitions, job.Transition{To: job.Running, At: minutes(i + 30)})
			j.State, j.Since = job.Running, minutes(i+30)
		}
		jobs = append(jobs, j)
	}
	x.Put(jobs)
	for _, sort := range []string{"waited", "-waited", "ran", "-ran"} {
		seen := map[int64]bool{}
		q := jobindex.Query{Sort: sort, Limit: 7}
		for now := minutes(100); ; now = now.Add(time.Minute) {
			var page jobindex.Page
			err := x.ViewAt(now, func(v *jobindex.View) (err error) {
				page, _, err = v.List(q)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range page.Rows {
				if seen[r.ID] {
					t.Errorf("%s: job %d comes twice", sort, r.ID)
				}
				seen[r.ID] = true
			}
			if q.After = page.Next; q.After == "" {
				break
			}
		}
		if len(seen) != len(jobs) {
			t.Errorf("%s: %d of %d jobs", sort, len(seen), len(jobs))
		}
	}
}

// TestCursorOfAWordThatIsGone: a list continues after a queue that no longer has jobs.
func TestCursorOfAWordThatIsGone(t *testing.T) {
	x := jobindex.New(jobindex.Config{})
	for id, queue := range map[int64]string{1: "a", 50: "c", 3: "e"} {
		x.Put([]jobindex.Job{{ID: id, UID: queue, Queue: queue}})
	}
	list := func(q jobindex.Query) (p jobindex.Page) {
		err := x.View(func(v *jobindex.View) (err error) {
			p, _, err = v.List(q)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	q := jobindex.Query{Sort: "queue", Limit: 2}
	q.After = list(q).Next
	x.Remove(50)
	x.Put([]jobindex.Job{{ID: 4, UID: "d", Queue: "d"}, {ID: 1_000, UID: "b", Queue: "b"}})
	x.Copy()
	if p := list(q); len(p.Rows) != 2 || p.Rows[0].Queue != "d" || p.Rows[1].Queue != "e" || p.First != 3 {
		t.Errorf("got %+v, want queues d and e from row 3", p)
	}
}

// TestCounts: counts are exact up to 10,000.
func TestCounts(t *testing.T) {
	for _, n := range []int{10_000, 10_001} {
		x := jobindex.New(jobindex.Config{})
		var jobs []jobindex.Job
		for i := range n {
			jobs = append(jobs, jobindex.Job{ID: int64(i + 1), UID: fmt.Sprint(i), State: job.Running})
		}
		x.Put(jobs)
		want := jobindex.Count{N: 10_000, More: n > 10_000}
		if c := countAll(t, x); c.All != want || c.Matching != want || c.States[job.Running] != want {
			t.Errorf("%d jobs: got %+v, want %+v", n, c, want)
		}
	}
}

// TestSees: rights are checked once for each pair or combination of a query.
func TestSees(t *testing.T) {
	x := world(5000)
	twin := indextest.NewWorld(1, 5000, begin).Job(0) // of another cluster that had the name before
	twin.ID, twin.UID, twin.ClusterUID = 10_000, "twin", "replaced"
	x.Put([]jobindex.Job{twin})
	calls := map[string]int{}
	q := jobindex.Query{
		Sees: func(cluster, namespace string) bool {
			calls[cluster+"/"+namespace]++
			return true
		},
		Since: func(cluster, clusterUID, typ, namespace string) (time.Time, bool) {
			calls[cluster+"/"+clusterUID+"/"+typ+"/"+namespace]++
			return time.Time{}, true
		},
	}
	err := x.View(func(v *jobindex.View) error {
		_, _, err := v.List(q)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for what, n := range calls {
		if n != 1 {
			t.Errorf("%s: got %d calls, want 1", what, n)
		}
	}
	if len(calls) < 500 {
		t.Errorf("got %d calls, want at least 500", len(calls))
	}
}

// TestCosts: a job takes at most 270 bytes, and the allocations of a list do not depend on
// the number of jobs.
func TestCosts(t *testing.T) {
	const jobs = 50_000
	x := world(jobs)
	if n := x.Bytes() / jobs; n > 270 {
		t.Errorf("a job takes %d bytes", n)
	}
	filters := []string{"", "state=Failed&window=24h", "queue=queue-1&label=team=llm&waited=>1m&q=llama"}
	for _, query := range filters {
		values, err := url.ParseQuery(query)
		if err != nil {
			t.Fatal(err)
		}
		f, err := jobfilter.Parse(values)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range []time.Time{{}, begin.Add(-time.Hour)} {
			n := testing.AllocsPerRun(3, func() {
				err = x.ViewAt(begin, func(v *jobindex.View) error {
					_, _, err := v.List(jobindex.Query{Filter: f, Sort: "-since", At: at, Limit: 10})
					return err
				})
			})
			if n > 800 || err != nil {
				t.Errorf("%q at %v: got %v allocations and error %v, want at most 800", query, at, n, err)
			}
		}
	}
}

// TestViews: a view has either all of a change or nothing of it, even while the table is
// copied.
func TestViews(t *testing.T) {
	x := jobindex.New(jobindex.Config{})
	jobs := make([]jobindex.Job, 2000)
	states := []job.State{job.Queued, job.Running, job.Failed}
	change := func(i int) {
		for k := range jobs {
			jobs[k] = jobindex.Job{ID: int64(k + 1), UID: fmt.Sprint(k), State: states[i%3], Since: minutes(i), Transitions: []job.Transition{{To: states[i%3], At: minutes(i)}}}
		}
		x.Put(jobs)
	}
	change(0)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if c := countAll(t, x); len(c.States) != 1 || c.All.N != len(jobs) {
					t.Errorf("got counts %+v, want %d jobs in one state", c, len(jobs))
					return
				}
			}
		})
	}
	for i := range 50 {
		if change(i); i%10 == 0 {
			x.Copy()
		}
	}
	close(stop)
	readers.Wait()
}

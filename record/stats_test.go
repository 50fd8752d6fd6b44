package record_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/internal/dbtest"
	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/state"
	"github.com/vedette-io/vedette/wire"
)

// lifetimes writes objects that go through states at minutes after begin.
func lifetimes(t *testing.T, d *record.Database, all map[string][]any) {
	t.Helper()
	version := wire.Version(0)
	for uid, steps := range all {
		for i := 0; i < len(steps); i += 2 {
			version++
			s := record.Sight{
				Cluster: 1, Resource: 2, Namespace: "ml", Name: uid, UID: uid, Version: 2*version + 1, State: steps[i].(state.State),
				Seen: begin.Add(time.Duration(steps[i+1].(int)) * time.Minute), Queue: "gpu", Submitter: "ann-" + uid[:1],
			}
			if err := d.WriteSights(t.Context(), []record.Sight{s}); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestStats: times and counts, within a time and without bounds, also of what runs
// still.
func TestStats(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := open(t, url)
		lifetimes(t, d, map[string][]any{
			"a-done":    {state.Queued, 0, state.Running, 10, state.Succeeded, 30, state.Deleted, 40},
			"a-failed":  {state.Queued, 0, state.Running, 20, state.Restarting, 25, state.Running, 30, state.Failed, 60},
			"b-runs":    {state.Queued, 5, state.Running, 35},
			"b-waits":   {state.Submitted, 50, state.Queued, 55},
			"b-dropped": {state.Queued, 0, state.Deleted, 20},
		})
		now := begin.Add(100 * time.Minute)
		m := func(n int) time.Duration { return time.Duration(n) * time.Minute }
		jobs := record.Type{Group: "batch", Resource: "jobs", Kind: "Job"}
		for _, c := range []struct {
			name         string
			since, until int
			want         record.TypeStats
		}{
			{"all", 0, 0, record.TypeStats{
				Type: jobs, Objects: 5,
				InState:  map[string]time.Duration{"Queued": m(10 + 20 + 30 + 45 + 20), "Submitted": m(5), "Running": m(20 + 5 + 30 + 65), "Restarting": m(5), "Succeeded": m(10), "Failed": m(40)},
				Outcomes: map[string]int{"Succeeded": 1, "Failed": 1, "Deleted": 1},
				Waiting:  record.Spread{Count: 4, Open: 1, P50: m(20), P90: m(50), Max: m(50)},
				Running:  record.Spread{Count: 3, Open: 1, P50: m(35), P90: m(65), Max: m(65)},
				ByQueue:  map[string]record.Ends{"gpu": {Ended: 3, Failed: 1}}, BySubmitter: map[string]record.Ends{"ann-a": {Ended: 2, Failed: 1}, "ann-b": {Ended: 1}},
				ByNamespace: map[string]record.Ends{"ml": {Ended: 3, Failed: 1}},
			}},
			{"from 32 to 58", 32, 58, record.TypeStats{
				Type: jobs, Objects: 4,
				InState:  map[string]time.Duration{"Queued": m(3 + 3), "Submitted": m(5), "Running": m(26 + 23), "Succeeded": m(8)},
				Outcomes: map[string]int{},
				Waiting:  record.Spread{Count: 2, Open: 1, P50: m(8), P90: m(30), Max: m(30)},
				Running:  record.Spread{Count: 2, Open: 2, P50: m(23), P90: m(33), Max: m(33)},
				ByQueue:  map[string]record.Ends{}, BySubmitter: map[string]record.Ends{}, ByNamespace: map[string]record.Ends{},
			}},
			{"from 22 to 28", 22, 28, record.TypeStats{ // one ran before, and is to run again
				Type: jobs, Objects: 3,
				InState:  map[string]time.Duration{"Queued": m(6), "Running": m(6 + 3), "Restarting": m(3)},
				Outcomes: map[string]int{},
				Waiting:  record.Spread{Count: 1, Open: 1, P50: m(23), P90: m(23), Max: m(23)},
				Running:  record.Spread{Count: 2, Open: 1, P50: m(5), P90: m(18), Max: m(18)},
				ByQueue:  map[string]record.Ends{}, BySubmitter: map[string]record.Ends{}, ByNamespace: map[string]record.Ends{},
			}},
		} {
			f := record.Filter{Types: []record.Type{jobs}, Labels: nil}
			if c.until > 0 {
				f.Since, f.Until = begin.Add(m(c.since)), begin.Add(m(c.until))
			}
			steps := 0
			got, err := d.Stats(t.Context(), f, now, func(int) { steps++ })
			if err != nil || len(got) != 1 || steps == 0 {
				t.Fatal(c.name, got, err)
			}
			if diff := cmp.Diff(c.want, got[0]); diff != "" {
				t.Errorf("%s:\n%s", c.name, diff)
			}
		}
		if got, err := d.Stats(t.Context(), record.Filter{Namespace: "none"}, now, nil); err != nil || got != nil {
			t.Errorf("of nothing: %v, %v", got, err)
		}
	})
}

// TestViews: people can read the times.
func TestViews(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		d := open(t, url)
		lifetimes(t, d, map[string][]any{"a": {state.Queued, 0, state.Running, 10}})
		for query, want := range map[string]string{
			"SELECT %s FROM object_times":                                    "2026-03-01 09:10:00",
			"SELECT %s FROM transition_times t WHERE t.to_state = 'Running'": "2026-03-01 09:10:00",
		} {
			column := map[bool]string{true: "since", false: "happened_at"}[query == "SELECT %s FROM object_times"]
			if url[:8] == "postgres" {
				column = "to_char(" + column + " AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
			}
			var got string
			if err := d.SQL().QueryRowContext(t.Context(), fmt.Sprintf(query, column)).Scan(&got); err != nil || got[:len(want)] != want {
				t.Errorf("%s: %q, %v", query, got, err)
			}
		}
		var n int
		if err := d.SQL().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM gap_times").Scan(&n); err != nil {
			t.Error(err)
		}
		if err := d.SQL().QueryRowContext(t.Context(), "SELECT COUNT(*) FROM object_times WHERE gone_at IS NULL").Scan(&n); err != nil || n != 1 {
			t.Errorf("%d objects are there, %v", n, err)
		}
	})
}

// TestFindType: the words that kubectl takes.
func TestFindType(t *testing.T) {
	pods, jobs, volcano := record.Type{Resource: "pods", Kind: "Pod"}, record.Type{Group: "batch", Resource: "jobs", Kind: "Job"}, record.Type{Group: "batch.volcano.sh", Resource: "jobs", Kind: "Job"}
	for word, want := range map[string]record.Type{
		"pods": pods, "pod": pods, "po": pods, "Pod": pods, "pods.v1": pods, "jobs.batch": jobs, "job.batch": jobs, "jobs.v1.batch": jobs, "Job.v1alpha1.batch.volcano.sh": volcano, "vcjob": volcano,
	} {
		if got, err := record.FindType([]record.Type{jobs, volcano, pods}, word); err != nil || got != want {
			t.Errorf("%q: %v, %v", word, got, err)
		}
	}
	for word, want := range map[string]string{
		"job": `"job" may mean jobs.batch or jobs.batch.volcano.sh: name one of them`, "cow": `nothing is recorded of a type "cow"; there are jobs.batch, jobs.batch.volcano.sh, pods`,
		"pods.batch": `nothing is recorded of a type "pods.batch"; there are jobs.batch, jobs.batch.volcano.sh, pods`,
	} {
		if got, err := record.FindType([]record.Type{jobs, volcano, pods}, word); err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v", word, got, err)
		}
	}
}

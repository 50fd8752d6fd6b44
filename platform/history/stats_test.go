package history_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
	"github.com/vedette-io/vedette/wire"
)

// writeLives stores objects that pass through states at minutes after begin.
func writeLives(t *testing.T, db *sqldb.DB, all map[string][]any) {
	t.Helper()
	version := wire.Version(0)
	var revisions []revision
	for uid, steps := range all {
		for i := 0; i < len(steps); i += 2 {
			version++
			revisions = append(revisions, revision{
				Cluster: 1, Resource: 2, Namespace: "ml", Name: uid, UID: uid, Version: 2*version + 1, State: steps[i].(job.State),
				Seen: begin.Add(minutes(steps[i+1].(int))), Queue: "gpu", Submitter: "ann-" + uid[:1],
			})
		}
	}
	if err := write(t.Context(), db, revisions); err != nil {
		t.Fatal(err)
	}
}

func minutes(n int) time.Duration { return time.Duration(n) * time.Minute }

// TestStats checks times and counts, in a period and without bounds, for objects that ended
// and for objects that did not. Time in a final state does not count.
func TestStats(t *testing.T) {
	m, jobs := minutes, history.Type{Group: "batch", Resource: "jobs", Kind: "Job"}
	tests := []struct {
		name         string
		since, until int
		want         history.TypeStats
	}{
		{"all", 0, 0, history.TypeStats{
			Type: jobs, Objects: 5,
			InState:  map[string]time.Duration{"Queued": m(10 + 20 + 30 + 45 + 20), "Submitted": m(5), "Running": m(20 + 5 + 30 + 65), "Restarting": m(5)},
			Outcomes: map[string]int{"Succeeded": 1, "Failed": 1, "Deleted": 1},
			Waiting:  history.Spread{Count: 4, Open: 1, P50: m(20), P90: m(50), Max: m(50)},
			Running:  history.Spread{Count: 3, Open: 1, P50: m(35), P90: m(65), Max: m(65)},
			ByQueue:  map[string]history.Ends{"gpu": {Ended: 3, Failed: 1}}, BySubmitter: map[string]history.Ends{"ann-a": {Ended: 2, Failed: 1}, "ann-b": {Ended: 1}},
			ByNamespace: map[string]history.Ends{"ml": {Ended: 3, Failed: 1}},
		}},
		{"from 32 to 58", 32, 58, history.TypeStats{
			Type: jobs, Objects: 4,
			InState:  map[string]time.Duration{"Queued": m(3 + 3), "Submitted": m(5), "Running": m(26 + 23)},
			Outcomes: map[string]int{},
			Waiting:  history.Spread{Count: 2, Open: 1, P50: m(8), P90: m(30), Max: m(30)},
			Running:  history.Spread{Count: 2, Open: 2, P50: m(23), P90: m(33), Max: m(33)},
			ByQueue:  map[string]history.Ends{}, BySubmitter: map[string]history.Ends{}, ByNamespace: map[string]history.Ends{},
		}},
		{"from 22 to 28", 22, 28, history.TypeStats{ // one object ran before, and will run again
			Type: jobs, Objects: 3,
			InState:  map[string]time.Duration{"Queued": m(6), "Running": m(6 + 3), "Restarting": m(3)},
			Outcomes: map[string]int{},
			Waiting:  history.Spread{Count: 1, Open: 1, P50: m(23), P90: m(23), Max: m(23)},
			Running:  history.Spread{Count: 2, Open: 1, P50: m(5), P90: m(18), Max: m(18)},
			ByQueue:  map[string]history.Ends{}, BySubmitter: map[string]history.Ends{}, ByNamespace: map[string]history.Ends{},
		}},
	}
	dbtest.Each(t, func(t *testing.T, url string) {
		db := open(t, url)
		h := history.New(db)
		writeLives(t, db, map[string][]any{
			"a-done":    {job.Queued, 0, job.Running, 10, job.Succeeded, 30, job.Deleted, 40},
			"a-failed":  {job.Queued, 0, job.Running, 20, job.Restarting, 25, job.Running, 30, job.Failed, 60},
			"b-runs":    {job.Queued, 5, job.Running, 35},
			"b-waits":   {job.Submitted, 50, job.Queued, 55},
			"b-dropped": {job.Queued, 0, job.Deleted, 20},
		})
		now := begin.Add(m(100))
		for _, c := range tests {
			f := history.Filter{Types: []history.Type{jobs}}
			if c.until > 0 {
				f.Since, f.Until = begin.Add(m(c.since)), begin.Add(m(c.until))
			}
			steps := 0
			got, err := h.Stats(t.Context(), f, now, func(int) { steps++ })
			if err != nil || len(got) != 1 || steps == 0 {
				t.Fatalf("%s: got %+v and error %v, want one cluster after at least one step", c.name, got, err)
			}
			if diff := cmp.Diff(c.want, got[0]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
		if got, err := h.Stats(t.Context(), history.Filter{Namespace: "none"}, now, nil); err != nil || got != nil {
			t.Errorf("an empty namespace: %v, %v", got, err)
		}
	})
}

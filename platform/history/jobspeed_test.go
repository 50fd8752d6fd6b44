package history_test

import (
	"flag"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

var jobsFlag = flag.Int64("jobs", 2_000, "number of jobs in TestManyJobs, which logs how long pages take")

// TestManyJobs checks that any list of jobs can be read to its end, and logs the time for
// its pages.
func TestManyJobs(t *testing.T) {
	url := dbtest.Empty(t, "sqlite")
	createMonth(t, url, *jobsFlag, true)
	db, err := sqldb.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	h := history.New(db)
	filters := map[string]history.Filter{
		"all":                 {},
		"mine, common":        {Submitter: "user-common"},
		"mine":                {Submitter: "user-7"},
		"mine, rare":          {Submitter: "user-rare"},
		"mine, past":          {Submitter: "user-past"},
		"mine, unknown":       {Submitter: "user-unknown"},
		"Running":             {States: []job.State{job.Running}},
		"Failed":              {States: []job.State{job.Failed}},
		"Aborted":             {States: []job.State{job.Aborted}},
		"Deleted":             {States: []job.State{job.Deleted}},
		"mine, Failed":        {States: []job.State{job.Failed}, Submitter: "user-7"},
		"namespace and queue": {Namespace: "ns-7", Queue: "queue-7"},
	}
	now := time.UnixMicro(monthBegin + monthLength)
	for _, name := range slices.Sorted(maps.Keys(filters)) {
		p := history.Paging{Limit: 50}
		var walls []time.Duration
		jobs := 0
		for range 50 {
			began := time.Now()
			page, err := h.ListJobs(t.Context(), filters[name], p, now)
			walls = append(walls, time.Since(began))
			if err != nil {
				t.Fatalf("list %s failed: %v", name, err)
			}
			for i := range page.Items {
				if j := &page.Items[i]; j.GPUs != 32 || len(j.Life) == 0 {
					t.Fatalf("list %s: got %+v, want 32 GPUs and a life", name, j)
				}
			}
			jobs += len(page.Items)
			if p.After = page.Next; p.After == "" {
				break
			}
		}
		slices.Sort(walls)
		t.Logf("%-20s %2d pages %4d jobs, median %5.1f ms, 99th percentile %5.1f ms", name, len(walls), jobs, walls[len(walls)/2].Seconds()*1e3, walls[(len(walls)*99+99)/100-1].Seconds()*1e3)
	}
}

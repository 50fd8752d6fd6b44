package jobindex_test

import (
	"net/url"
	"testing"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/jobindex"
)

// keyCases has a case for each key of jobfilter: a value that selects keyedJob, a value that
// does not, and the value that is suggested, or empty if the key has no suggestions.
var keyCases = map[jobfilter.Key]struct{ selects, omits, suggests string }{
	jobfilter.State:     {"Failed", "Running", "Failed"},
	jobfilter.Cluster:   {"west", "east", "west"},
	jobfilter.Namespace: {"ml", "web", "ml"},
	jobfilter.Queue:     {"gpu", "cpu", "gpu"},
	jobfilter.Owner:     {"chen", "emre", "chen"},
	jobfilter.Kind:      {"Job", "RayJob", "Job"},
	jobfilter.Type:      {"jobs.batch", "rayjobs.ray.io", "jobs.batch"},
	jobfilter.Name:      {"train", "eval", "train"},
	jobfilter.Label:     {"team=llm", "team=vision", "team"},
	jobfilter.Reason:    {"OOMKilled", "Evicted", "OOMKilled"},
	jobfilter.Priority:  {"high", "low", "high"},
	jobfilter.GPUs:      {"8", "4", ""},
	jobfilter.Pods:      {"2", "3", ""},
	jobfilter.Tries:     {"1", "2", ""},
	jobfilter.Waited:    {">9m", ">11m", ""},
	jobfilter.Ran:       {">19m", ">21m", ""},
	jobfilter.Submitted: {"<" + minutes(1).Format("2006-01-02T15:04:05Z"), ">" + minutes(1).Format("2006-01-02T15:04:05Z"), ""},
	jobfilter.Ended:     {">" + minutes(29).Format("2006-01-02T15:04:05Z"), ">" + minutes(31).Format("2006-01-02T15:04:05Z"), ""},
	jobfilter.Since:     {">" + minutes(29).Format("2006-01-02T15:04:05Z"), ">" + minutes(31).Format("2006-01-02T15:04:05Z"), ""},
	jobfilter.Window:    {"1h", "5m", ""},
	jobfilter.Mine:      {"true", "", ""},
}

// keyedJob has a value for each key. It waited for 10 minutes, ran for 20, and failed.
func keyedJob() jobindex.Job {
	return jobindex.Job{
		ID: 1, Cluster: "west", ClusterUID: "w", Type: "jobs.batch", Kind: "Job", Namespace: "ml", Name: "train", UID: "u", Queue: "gpu", Owner: "chen",
		State: job.Failed, Reason: "OOMKilled", Since: minutes(30), Submitted: minutes(0), Labels: map[string]string{"team": "llm"},
		Transitions: []job.Transition{
			{To: job.Queued, At: minutes(0)}, {To: job.Running, At: minutes(10)}, {To: job.Failed, At: minutes(30)},
		},
		Facts: &job.Facts{GPUs: 8, Pods: 2, Attempt: 1, Priority: "high"},
	}
}

// TestKeys checks that every key of jobfilter selects jobs and suggests values. Without a
// case in scan.go, a key selects nothing; without a case in suggest.go, it suggests nothing;
// without a case in row.go, a row lacks its value.
func TestKeys(t *testing.T) {
	x := jobindex.New(jobindex.Config{})
	x.Put([]jobindex.Job{keyedJob()})
	now := minutes(40)
	check := func(v *jobindex.View, key jobfilter.Key, value, person string, want int) {
		f, err := jobfilter.Parse(url.Values{string(key): {value}})
		if err != nil {
			t.Fatalf("%s=%s: got error %v, want a filter", key, value, err)
		}
		mine := []string{person}
		if got := v.Count(jobindex.Query{Filter: f, Mine: mine}).Matching.N; got != want {
			t.Errorf("%s=%s for %s: got %d jobs, want %d (scan.go)", key, value, person, got, want)
		}
		row, ok := v.ByID(1)
		if got := ok && f.Compile(now, mine).Match(&row); got != (want == 1) {
			t.Errorf("%s=%s for %s: got %v for the row, want %v (row.go)", key, value, person, got, want == 1)
		}
	}
	err := x.ViewAt(now, func(v *jobindex.View) error {
		for _, key := range jobfilter.Keys() {
			c, ok := keyCases[key]
			if !ok {
				t.Errorf("key %s: got no row in keyCases, want one; the key also needs cases in scan.go and row.go, and in suggest.go if it has words", key)
				continue
			}
			check(v, key, c.selects, "chen", 1)
			if key == jobfilter.Mine {
				check(v, key, c.selects, "emre", 0)
			} else {
				check(v, key, c.omits, "chen", 0)
			}
			all := v.Suggest(jobindex.Query{}, string(key), "", 10)
			switch {
			case c.suggests == "" && len(all) > 0:
				t.Errorf("%s: got suggestions %v, want none (suggest.go)", key, all)
			case c.suggests != "" && (len(all) != 1 || all[0].Value != c.suggests || all[0].Count.N != 1):
				t.Errorf("%s: got suggestions %v, want %q for 1 job (suggest.go)", key, all, c.suggests)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

package recordmetrics_test

import (
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/vedette-io/vedette/platform/metrics/recordmetrics"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/reflector"
)

// TestCollector: Prometheus gets what a recorder has counted, under both names of a metric
// that is renamed.
func TestCollector(t *testing.T) {
	one := record.TargetHealth{Target: record.Target{Type: "jobs.batch", LabelSelector: "a=b"}, Ready: true, Objects: 7, CoveredAt: time.Now()}
	one.Revisions, one.Duplicates, one.Batches, one.Retries = 10, 2, 3, 1
	one.Gaps = map[string]uint64{record.CauseWindow: 4}
	one.Stored.Buckets[2], one.Stored.Sum = 10, time.Second
	one.Sizes[3] = 3
	one.Reflector.Phase = reflector.Watching
	list := func() []record.Health {
		return []record.Health{{Cluster: "here", Replaced: 3, Targets: []record.TargetHealth{one, {Target: record.Target{Type: "pods"}}}}}
	}
	c := recordmetrics.New(list)
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(c); err != nil {
		t.Fatal(err)
	}
	want := `
# HELP vedette_record_ready 1 if the first list was written or the watch was resumed; otherwise 0.
# TYPE vedette_record_ready gauge
vedette_record_ready{cluster="here",namespace="",selector="",type="pods"} 0
vedette_record_ready{cluster="here",namespace="",selector="a=b",type="jobs.batch"} 1
# HELP vedette_record_gaps_total Gaps that this recorder wrote, by cause.
# TYPE vedette_record_gaps_total counter
vedette_record_gaps_total{cause="window",cluster="here",namespace="",selector="a=b",type="jobs.batch"} 4
# HELP vedette_record_revisions_total Revisions that this recorder wrote.
# TYPE vedette_record_revisions_total counter
vedette_record_revisions_total{cluster="here",namespace="",selector="",type="pods"} 0
vedette_record_revisions_total{cluster="here",namespace="",selector="a=b",type="jobs.batch"} 10
# HELP vedette_record_revisions_duplicate_total Revisions that the database had already, from another recorder or from before a restart.
# TYPE vedette_record_revisions_duplicate_total counter
vedette_record_revisions_duplicate_total{cluster="here",namespace="",selector="",type="pods"} 0
vedette_record_revisions_duplicate_total{cluster="here",namespace="",selector="a=b",type="jobs.batch"} 2
# HELP vedette_record_revisions_known_total Deprecated, use vedette_record_revisions_duplicate_total. Revisions that the database had already.
# TYPE vedette_record_revisions_known_total counter
vedette_record_revisions_known_total{cluster="here",namespace="",selector="",type="pods"} 0
vedette_record_revisions_known_total{cluster="here",namespace="",selector="a=b",type="jobs.batch"} 2
# HELP vedette_record_replaced_total Replacements of the cluster: a different cluster answered at the address.
# TYPE vedette_record_replaced_total counter
vedette_record_replaced_total{cluster="here"} 3
# HELP vedette_record_rebuilt_total Deprecated, use vedette_record_replaced_total. Replacements of the cluster: a different cluster answered at the address.
# TYPE vedette_record_rebuilt_total counter
vedette_record_rebuilt_total{cluster="here"} 3
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "vedette_record_ready", "vedette_record_gaps_total", "vedette_record_revisions_total",
		"vedette_record_revisions_duplicate_total", "vedette_record_revisions_known_total", "vedette_record_replaced_total", "vedette_record_rebuilt_total"); err != nil {
		t.Error(err)
	}
	if n := testutil.CollectAndCount(c, "vedette_record_stored_lag_seconds"); n != 2 {
		t.Errorf("got %d lag histograms", n)
	}
	if problems, err := testutil.GatherAndLint(registry); err != nil || len(problems) > 0 {
		t.Errorf("got problems %v and error %v, want neither", problems, err)
	}
}

// TestRanges: the UID ranges of one target are different series.
func TestRanges(t *testing.T) {
	var all []record.TargetHealth
	for _, target := range (record.Target{Type: "pods", LabelSelector: "a=b"}).Divide(2) {
		all = append(all, record.TargetHealth{Target: target})
	}
	for _, target := range (record.Target{Type: "nodes"}).Divide(2) {
		all = append(all, record.TargetHealth{Target: target, Ready: true})
	}
	all[3].Reflector.Skipped = 7
	registry := prometheus.NewPedanticRegistry()
	if err := registry.Register(recordmetrics.New(func() []record.Health { return []record.Health{{Cluster: "here", Targets: all}} })); err != nil {
		t.Fatal(err)
	}
	want := `
# HELP vedette_record_ready 1 if the first list was written or the watch was resumed; otherwise 0.
# TYPE vedette_record_ready gauge
vedette_record_ready{cluster="here",namespace="",selector="a=b uids 1/2",type="pods"} 0
vedette_record_ready{cluster="here",namespace="",selector="a=b uids 2/2",type="pods"} 0
vedette_record_ready{cluster="here",namespace="",selector="uids 1/2",type="nodes"} 1
vedette_record_ready{cluster="here",namespace="",selector="uids 2/2",type="nodes"} 1
# HELP vedette_record_skipped_objects_total Objects in lists and events that the server sent although they are not in the UID range.
# TYPE vedette_record_skipped_objects_total counter
vedette_record_skipped_objects_total{cluster="here",namespace="",selector="a=b uids 1/2",type="pods"} 0
vedette_record_skipped_objects_total{cluster="here",namespace="",selector="a=b uids 2/2",type="pods"} 0
vedette_record_skipped_objects_total{cluster="here",namespace="",selector="uids 1/2",type="nodes"} 0
vedette_record_skipped_objects_total{cluster="here",namespace="",selector="uids 2/2",type="nodes"} 7
`
	if err := testutil.GatherAndCompare(registry, strings.NewReader(want), "vedette_record_ready", "vedette_record_skipped_objects_total"); err != nil {
		t.Error(err)
	}
}

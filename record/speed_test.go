package record_test

import (
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/vedette-io/vedette/record"
	"github.com/vedette-io/vedette/state"
)

var transitionsFlag = flag.Int64("transitions", 20_000, "how many TestManyTransitions makes; with 1,000,000 or more, it takes the time of queries")

// timed reports whether there are so many transitions that it is about time.
func timed() bool { return *transitionsFlag >= 1_000_000 }

// repeats is how often each page is read: the median counts.
func repeats() int {
	if timed() {
		return 3
	}
	return 1
}

func TestManyTransitions(t *testing.T) {
	ctx := t.Context()
	d, err := record.Open(ctx, "sqlite:"+t.TempDir()+"/history.db")
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := d.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	fill(t, d, *transitionsFlag/5)
	t.Logf("%d transitions were made within %v", *transitionsFlag, time.Since(began).Round(time.Second))
	day := func(n float64) time.Time { return time.UnixMicro(monthBegin + int64(n*24*3_600_000_000)) }
	label := func(name, value string) []record.Label { return []record.Label{{Name: name, Value: value}} }
	pods, trains := []record.Type{{Resource: "pods"}}, []record.Type{{Group: "trainer.kubeflow.org", Resource: "trainjobs"}}
	filters := map[string]record.Filter{
		"all":              {},
		"a day":            {Since: day(10), Until: day(11)},
		"before it began":  {Until: day(-1)},
		"pods":             {Types: pods},
		"trainjobs":        {Types: trains},
		"cluster rare":     {Cluster: "test"},
		"cluster":          {Cluster: "prod"},
		"Failed":           {States: []state.State{state.Failed}},
		"Aborted":          {States: []state.State{state.Aborted}},
		"Restarting":       {States: []state.State{state.Restarting}},
		"Running":          {States: []state.State{state.Running}},
		"two states":       {States: []state.State{state.Failed, state.Running}},
		"owner":            {Owner: record.Owner{Kind: "Job", Name: "job-5000"}},
		"owner by uid":     {Owner: record.Owner{UID: "uid-job-5001"}},
		"owner large":      {Owner: record.Owner{Kind: "Job", Name: "large"}},
		"label unique":     {Labels: label("job-name", "job-77")},
		"label of all":     {Labels: label("app", "train")},
		"labels":           {Labels: append(label("app", "train"), label("team", "team-7")...)},
		"labels, one rare": {Labels: append(label("app", "train"), label("team", "team-rare")...)},
	}
	for _, kind := range []string{"common", "rare", "past", "7", "unknown"} {
		ns, team := "ns-"+kind, label("team", "team-"+kind)
		filters["namespace "+kind] = record.Filter{Namespace: ns}
		filters["queue "+kind] = record.Filter{Queue: "queue-" + kind}
		filters["submitter "+kind] = record.Filter{Submitter: "user-" + kind}
		filters["label "+kind] = record.Filter{Labels: team}
		filters["namespace, label "+kind] = record.Filter{Namespace: ns, Labels: team}
		filters["Failed, namespace "+kind] = record.Filter{States: []state.State{state.Failed}, Namespace: ns}
		filters["Aborted, namespace "+kind] = record.Filter{States: []state.State{state.Aborted}, Namespace: ns}
		filters["Failed, label "+kind] = record.Filter{States: []state.State{state.Failed}, Labels: team}
		filters["Running, pods, namespace "+kind] = record.Filter{States: []state.State{state.Running}, Types: pods, Namespace: ns}
		filters["a day, namespace "+kind] = record.Filter{Namespace: ns, Since: day(10), Until: day(11)}
		filters["trainjobs, namespace "+kind] = record.Filter{Types: trains, Namespace: ns}
	}
	var names []string
	for name := range filters {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		f := filters[name]
		var line []string
		for _, oldest := range []bool{false, true} {
			line = append(line, measure(t, name, oldest, func(ctx context.Context, p record.Paging) (record.Page[record.Change], error) {
				return d.ListTransitions(ctx, f, p)
			}))
			line = append(line, measure(t, name+", objects", oldest, func(ctx context.Context, p record.Paging) (record.Page[record.Object], error) {
				return d.ListObjects(ctx, f, p)
			}))
		}
		t.Logf("%-35s %s", name, strings.Join(line, "  "))
	}
}

// measure reads some pages of a list, and holds the slowest against what is promised.
func measure[T any](t *testing.T, name string, oldest bool, list func(context.Context, record.Paging) (record.Page[T], error)) string {
	t.Helper()
	p := record.Paging{Limit: 100, OldestFirst: oldest}
	var slowest, wall time.Duration
	pages, items := 0, 0
	for pages < 4*repeats() {
		var times, walls []time.Duration
		var page record.Page[T]
		for len(times) < repeats() {
			began, cpu := time.Now(), worked(t)
			var err error
			if page, err = list(t.Context(), p); err != nil {
				t.Fatal(name, err)
			}
			times, walls = append(times, worked(t)-cpu), append(walls, time.Since(began))
		}
		slices.Sort(times)
		slices.Sort(walls)
		slowest, wall = max(slowest, times[len(times)/2]), max(wall, walls[len(times)/2])
		pages, items = pages+1, items+len(page.Items)
		if p.After = page.Next; p.After == "" {
			break
		}
	}
	if slowest > 50*time.Millisecond && timed() {
		t.Errorf("%s: a page took %v", name, slowest)
	}
	return fmt.Sprintf("%2d pages %4d %5.1f/%5.1f ms", pages, items, slowest.Seconds()*1000, wall.Seconds()*1000)
}

// worked is how long this process has worked: the time of the clock says more of what
// else runs on the machine.
func worked(t *testing.T) time.Duration {
	t.Helper()
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

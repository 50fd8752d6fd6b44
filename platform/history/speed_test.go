package history_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/internal/oscompat"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

var transitionsFlag = flag.Int64("transitions", 20_000, "number of transitions in TestManyTransitions; with 200,000 or more it bounds the time of queries")

// timed reports whether there are enough transitions for limits on time.
func timed() bool { return *transitionsFlag >= 200_000 }

// repeats is the number of times that each page is read. The median counts.
func repeats() int {
	if timed() {
		return 3
	}
	return 1
}

// The maximum time of a page: CPU time in SQLite, which runs in this process, and wall time
// on a server.
const (
	slowestInProcess = 50 * time.Millisecond
	slowestOnServer  = 100 * time.Millisecond
)

// TestManyTransitions: with any filter, and in both orders, a page takes 50 ms of CPU time
// with SQLite at most, and 100 ms with a server on this machine.
func TestManyTransitions(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, url string) {
		began := time.Now()
		createMonth(t, url, *transitionsFlag/5, false)
		t.Logf("wrote %d transitions in %v", *transitionsFlag, time.Since(began).Round(time.Second))
		db, err := sqldb.Open(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		t.Logf("the database has %d MB", sizeOf(t, db, url)/1e6)
		m := &meter{t: t, inProcess: strings.HasPrefix(url, "sqlite:"), limit: slowestOnServer}
		if m.inProcess {
			m.limit = slowestInProcess
		}
		h := history.New(db)
		filters := filtersOfMonth()
		for _, name := range slices.Sorted(maps.Keys(filters)) {
			f := filters[name]
			var line []string
			for _, order := range []history.Order{history.NewestFirst, history.OldestFirst} {
				line = append(line, measure(m, name, order, func(ctx context.Context, p history.Paging) (history.Page[history.Change], error) {
					return h.ListTransitions(ctx, f, p)
				}))
				line = append(line, measure(m, name+", objects", order, func(ctx context.Context, p history.Paging) (history.Page[history.Object], error) {
					return h.ListObjects(ctx, f, p)
				}))
			}
			t.Logf("%-35s %s", name, strings.Join(line, "  "))
		}
		slices.Sort(m.pages)
		t.Logf("%d pages: median %v, 99%% %v, slowest %v", len(m.pages), m.pages[len(m.pages)/2], m.pages[len(m.pages)*99/100], m.pages[len(m.pages)-1])
	})
}

// sizeOf returns the bytes of all tables and indexes.
func sizeOf(t *testing.T, db *sqldb.DB, url string) (size int64) {
	t.Helper()
	query := map[string]string{
		"sqlite":   "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()",
		"postgres": "SELECT pg_database_size(current_database())",
		"mysql":    "SELECT CAST(SUM(data_length + index_length) AS SIGNED) FROM information_schema.tables WHERE table_schema = DATABASE()",
	}[strings.Split(url, ":")[0]]
	if err := db.QueryRow(t.Context(), query).Scan(&size); err != nil {
		t.Fatal(err)
	}
	return size
}

// meter measures pages.
type meter struct {
	t         *testing.T
	inProcess bool // the database runs in this process
	limit     time.Duration
	pages     []time.Duration // each the median of its repeats
}

// filtersOfMonth returns filters of all kinds, and combinations of them, of values that are
// common, rare, past or unknown.
func filtersOfMonth() map[string]history.Filter {
	day := func(n float64) time.Time { return time.UnixMicro(monthBegin + int64(n*24*3_600_000_000)) }
	label := func(name, value string) labels.Selector { return labels.SelectorFromSet(labels.Set{name: value}) }
	pods, trains := []history.Type{{Resource: "pods"}}, []history.Type{{Group: "trainer.kubeflow.org", Resource: "trainjobs"}}
	filters := map[string]history.Filter{
		"all":              {},
		"a day":            {Since: day(10), Until: day(11)},
		"before it began":  {Until: day(-1)},
		"pods":             {Types: pods},
		"trainjobs":        {Types: trains},
		"cluster rare":     {Cluster: "test"},
		"cluster":          {Cluster: "prod"},
		"Failed":           {States: []job.State{job.Failed}},
		"Aborted":          {States: []job.State{job.Aborted}},
		"Restarting":       {States: []job.State{job.Restarting}},
		"Running":          {States: []job.State{job.Running}},
		"two states":       {States: []job.State{job.Failed, job.Running}},
		"owner":            {Owner: history.Owner{Kind: "Job", Name: "job-5000"}},
		"owner by uid":     {Owner: history.Owner{UID: "uid-job-5001"}},
		"owner large":      {Owner: history.Owner{Kind: "Job", Name: "large"}},
		"label unique":     {Labels: label("job-name", "job-77")},
		"label of all":     {Labels: label("app", "train")},
		"labels":           {Labels: labels.SelectorFromSet(labels.Set{"app": "train", "team": "team-7"})},
		"labels, one rare": {Labels: labels.SelectorFromSet(labels.Set{"app": "train", "team": "team-rare"})},
	}
	for _, kind := range []string{"common", "rare", "past", "7", "unknown"} {
		ns, team := "ns-"+kind, label("team", "team-"+kind)
		filters["namespace "+kind] = history.Filter{Namespace: ns}
		filters["queue "+kind] = history.Filter{Queue: "queue-" + kind}
		filters["submitter "+kind] = history.Filter{Submitter: "user-" + kind}
		filters["label "+kind] = history.Filter{Labels: team}
		filters["namespace, label "+kind] = history.Filter{Namespace: ns, Labels: team}
		filters["Failed, namespace "+kind] = history.Filter{States: []job.State{job.Failed}, Namespace: ns}
		filters["Aborted, namespace "+kind] = history.Filter{States: []job.State{job.Aborted}, Namespace: ns}
		filters["Failed, label "+kind] = history.Filter{States: []job.State{job.Failed}, Labels: team}
		filters["Running, pods, namespace "+kind] = history.Filter{States: []job.State{job.Running}, Types: pods, Namespace: ns}
		filters["a day, namespace "+kind] = history.Filter{Namespace: ns, Since: day(10), Until: day(11)}
		filters["trainjobs, namespace "+kind] = history.Filter{Types: trains, Namespace: ns}
	}
	return filters
}

// measure reads the first pages of a list, and compares the slowest with the limit.
func measure[T any](m *meter, name string, order history.Order, list func(context.Context, history.Paging) (history.Page[T], error)) string {
	m.t.Helper()
	p := history.Paging{Limit: 100, Order: order}
	var slowest, wall time.Duration
	pages, items := 0, 0
	for pages < 4*repeats() {
		var times, walls []time.Duration
		var page history.Page[T]
		for len(times) < repeats() {
			began, cpu := time.Now(), oscompat.CPUTime()
			var err error
			if page, err = list(m.t.Context(), p); err != nil {
				m.t.Fatalf("list %s failed: %v", name, err)
			}
			times, walls = append(times, oscompat.CPUTime()-cpu), append(walls, time.Since(began))
		}
		slices.Sort(times)
		slices.Sort(walls)
		if !m.inProcess {
			times = walls
		}
		m.pages = append(m.pages, times[len(times)/2])
		slowest, wall = max(slowest, times[len(times)/2]), max(wall, walls[len(times)/2])
		pages, items = pages+1, items+len(page.Items)
		if p.After = page.Next; p.After == "" {
			break
		}
	}
	if slowest > m.limit && timed() {
		m.t.Errorf("%s: a page took %v", name, slowest)
	}
	return fmt.Sprintf("%2d pages %4d %5.1f/%5.1f ms", pages, items, slowest.Seconds()*1000, wall.Seconds()*1000)
}

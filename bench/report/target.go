package report

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/bench/scenario"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// Target is a row of the table of ratios: a goal.
type Target struct {
	What           string
	Scenario, Case string // no case means the scenario's first one
	Ours, Theirs   string
	Figure         scenario.Figure
	Goal           Goal
}

// Goal is the limit of our figure: at most, or for AtLeast at least, this fraction of
// theirs, or this number.
type Goal struct {
	Ratio   float64
	Limit   float64
	AtLeast bool
	Text    string
}

func part(of float64) Goal { return Goal{Ratio: 1 / of, Text: "1/" + digitsShort(of)} }

func limit(v float64, u scenario.Unit) Goal { return Goal{Limit: v, Text: format(v, u)} }

func digitsShort(v float64) string { return fmt.Sprintf("%g", v) }

// Figures of the table.
var (
	wall      = scenario.Figure{Name: measure.Wall, Unit: scenario.Seconds}
	cpuEach   = scenario.Figure{Name: measure.CPU, Unit: scenario.Seconds, Each: true}
	heapEach  = scenario.Figure{Name: measure.Heap, Unit: scenario.Bytes, Each: true}
	peak      = scenario.Figure{Name: measure.Peak, Unit: scenario.Bytes}
	perEvent  = scenario.Figure{Name: contest.PerEvent, Unit: scenario.Seconds}
	growth    = scenario.Figure{Name: measure.RSSGrowth, Unit: scenario.Bytes}
	share     = scenario.Figure{Name: "share", Unit: scenario.Share}
	p99       = scenario.Figure{Name: measure.P99, Unit: scenario.Seconds}
	overhead  = scenario.Figure{Name: "overhead", Unit: scenario.Bytes}
	perSecond = scenario.Figure{Name: contest.PerSecond}
	listed    = scenario.Figure{Name: contest.ListedPerSecond}
	commit    = scenario.Figure{Name: "alone-" + measure.P50, Unit: scenario.Seconds}

	paint      = scenario.Figure{Name: scenario.PortalPaint, Unit: scenario.Seconds}
	lost       = scenario.Figure{Name: scenario.PortalLost}
	heapGrowth = scenario.Figure{Name: scenario.PortalHeapGrowth, Unit: scenario.Bytes}
	cores      = scenario.Figure{Name: scenario.PortalCores}
)

// flat is the maximum growth of a process with constant memory: about as much as the
// garbage collector leaves uncollected.
const flat = 64e6

// Targets are all goals.
var Targets = []Target{
	{"first sync, CPU per pod", "sync", scenario.PodsCase, "vedette", "client-go", cpuEach, part(12)},
	{"first sync, wall", "sync", scenario.PodsCase, "vedette", "client-go", wall, part(10)},
	{"live heap per pod", "sync", scenario.PodsCase, "vedette", "client-go", heapEach, part(40)},
	{"peak RSS", "sync", scenario.PodsCase, "vedette", "client-go", peak, part(17)},
	{"busy pods: first sync, CPU per pod", "sync", scenario.BusyCase, "vedette", "client-go", cpuEach, part(12)},
	{"busy pods: first sync, wall", "sync", scenario.BusyCase, "vedette", "client-go", wall, part(10)},
	{"busy pods: live heap per pod", "sync", scenario.BusyCase, "vedette", "client-go", heapEach, part(32)},
	{"busy pods: peak RSS", "sync", scenario.BusyCase, "vedette", "client-go", peak, part(17)},
	{"random bytes: first sync, CPU per secret", "sync", scenario.RandomCase, "vedette", "client-go", cpuEach, part(4)},
	{"Unstructured: heap per object", "sync", scenario.UnstructuredCase, "vedette-unstructured", "client-go-dynamic", heapEach, part(60)},
	{"Unstructured: CPU per object", "sync", scenario.UnstructuredCase, "vedette-unstructured", "client-go-dynamic", cpuEach, part(15)},
	{"events applied, CPU per event", "events", scenario.HeartbeatsCase, "vedette", "client-go", perEvent, part(10)},
	{"busy pods: events applied, CPU per event", "events", scenario.BusyBeatsCase, "vedette", "client-go", perEvent, part(10)},
	{"random bytes: events applied, CPU per event", "events", scenario.RandomBeatsCase, "vedette", "client-go", perEvent, part(4)},
	{"writes/s beside 10 readers, of those alone", "beside", scenario.SmallCase, "vedette", "client-go", share, Goal{Limit: .5, AtLeast: true, Text: "50 %"}},
	{"a handler that never returns, RSS growth", "stuck", "", "vedette", "client-go", growth, Goal{Limit: flat, Text: "flat"}},
	{"restart with 100,000 objects, ready after", "restart", "", "vedette-warm", "client-go", wall, limit(.3, scenario.Seconds)},
	{"frame to handler, p99", "latency", scenario.PacedCase, "vedette", "client-go", p99, part(2)},
	{"store overhead per object, two indexes", "overhead", scenario.SmallCase, "vedette", "client-go", overhead, limit(200, scenario.Bytes)},
	{"the same, against StateDB", "overhead", scenario.SmallCase, "vedette", "statedb", overhead, limit(200, scenario.Bytes)},
	{"commit of one change, p50", "commit", scenario.SmallCase, "vedette", "client-go", commit, limit(10e-6, scenario.Seconds)},
	{"the same, against StateDB", "commit", scenario.SmallCase, "vedette", "statedb", commit, limit(10e-6, scenario.Seconds)},
	{"commit while a reader loops over all, p99", "commit", scenario.SmallCase, "vedette", "client-go", p99, limit(50e-6, scenario.Seconds)},
	{"the same, against StateDB", "commit", scenario.SmallCase, "vedette", "statedb", p99, limit(50e-6, scenario.Seconds)},
	{"live mode: sync CPU per pod", "sync", scenario.PodsCase, "vedette-live", "client-go", cpuEach, part(2.5)},
	{"live mode: heap per pod", "sync", scenario.PodsCase, "vedette-live", "client-go", heapEach, Goal{Ratio: .6, Text: "0.6"}},
	{"adapter, handlers read nothing: CPU per pod", "adapter-sync", scenario.AdapterNothing, "adapter", "client-go", cpuEach, part(8)},
	{"the same: heap per pod", "adapter-sync", scenario.AdapterNothing, "adapter", "client-go", heapEach, part(18)},
	{"adapter, each object decoded once: CPU per pod", "adapter-sync", scenario.AdapterOnce, "adapter", "client-go", cpuEach, part(3)},
	{"adapter, 16 handlers read old and new: CPU per event", "adapter-events", scenario.AdapterBoth, "adapter", "client-go", perEvent, part(3)},
	{"the same, busy pods", "adapter-events", scenario.AdapterBusyBoth, "adapter", "client-go", perEvent, part(3)},
	{"the same, random bytes", "adapter-events", scenario.AdapterRandomBoth, "adapter", "client-go", perEvent, part(3)},
	{"adapter, live: sync CPU per pod", "adapter-sync", scenario.AdapterNothing, "adapter-live", "client-go", cpuEach, part(2)},
	{"adapter, live: heap per pod", "adapter-sync", scenario.AdapterNothing, "adapter-live", "client-go", heapEach, Goal{Ratio: .6, Text: "0.6"}},
	{"queue of three priorities, items/s", "queue", scenario.PrioritiesCase, "vedette", "controller-runtime", perSecond, Goal{Limit: 2e6, AtLeast: true, Text: "2 M"}},
	{"workqueue, 8 producers, 8 workers, items/s", "queue", scenario.WorkersCase, "vedette", "client-go", perSecond, Goal{Ratio: 1.5, AtLeast: true, Text: "1.5"}},
	{"the same, where client-go measures too", "queue", scenario.WorkersCase, "vedette", "client-go-measured", perSecond, Goal{Ratio: 3, AtLeast: true, Text: "3"}},
	{"recorder, revisions/s kept durably: SQLite", "record", scenario.SQLiteCase, "vedette", "rows", perSecond, Goal{Limit: 20_000, AtLeast: true, Text: "20,000"}},
	{"the same, PostgreSQL", "record", scenario.PostgresCase, "vedette", "rows", perSecond, Goal{Limit: 20_000, AtLeast: true, Text: "20,000"}},
	{"the same, MariaDB", "record", scenario.MariaDBCase, "vedette", "rows", perSecond, Goal{Limit: 20_000, AtLeast: true, Text: "20,000"}},
	{"recorder, first list, revisions/s: SQLite", "record", scenario.ListSQLiteCase, "vedette", "rows", listed, Goal{Ratio: 1, AtLeast: true, Text: "1"}},
	{"the same, PostgreSQL", "record", scenario.ListPostgresCase, "vedette", "rows", listed, Goal{Ratio: 1, AtLeast: true, Text: "1"}},
	{"the same, MariaDB", "record", scenario.ListMariaDBCase, "vedette", "rows", listed, Goal{Ratio: 1, AtLeast: true, Text: "1"}},
	{"event to message, p99: SQLite", "notify", scenario.NotifySQLiteCase, "vedette", "handler", p99, limit(.5, scenario.Seconds)},
	{"event to message, p99: PostgreSQL", "notify", scenario.NotifyPostgresCase, "vedette", "handler", p99, limit(.5, scenario.Seconds)},
	{"event to message, p99: MariaDB", "notify", scenario.NotifyMariaDBCase, "vedette", "handler", p99, limit(.5, scenario.Seconds)},
	{"portal: list, timeline and job, p99: SQLite", "portal", scenario.PortalSQLiteCase, "vedette", "", p99, limit(.1, scenario.Seconds)},
	{"portal: list, timeline and job, p99: PostgreSQL", "portal", scenario.PortalPostgresCase, "vedette", "", p99, limit(.1, scenario.Seconds)},
	{"portal: list, timeline and job, p99: MariaDB", "portal", scenario.PortalMariaDBCase, "vedette", "", p99, limit(.1, scenario.Seconds)},
	{"portal: first paint", "portal", scenario.PortalSQLiteCase, "vedette", "", paint, limit(1, scenario.Seconds)},
	{"portal: clients that lost a row", "streams", scenario.StreamsCase, "vedette", "", lost, Goal{Text: "0"}},
	{"portal: growth of the heap beside its index", "streams", scenario.StreamsCase, "vedette", "", heapGrowth, Goal{Limit: flat, Text: "flat"}},
	{"portal: CPU of the streams, in cores", "streams", scenario.StreamsCase, "vedette", "", cores, Goal{Limit: .5, Text: "0.5"}},
}

// line is the result of a Target.
type line struct {
	Target
	ours, theirs value
	floor        value // lower bound for all contestants; it has no rounds if the case has no floor
	verdict      string
}

// judge compares the measurements with a target.
func (r *Run) judge(t Target) line {
	l := line{Target: t, verdict: "not measured"}
	if t.Case == "" {
		if all := r.spots(t.Scenario); len(all) > 0 {
			t.Case = all[0].name
		}
	}
	var oursOK, theirsOK bool
	l.ours, oursOK = r.at(spot{t.Scenario, t.Case, t.Ours}, t.Figure)
	l.theirs, theirsOK = r.at(spot{t.Scenario, t.Case, t.Theirs}, t.Figure)
	for _, name := range []string{"floor", "floor-decoded", "floor-warm"} {
		if v, ok := r.at(spot{t.Scenario, t.Case, name}, t.Figure); ok && t.Figure != share { // a share is relative to the contestant itself
			l.floor = v
		}
	}
	bound := t.Goal.Limit
	if t.Goal.Ratio > 0 {
		bound = t.Goal.Ratio * l.theirs.median
	}
	switch {
	case strings.Contains(r.failure(spot{t.Scenario, t.Case, t.Ours}), dbtest.ErrAbsent.Error()):
		l.verdict = "no server here"
	case !oursOK || t.Goal.Ratio > 0 && !theirsOK:
	case (l.ours.median <= bound) != t.Goal.AtLeast:
		l.verdict = "yes"
	default:
		l.verdict = "no"
	}
	return l
}

// cells returns the row of a line.
func (l line) cells() []string {
	show := func(v value) string {
		if v.rounds == 0 {
			return "-"
		}
		return strings.TrimSpace(format(v.median, l.Figure.Unit) + " " + v.spread())
	}
	theirs := show(l.theirs)
	if by := others[l.Theirs]; l.theirs.rounds > 0 && by != "" {
		theirs += " (" + by + ")"
	}
	return []string{l.What, show(l.ours), theirs, ratio(l.ours.median, l.theirs.median), l.Goal.Text, l.verdict, show(l.floor), l.overFloor()}
}

// overFloor returns how many times the floor ours is.
func (l line) overFloor() string {
	if l.floor.rounds == 0 || l.ours.rounds == 0 || l.floor.median <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2g", l.ours.median/l.floor.median)
}

// others are the peers that are not client-go, as shown in its column.
var others = map[string]string{"statedb": "StateDB", "controller-runtime": "controller-runtime", "rows": "a row of JSON each"}

// titles are the columns of the table of ratios.
var titles = []string{"what", "ours", "client-go's", "ratio", "target", "reached", "floor", "times the floor"}

// Table writes the table of ratios for a terminal.
func (r *Run) Table(w io.Writer) error {
	for _, text := range r.head() {
		fmt.Fprintln(w, text)
	}
	fmt.Fprintln(w, "medians; ± is half of the range of the rounds")
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, strings.Join(titles, "\t"))
	for _, target := range Targets {
		fmt.Fprintln(t, strings.Join(r.judge(target).cells(), "\t"))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	for i := range r.Records {
		if rec := &r.Records[i]; rec.Failed != "" {
			fmt.Fprintf(w, "FAILED: %s / %s / %s: %s\n", rec.Scenario, rec.Case, rec.Contestant, rec.Failed)
		}
	}
	return nil
}

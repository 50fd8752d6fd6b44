package scenario

import (
	"time"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/measure"
)

// The cases of the portal in the table of ratios.
const (
	PortalSQLiteCase   = "SQLite"
	PortalPostgresCase = "PostgreSQL"
	PortalMariaDBCase  = "MariaDB"
	StreamsCase        = "1,000 clients, 200 slow"
)

// Figures of package portal, which this package does not link.
const (
	PortalCores      = "cores"
	PortalPaint      = "paint"
	PortalLost       = "lost"
	PortalHeapGrowth = "heap-growth"
)

// Figures of operations have no value for the whole portal, and vice versa.
var portalFigures = []Figure{
	{Title: "p50", Name: measure.P50, Unit: Seconds},
	{Title: "p99", Name: measure.P99, Unit: Seconds},
	{Title: "max", Name: measure.Max, Unit: Seconds},
	{Title: "failed", Name: "failed"},
	{Title: "cores", Name: PortalCores, Ours: true},
	{Title: "live heap", Name: measure.Heap, Unit: Bytes, Ours: true},
	{Title: "peak RSS", Name: measure.Peak, Unit: Bytes, Ours: true},
	{Title: "ready after", Name: "load", Unit: Seconds, Ours: true},
	{Title: "bodies read", Name: "settled", Unit: Seconds, Ours: true},
	{Title: "first paint", Name: PortalPaint, Unit: Seconds, Ours: true},
	{Title: "jobs shown", Name: "rows", Unit: Seconds, Ours: true},
}

var streamFigures = []Figure{
	{Title: "transitions/s", Name: contest.PerSecond, Ours: true},
	{Title: "sent each second", Name: "sent", Unit: Bytes},
	{Title: "cores", Name: PortalCores},
	{Title: "fast clients that lost a row", Name: PortalLost, Ours: true},
	{Title: "slow clients that missed a row without a reset", Name: "wrong", Ours: true},
	{Title: "new connections of slow clients", Name: "again", Ours: true},
	{Title: "resets of slow clients", Name: "resets", Ours: true},
	{Title: "differences of the browser", Name: "differs", Ours: true},
	{Title: "equal after", Name: "equal", Unit: Seconds, Ours: true},
	{Title: "growth of the heap", Name: PortalHeapGrowth, Unit: Bytes, Ours: true},
	{Title: "goroutines", Name: "routines", Ours: true},
	{Title: "growth of the browser's heap", Name: "script-heap", Unit: Bytes, Ours: true},
	{Title: "live heap", Name: measure.Heap, Unit: Bytes, Ours: true},
	{Title: "peak RSS", Name: measure.Peak, Unit: Bytes, Ours: true},
}

// portalCases are requests over a large history, while a recorder writes.
func portalCases(o Options) []Case {
	var cases []Case
	for _, d := range []struct{ name, database string }{{PortalSQLiteCase, "sqlite"}, {PortalPostgresCase, "postgres"}, {PortalMariaDBCase, "mariadb"}} {
		if o.Size == Short && d.database != "sqlite" {
			continue
		}
		c := Case{Name: d.name, Contestants: []string{"vedette"}, Rounds: 1}
		c.Task = contest.Task{
			Action: contest.Portal, Database: d.database, N: o.jobs(pick(o, 2000, 20_000, 1_000_000)), Rate: pick(o, 100, 500, 500),
			Events: pick(o, 2, 20, 200), Paints: pick(o, 0, 1, 5), Timeout: 2 * time.Hour,
		}
		cases = append(cases, c)
	}
	return cases
}

// streamCases are many clients of the stream. The full case takes ten minutes.
func streamCases(o Options) []Case {
	c := Case{Name: StreamsCase, Contestants: []string{"vedette"}, Rounds: 1}
	c.Task = contest.Task{
		Action: contest.Streams, Database: "sqlite", N: o.jobs(pick(o, 500, 5000, 100_000)), Rate: pick(o, 100, 500, 500), Streams: pick(o, 20, 1000, 1000), Slow: pick(o, 4, 200, 200),
		Paints: pick(o, 0, 1, 1), Length: pick(o, 2*time.Second, 20*time.Second, 10*time.Minute), Timeout: 2 * time.Hour,
	}
	if o.Length > 0 {
		c.Task.Length = o.Length
	}
	return []Case{c}
}

// jobs returns the number of jobs in the history of a portal.
func (o Options) jobs(usual int) int {
	if o.Jobs > 0 {
		return o.Jobs
	}
	return usual
}

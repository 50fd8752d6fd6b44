package scenario

import (
	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/measure"
	"github.com/vedette-io/vedette/bench/workload"
)

var recordFigures = []Figure{
	{Title: "revisions/s", Name: contest.PerSecond},
	{Title: "CPU", Name: contest.PerEvent, Unit: Seconds},
	{Title: "server", Name: contest.ServerEach, Unit: Seconds},
	{Title: "stored", Name: contest.StoredEach, Unit: Bytes},
	{Title: "first list: revisions/s", Name: contest.ListedPerSecond},
	{Title: "CPU", Name: contest.ListedEach, Unit: Seconds},
	{Title: "stored", Name: contest.ListedStored, Unit: Bytes},
	{Title: "feed: transitions/s", Name: contest.FeedPerSecond, Ours: true},
	{Title: "CPU", Name: contest.FeedEach, Unit: Seconds, Ours: true},
	{Title: "live heap each", Name: contest.HeapEach, Unit: Bytes},
	{Title: "peak RSS", Name: measure.Peak, Unit: Bytes},
}

func recordCases(o Options) []Case {
	var cases []Case
	add := func(name, kind, database string, n, events int, contestants ...string) {
		p := o.plan(name, kind, n, workload.JSON, contestants...)
		p.Task.Database, p.forms = database, []workload.Form{{Encoding: workload.JSON}}
		cases = append(cases, p.does(contest.Keep, workload.Churn{Sort: workload.Heartbeats, Events: events}).done(o))
	}
	for _, d := range []struct{ pods, jobs, kind string }{
		{SQLiteCase, "jobs, SQLite", "sqlite"}, {PostgresCase, "jobs, PostgreSQL", "postgres"}, {MariaDBCase, "jobs, MariaDB", "mariadb"},
	} {
		add(d.pods, "pods", d.kind, pick(o, 40, 5_000, 5_000), pick(o, 100, 30_000, 50_000), "vedette", "rows", "floor")
		if o.Size != Short {
			add(d.jobs, "jobs", d.kind, pick(o, 40, 0, 10_000), pick(o, 100, 0, 50_000), "vedette", "rows", "floor")
		}
	}
	for _, d := range []struct{ name, kind string }{{ListSQLiteCase, "sqlite"}, {ListPostgresCase, "postgres"}, {ListMariaDBCase, "mariadb"}} {
		if o.Size != Short {
			add(d.name, "pods", d.kind, pick(o, 40, 0, 20_000), 1, "vedette", "rows", "floor")
		}
	}
	if o.Size == Full {
		add("200,000 jobs, SQLite", "jobs", "sqlite", 200_000, 1, "vedette")
	}
	return cases
}

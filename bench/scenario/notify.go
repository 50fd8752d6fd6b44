package scenario

import (
	"time"

	"github.com/vedette-io/vedette/bench/contest"
	"github.com/vedette-io/vedette/bench/measure"
)

// The cases in the table of ratios.
const (
	NotifySQLiteCase   = "500/s, SQLite"
	NotifyPostgresCase = "500/s, PostgreSQL"
	NotifyMariaDBCase  = "500/s, MariaDB"
)

var notifyFigures = []Figure{
	{Title: "p50", Name: measure.P50, Unit: Seconds},
	{Title: "p99", Name: measure.P99, Unit: Seconds},
	{Title: "max", Name: measure.Max, Unit: Seconds},
	{Title: "CPU per message", Name: contest.MessageEach, Unit: Seconds},
}

// notifyCases are transitions at a steady rate, with messages to one receiver.
func notifyCases(o Options) []Case {
	var cases []Case
	for _, d := range []struct{ name, database string }{{NotifySQLiteCase, "sqlite"}, {NotifyPostgresCase, "postgres"}, {NotifyMariaDBCase, "mariadb"}} {
		c := Case{Name: d.name, Contestants: []string{"vedette", "handler", "floor"}, Rounds: pick(o, 1, 1, 3)}
		c.Task = contest.Task{Action: contest.Notify, Database: d.database, N: pick(o, 50, 5_000, 15_000), Rate: 500, Timeout: 5 * time.Minute}
		if o.Rounds > 0 {
			c.Rounds = o.Rounds
		}
		cases = append(cases, c)
	}
	return cases
}

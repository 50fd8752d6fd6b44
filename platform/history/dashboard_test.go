package history_test

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"

	"github.com/vedette-io/vedette/wire"
)

// dashboard is a part of a dashboard of Grafana.
type dashboard struct {
	Templating struct {
		List []struct{ Name, Type, Query string }
	}
	Panels []struct {
		Title   string
		Targets []struct{ RawSQL, Format string }
	}
}

func readDashboard(t *testing.T, name string) (dashboard, string) {
	t.Helper()
	testinput.Uncached(t)
	text, err := os.ReadFile("../../deploy/grafana/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var d dashboard
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	return d, string(text)
}

// TestDashboards: the dashboards differ in the type of the database only, and know all types
// of jobs.
func TestDashboards(t *testing.T) {
	of, postgres := readDashboard(t, "vedette-postgresql.json")
	_, mysql := readDashboard(t, "vedette-mysql.json")
	if diff := cmp.Diff(strings.ReplaceAll(postgres, `"grafana-postgresql-datasource"`, `"mysql"`), mysql); diff != "" {
		t.Errorf("vedette-mysql.json must equal vedette-postgresql.json except for the database type:\n%s", diff)
	}
	for _, name := range job.Types() {
		resource, _ := job.SplitType(name)
		if !slices.ContainsFunc(of.Templating.List, func(v struct{ Name, Type, Query string }) bool {
			return v.Name == "type" && strings.Contains(v.Query, "'"+resource+"'")
		}) {
			t.Errorf("the variable of types lacks %s", resource)
		}
	}
	for _, p := range of.Panels {
		for _, target := range p.Targets {
			if strings.Contains(target.RawSQL, "transitions t") && !strings.Contains(target.RawSQL, "$__unixEpochFrom()") {
				t.Errorf("%s reads all transitions", p.Title)
			}
		}
	}
}

// TestDashboardQueries: every query of the dashboards runs, and returns what was recorded.
func TestDashboardQueries(t *testing.T) {
	d, _ := readDashboard(t, "vedette-postgresql.json")
	for _, kind := range dbtest.Kinds() {
		if kind == "sqlite" {
			continue // Grafana has no data source for it
		}
		t.Run(kind, func(t *testing.T) {
			db := open(t, dbtest.Empty(t, kind))
			writeDashboardJobs(t, db)
			writeDashboardRest(t, db)
			got := map[string][]string{}
			for _, v := range d.Templating.List {
				if v.Type == "query" {
					got["$"+v.Name] = grafanaRows(t, db, v.Query)
				}
			}
			for _, p := range d.Panels {
				if len(p.Targets) != 1 {
					t.Errorf("%s has %d queries, want 1", p.Title, len(p.Targets))
				}
				got[p.Title] = grafanaRows(t, db, p.Targets[0].RawSQL)
			}
			at := fmt.Sprint(begin.Add(-time.Hour).Unix()) // intervals begin at even hours
			want := map[string][]string{
				"$cluster": {"a", "b"}, "$type": {"jobs", "jobs"}, "$namespace": {"ml"}, "$queue": {"cpu", "gpu"},
				"Open jobs": {"2"}, "Waiting": {"1"}, "Failed in the period": {"1"}, "Open gaps": {"1"}, "Feed not read": {"0"}, "Dead letters": {"1"},
				"Jobs by state": {"Failed 1", "Queued 1", "Running 1", "Succeeded 1"},
				"Time waited":   {at + " 600 1800"}, "Time from the first run to the end": {at + " 240 1260"},
				"How jobs ended": {at + " Failed 1", at + " Succeeded 1"}, "Why they failed": {" 1"},
				"By owner": {"ann 2 1"}, "By queue": {"cpu 1 0", "gpu 1 1"}, "Longest waits": {"ml d gpu ann  7200"},
				"Messages": {at + " chat 1"}, "From event to row": {at + " 0.25 0.25"}, "Gaps": {fmt.Sprint("a pods ml window ", begin.Add(minutes(10)).UnixMilli(), "  away")},
			}
			transitions := got["Transitions"]
			delete(got, "Transitions")
			for _, name := range []string{"Jobs by state", "By queue"} { // ties have any order
				slices.Sort(got[name])
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if len(transitions) < 5 {
				t.Errorf("got transitions %q, want at least 5", transitions)
			}
		})
	}
}

// writeDashboardJobs records four jobs within an hour.
func writeDashboardJobs(t *testing.T, db *sqldb.DB) {
	t.Helper()
	var all []revision
	j := func(uid, queue string, steps ...any) {
		for i := 0; i < len(steps); i += 2 {
			all = append(all, revision{
				Cluster: 1, Resource: 2, Namespace: "ml", Name: uid, UID: uid, Version: wire.Version(uid[0])*100 + wire.Version(i), State: steps[i].(job.State),
				Seen: begin.Add(minutes(steps[i+1].(int))), Queue: queue, Submitter: "ann",
			})
		}
	}
	j("a", "gpu", job.Submitted, 0, job.Queued, 5, job.Running, 10)
	j("b", "gpu", job.Queued, 0, job.Running, 30, job.Restarting, 45, job.Running, 46, job.Failed, 51)
	j("d", "gpu", job.Queued, 0)
	j("e", "cpu", job.Queued, 0, job.Running, 1, job.Succeeded, 5)
	if err := write(t.Context(), db, all); err != nil {
		t.Fatal(err)
	}
}

// writeDashboardRest records a transition in the feed, a gap and a dead letter.
func writeDashboardRest(t *testing.T, db *sqldb.DB) {
	t.Helper()
	at := begin.Add(minutes(10)).UnixMicro()
	for _, query := range []string{
		"INSERT INTO feed (position, object_id, version, kind, recorded_at) SELECT 1, t.object_id, t.version, 1, t.seen_at + 250000 FROM transitions t JOIN objects o ON o.id = t.object_id WHERE o.uid = 'a' AND t.to_state = 'Submitted'",
		fmt.Sprintf("INSERT INTO gaps (cluster_id, resource_id, namespace, selector_hash, recorder, cause, from_version, to_version, from_at, to_at, detail, healed_at) SELECT MIN(c.id), MIN(r.id), 'ml', 0, 'r', 'window', 1, 2, %d, 0, 'away', 0 FROM clusters c CROSS JOIN resources r", at),
		fmt.Sprintf("INSERT INTO deliveries (key_hash, key_text, kind, rule_name, channel, receiver, receiver_hash, person, role, object_id, lane, feed_position, notice, state, attempts, rescues, next_at, created_at, sent_at, claim, claimed_by, status, ref, last_error, late, replay, acked_by, acked_at, escalate_at) VALUES ('k', 'k', 'job', 'r', 'chat', 'ann', 0, 'ann', '', 0, 0, 0, '', 6, 8, 0, 0, %d, 0, 0, '', '', '', 'refused', 0, 0, '', 0, 0)", at),
	} {
		if _, err := db.SQL().ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
}

// grafanaRows runs a query with the values that Grafana puts into it: all clusters, two hours
// from the beginning, and intervals of two hours.
func grafanaRows(t *testing.T, db *sqldb.DB, query string) (rows []string) {
	t.Helper()
	const hours = 2
	query = strings.NewReplacer(
		"$__unixEpochFrom()", fmt.Sprint(begin.Unix()), "$__unixEpochTo()", fmt.Sprint(begin.Add(hours*time.Hour).Unix()), "${__interval_ms}", "7200000",
		"${cluster:sqlstring}", "'a', 'b'", "${type:sqlstring}", "'jobs', 'pytorchjobs'", "${namespace:sqlstring}", "'ml'", "${queue:sqlstring}", "'gpu', 'cpu', ''",
	).Replace(query)
	if i := strings.IndexByte(query, '$'); i >= 0 {
		t.Fatalf("an unknown variable: %s", query[i:])
	}
	result, err := db.SQL().QueryContext(t.Context(), query)
	if err != nil {
		t.Errorf("query failed: %v\n%s", err, query)
		return nil
	}
	defer result.Close()
	columns, err := result.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for result.Next() {
		values := make([]sql.NullString, len(columns))
		into := make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := result.Scan(into...); err != nil {
			t.Fatal(err)
		}
		words := make([]string, len(values))
		for i, v := range values {
			words[i] = v.String
			if strings.Contains(v.String, ".") {
				words[i] = strings.TrimRight(strings.TrimRight(v.String, "0"), ".")
			}
		}
		rows = append(rows, strings.Join(words, " "))
	}
	if err := result.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}

package delivery_test

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/platform/sqldb/dbtest"
)

// listening is a driver that records the statements.
type listening struct {
	sqldb.Driver
	mu         sync.Mutex
	statements map[string]bool
}

func (l *listening) Dialect() sqldb.Dialect {
	d := l.Driver.Dialect()
	rebind := d.Rebind
	d.Rebind = func(statement string) string {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.statements[statement] = true
		if rebind == nil {
			return statement
		}
		return rebind(statement)
	}
	return d
}

func (l *listening) Address(u *url.URL, getenv func(string) string) (sqldb.Address, error) {
	return l.Driver.Address(u, getenv)
}

// values replace the parameters of a statement.
var values = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(channel|name|rule_name) (=|IN \() ?\?`), "$1 $2 'chat'"},
	{regexp.MustCompile(`(_at|hour) (<=?) \?`), "$1 $2 4000000000000000"},
	{regexp.MustCompile(`(_at) (>=?) \?`), "$1 $2 1"},
	{regexp.MustCompile(`key_hash (IN|<>|=) (\()?\?(, \?)*`), "key_hash $1 ${2}'0123456789abcdef'"},
	{regexp.MustCompile(`(acked_by|claimed_by|status|ref|last_error|reason|person) = \?`), "$1 = 'x'"},
	{regexp.MustCompile(`LIMIT \?`), "LIMIT 10"},
	{regexp.MustCompile(`\?`), "3"},
}

// TestPlans: with 20,000 deliveries behind others and 20,000 sent ones, no statement reads
// all of them.
func TestPlans(t *testing.T) {
	for _, kind := range dbtest.Kinds() {
		t.Run(kind, func(t *testing.T) {
			address := dbtest.Empty(t, kind)
			driver, err := sqldb.DriverOf(address)
			if err != nil {
				t.Fatal(err)
			}
			l := &listening{Driver: driver, statements: map[string]bool{}}
			db, err := sqldb.OpenWith(t.Context(), l, address)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			if _, err := db.Migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			d := &database{DB: db}
			d.fill(t)
			clear(l.statements)
			d.useAll(t)
			if len(l.statements) < 30 {
				t.Errorf("only %d statements", len(l.statements))
			}
			for s := range l.statements {
				for _, v := range values {
					s = v.pattern.ReplaceAllString(s, v.instead)
				}
				if !strings.Contains(s, "deliveries") || strings.Contains(s, "GROUP BY") { // Counts reads all unsent deliveries
					continue
				}
				if scan := d.scans(t, kind, s); scan != "" {
					t.Errorf("%.300s scans a table, want an index:\n%s", s, scan)
				}
			}
		})
	}
}

// fill creates deliveries: on one channel some that wait behind a delivery in backoff, and
// on all channels sent ones.
func (d *database) fill(t *testing.T) {
	var all []delivery.Delivery
	for i := range 20_000 {
		one := about(int64(i%5+1), "a", fmt.Sprint("behind/", i))
		all = append(all, one)
	}
	d.create(t, all...)
	all = nil
	for i := range 20_000 {
		one := about(int64(100+i), "b", fmt.Sprint("sent/", i))
		all = append(all, one)
	}
	d.create(t, all...)
	if _, err := d.SQL().ExecContext(t.Context(), "UPDATE deliveries SET state = 5 WHERE object_id >= 100"); err != nil {
		t.Fatal(err)
	}
}

// useAll calls each function once.
func (d *database) useAll(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx := t.Context()
	d.create(t, about(1, "a", "new"), about(2, "z", "new2"))
	now := time.Now()
	c := d.claim(t, delivery.ClaimOptions{Limit: 4, Now: now})
	_, err := delivery.Extend(ctx, d.DB, "chat", c.Deliveries, now.Add(time.Second), now)
	must(err)
	d.finish(t, delivery.Outcome{}, delivery.Policy{}, c.Deliveries[0])
	d.finish(t, delivery.Outcome{Result: delivery.Permanent}, delivery.Policy{}, c.Deliveries[1:3]...)
	_, err = delivery.Rescue(ctx, d.DB, "chat", now.Add(time.Hour))
	must(err)
	d.tx(t, func(tx *sqldb.Tx) error {
		digest := about(0, "a", "digest")
		digest.NextAt = start
		must(delivery.AppendDigest(ctx, tx, digest, []delivery.Item{{Key: "1"}}))
		_, err := delivery.CloseDigests(ctx, tx, now)
		must(err)
		_, err = delivery.Supersede(ctx, tx, []delivery.Delivery{about(2, "a", "latest")}, now)
		must(err)
		all, err := delivery.Escalations(ctx, tx, now, 10)
		must(err)
		_, err = delivery.Escalated(ctx, tx, append([]int64{1}, int64(len(all)))...)
		return err
	})
	_, err = delivery.Ack(ctx, d.DB, 1, "liwei")
	must(err)
	_, err = delivery.Replay(ctx, d.DB, "liwei", c.Deliveries[1].ID)
	must(err)
	_, err = delivery.Drop(ctx, d.DB, "liwei", c.Deliveries[2].ID)
	must(err)
	_, err = delivery.Recover(ctx, d.DB, "chat", start, "liwei")
	must(err)
	for _, f := range []delivery.Filter{{Channel: "chat", States: []delivery.State{delivery.Dead}}, {States: []delivery.State{delivery.Dead}}, {Object: 1}} {
		_, err = delivery.List(ctx, d.DB, f)
		must(err)
	}
	_, _, err = delivery.Show(ctx, d.DB, 1)
	must(err)
	_, err = delivery.HeldOf(ctx, d.DB, 1)
	must(err)
	_, err = delivery.Thread(ctx, d.DB, 1)
	must(err)
	_, err = delivery.Recent(ctx, d.DB, "chat", "a", now)
	must(err)
	_, err = delivery.Counts(ctx, d.DB)
	must(err)
	_, err = delivery.Prune(ctx, d.DB, start.Add(-time.Hour))
	must(err)
}

// scans returns the plan of a statement if it reads a whole table or index of deliveries.
func (d *database) scans(t *testing.T, kind, statement string) string {
	explain := map[string]string{"sqlite": "EXPLAIN QUERY PLAN ", "postgres": "EXPLAIN ", "mariadb": "EXPLAIN "}[dbtest.Family(kind)]
	rows, err := d.SQL().QueryContext(t.Context(), explain+statement)
	if err != nil {
		t.Errorf("explain of %s failed: %v", statement, err)
		return ""
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	var plan strings.Builder
	bad := false
	for rows.Next() {
		line := make([]any, len(columns))
		for i := range line {
			line[i] = new(any)
		}
		if err := rows.Scan(line...); err != nil {
			t.Fatal(err)
		}
		var text []string
		for i := range line {
			switch v := (*line[i].(*any)).(type) {
			case []byte:
				text = append(text, string(v))
			default:
				text = append(text, fmt.Sprint(v))
			}
		}
		one := strings.Join(text, " ")
		plan.WriteString(one + "\n")
		switch dbtest.Family(kind) {
		case "sqlite":
			bad = bad || regexp.MustCompile(`SCAN (d|b|f|deliveries)\b`).MatchString(one)
		case "postgres":
			bad = bad || strings.Contains(one, "Seq Scan on deliveries")
		case "mariadb":
			bad = bad || regexp.MustCompile(`(d|b|f|deliveries) (ALL|index) `).MatchString(one)
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	if bad {
		return plan.String()
	}
	return ""
}

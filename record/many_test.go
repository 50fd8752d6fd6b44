package record_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/record"
)

// many fills an SQLite database with the history of a month: of each five transitions
// one object.
type many struct {
	t       *testing.T
	tx      *sql.Tx
	chance  *rand.Rand
	objects int64
	marks   [][3]int64
	batches map[string]*inserter
}

// When the month begins, and how long it is, in microseconds.
const (
	monthBegin = 1_790_000_000_000_000
	month      = 30 * 24 * 3_600_000_000
)

// inserter inserts rows, many with one statement.
type inserter struct {
	t       *testing.T
	tx      *sql.Tx
	table   string
	columns int
	args    []any
	stmt    *sql.Stmt
}

const rowsAtOnce = 100

func (i *inserter) add(values ...any) {
	i.columns = len(values)
	if i.args = append(i.args, values...); len(i.args) < rowsAtOnce*i.columns {
		return
	}
	if i.stmt == nil {
		i.stmt = i.prepare(rowsAtOnce)
	}
	if _, err := i.stmt.Exec(i.args...); err != nil {
		i.t.Fatal(i.table, err)
	}
	i.args = i.args[:0]
}

func (i *inserter) prepare(rows int) *sql.Stmt {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", i.columns), ",") + "),"
	stmt, err := i.tx.Prepare("INSERT INTO " + i.table + " VALUES " + strings.TrimSuffix(strings.Repeat(row, rows), ","))
	if err != nil {
		i.t.Fatal(i.table, err)
	}
	return stmt
}

func (i *inserter) end() {
	if len(i.args) > 0 {
		stmt := i.prepare(len(i.args) / i.columns)
		if _, err := stmt.Exec(i.args...); err != nil {
			i.t.Fatal(i.table, err)
		}
		_ = stmt.Close()
	}
	if i.stmt != nil {
		_ = i.stmt.Close()
	}
}

func (m *many) into(table string) *inserter {
	if m.batches[table] == nil {
		m.batches[table] = &inserter{t: m.t, tx: m.tx, table: table}
	}
	return m.batches[table]
}

// fill writes the objects. Indexes are made behind the rows, which takes less time.
func fill(t *testing.T, d *record.Database, objects int64) {
	t.Helper()
	db := d.SQL()
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	indexes := map[string]string{}
	rows, err := conn.QueryContext(t.Context(), "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('objects', 'transitions')")
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			t.Fatal(err)
		}
		indexes[name] = text
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	exec := func(text string) {
		t.Helper()
		if _, err := conn.ExecContext(t.Context(), text); err != nil {
			t.Fatal(text, err)
		}
	}
	exec("PRAGMA journal_mode = OFF") // what fails is thrown away
	exec("PRAGMA synchronous = OFF")
	exec("PRAGMA cache_size = -400000")
	for name := range indexes {
		exec("DROP INDEX " + name)
	}
	tx, err := conn.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &many{t: t, tx: tx, chance: rand.New(rand.NewPCG(1, 2)), objects: objects, batches: map[string]*inserter{}}
	m.types()
	for i := range objects {
		m.object(i)
	}
	slices.SortFunc(m.marks, func(x, y [3]int64) int { return slices.Compare(x[:], y[:]) })
	for _, one := range slices.Compact(m.marks) {
		m.into("marks").add(one[0], one[1], one[2])
	}
	for _, b := range m.batches {
		b.end()
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, text := range indexes {
		exec(text)
	}
	exec("PRAGMA journal_mode = WAL")
	exec("PRAGMA cache_size = -2000")
}

func (m *many) types() {
	for i, name := range []string{"prod", "test"} {
		m.into("clusters").add(i+1, "uid-"+name, name, 0)
	}
	for i, name := range []string{"pods", "jobs", "trainjobs"} {
		m.into("resources").add(i+1, []string{"", "batch", "trainer.kubeflow.org"}[i], name, []string{"Pod", "Job", "TrainJob"}[i])
	}
}

// kind draws a value: some are common, some are rare, one is of the first days only,
// and 1 % each are those between.
func (m *many) kind(name string, i int64) string {
	share := float64(i) / float64(m.objects)
	switch p := m.chance.Float64(); {
	case i%(m.objects/10) == m.objects/20:
		return name + "-rare"
	case share < 0.1 && p < 0.5:
		return name + "-past"
	case p < 0.7:
		return name + "-common"
	default:
		return fmt.Sprintf("%s-%d", name, m.chance.IntN(30))
	}
}

// object writes one object with five transitions.
func (m *many) object(i int64) {
	id := i + 1
	cluster, resource := 1, 1
	switch {
	case i%10_000 == 7:
		cluster = 2
	case i%5 == 0:
		resource = 2
	case i%10_000 == 11:
		resource = 3
	}
	namespace, queue, user, team := m.kind("ns", i), m.kind("queue", i), m.kind("user", i), m.kind("team", i)
	owner := fmt.Sprintf("job-%d", i/5)
	if i%20 == 3 {
		owner = "large"
	}
	at := monthBegin + month/m.objects*i
	terms := []int64{
		record.Term("cluster", "", fmt.Sprint(cluster)), record.Term("type", "", fmt.Sprint(resource)), record.Term("namespace", "", namespace),
		record.Term("owner", "Job", owner), record.Term("owner uid", "", "uid-"+owner), record.Term("queue", "", queue), record.Term("submitter", "", user),
	}
	for _, l := range [][2]string{{"app", "train"}, {"job-name", owner}, {"team", team}} {
		m.into("labels").add(id, l[0], l[1])
		terms = append(terms, record.Term("label", l[0], l[1]))
	}
	last := "Succeeded"
	switch p := m.chance.Float64(); {
	case i%100_000 == 50:
		last = "Aborted"
	case p < 0.02:
		last = "Failed"
	}
	from, hours := "", []int64{}
	now := []string{"Queued", "Starting", "Running", last, "Deleted"}
	if i > m.objects-m.objects/200 { // it is not at its end yet
		now = now[:1+m.chance.IntN(4)]
	}
	when := at
	for j, to := range now {
		when = at
		m.into("transitions").add(i*5+int64(j)+1, id, i*10+int64(j)+1, from, to, "", to, "Because", "it is so", when, when, 1)
		if h := record.HourOf(when); !slices.Contains(hours, h) {
			hours = append(hours, h)
		}
		at += int64(m.chance.ExpFloat64() * 1200e6)
		from = to
	}
	gone, presence := int64(0), 0
	if from == "Deleted" {
		gone, presence = when, 1
	}
	m.into("objects(id, cluster_id, resource_id, namespace, name, uid, owner_uid, owner_kind, owner_name, queue, submitter, created_at, seen_at, presence, gone_at, version,"+
		" state, raw_state, reason, message, since, labels_hash, scope, base, depth)").add(id, cluster, resource, namespace, fmt.Sprintf("%s-%d", owner, i), fmt.Sprint("uid-", i), "uid-"+owner, "Job", owner,
		queue, user, when, when, presence, gone, i*10+9, from, "", "Because", "it is so", when, 0, 0, 0, 0)
	for _, t := range terms {
		for _, h := range hours {
			m.marks = append(m.marks, [3]int64{t, h, id})
		}
	}
}

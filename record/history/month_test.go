package history_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
)

// month fills an SQLite database with the history of a month: for every five transitions one
// object.
type month struct {
	t       *testing.T
	tx      *sql.Tx
	random  *rand.Rand
	objects int64
	jobs    bool       // all objects are jobs, with bodies
	entries [][3]int64 // of the transition index
	tables  map[string]*inserter
}

// Beginning and length of the month, in microseconds.
const (
	monthBegin  = 1_790_000_000_000_000
	monthLength = 30 * 24 * 3_600_000_000
)

// inserter inserts rows into a table, many with one statement.
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
		i.t.Fatalf("insert into %s failed: %v", i.table, err)
	}
	i.args = i.args[:0]
}

func (i *inserter) prepare(rows int) *sql.Stmt {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", i.columns), ",") + "),"
	stmt, err := i.tx.Prepare("INSERT INTO " + i.table + " VALUES " + strings.TrimSuffix(strings.Repeat(row, rows), ","))
	if err != nil {
		i.t.Fatalf("prepare of the insert into %s failed: %v", i.table, err)
	}
	return stmt
}

func (i *inserter) end() {
	if len(i.args) > 0 {
		stmt := i.prepare(len(i.args) / i.columns)
		if _, err := stmt.Exec(i.args...); err != nil {
			i.t.Fatalf("insert into %s failed: %v", i.table, err)
		}
		_ = stmt.Close()
	}
	if i.stmt != nil {
		_ = i.stmt.Close()
	}
}

func (m *month) into(table string) *inserter {
	if m.tables[table] == nil {
		m.tables[table] = &inserter{t: m.t, tx: m.tx, table: table}
	}
	return m.tables[table]
}

// createMonth creates a database. It creates the indexes after the rows, which takes less time.
func createMonth(t *testing.T, file string, objects int64, jobs bool) {
	t.Helper()
	indexes := migrate(t, file)
	direct, err := sql.Open("sqlite", file)
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	direct.SetMaxOpenConns(1) // settings belong to a connection
	exec := func(text string) {
		t.Helper()
		if _, err := direct.ExecContext(t.Context(), text); err != nil {
			t.Fatalf("%s failed: %v", text, err)
		}
	}
	exec("PRAGMA journal_mode = OFF") // a partly filled file is discarded
	exec("PRAGMA synchronous = OFF")
	exec("PRAGMA cache_size = -400000")
	for name := range indexes {
		exec("DROP INDEX " + name)
	}
	tx, err := direct.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	m := &month{t: t, tx: tx, random: rand.New(rand.NewPCG(1, 2)), objects: objects, jobs: jobs, tables: map[string]*inserter{}}
	m.addTypes()
	for i := range objects {
		m.addObject(i)
	}
	slices.SortFunc(m.entries, func(x, y [3]int64) int { return slices.Compare(x[:], y[:]) })
	for _, e := range slices.Compact(m.entries) {
		m.into(model.IndexTable).add(e[0], e[1], e[2])
	}
	for _, i := range m.tables {
		i.end()
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	for _, text := range indexes {
		exec(text)
	}
	exec("PRAGMA journal_mode = WAL")
}

// migrate creates the schema. It returns the statements that create the indexes of the large
// tables.
func migrate(t *testing.T, file string) map[string]string {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+file)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	indexes := map[string]string{}
	query := "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('objects', 'transitions')"
	err = db.Query(t.Context(), query, nil, func(rows *sql.Rows) error {
		var name, text string
		err := rows.Scan(&name, &text)
		indexes[name] = text
		return err
	})
	if err != nil || len(indexes) == 0 {
		t.Fatalf("got %d indexes and error %v, want at least one", len(indexes), err)
	}
	return indexes
}

func (m *month) addTypes() {
	for i, name := range []string{"prod", "test"} {
		m.into("clusters").add(i+1, "uid-"+name, name, 0)
	}
	for i, name := range []string{"pods", "jobs", "trainjobs"} {
		m.into("resources").add(i+1, []string{"", "batch", "trainer.kubeflow.org"}[i], name, []string{"Pod", "Job", "TrainJob"}[i])
	}
}

// value draws a value for object i: one value is common, one is rare, one occurs on the first
// days only, and 30 others have 1 % of the objects each.
func (m *month) value(name string, i int64) string {
	share := float64(i) / float64(m.objects)
	switch p := m.random.Float64(); {
	case i%(m.objects/10) == m.objects/20:
		return name + "-rare"
	case share < 0.1 && p < 0.5:
		return name + "-past"
	case p < 0.7:
		return name + "-common"
	default:
		return fmt.Sprintf("%s-%d", name, m.random.IntN(30))
	}
}

// addObject writes one object with five transitions, or with fewer at the end of the month.
func (m *month) addObject(i int64) {
	id := i + 1
	a := model.Attributes{Cluster: 1, Resource: 1}
	switch {
	case i%10_000 == 7:
		a.Cluster = 2
	case i%5 == 0:
		a.Resource = 2
	case i%10_000 == 11:
		a.Resource = 3
	}
	a.Namespace, a.Queue, a.Submitter = m.value("ns", i), m.value("queue", i), m.value("user", i)
	team := m.value("team", i)
	a.Owner = model.Owner{Kind: "Job", Name: fmt.Sprintf("job-%d", i/5)}
	if i%20 == 3 {
		a.Owner.Name = "large"
	}
	a.Owner.UID = "uid-" + a.Owner.Name
	a.Labels = map[string]string{"app": "train", "job-name": a.Owner.Name, "team": team}
	for name, value := range a.Labels {
		m.into("labels").add(id, name, value)
	}
	if m.jobs {
		a.Resource, a.Owner = 2, model.Owner{}
		m.addBody(i)
	}
	last, at, hours := m.addTransitions(i)
	deleted, presence := int64(0), model.Present
	if last == "Deleted" {
		deleted, presence = at, model.Deleted
	}
	m.into("objects(id, cluster_id, resource_id, namespace, name, uid, owner_uid, owner_kind, owner_name, queue, submitter, created_at, seen_at, presence, gone_at, version,"+
		" state, raw_state, reason, message, since, labels_hash, scope, base, depth)").add(id, a.Cluster, a.Resource, a.Namespace, fmt.Sprintf("%s-%d", a.Owner.Name, i), fmt.Sprint("uid-", i),
		a.Owner.UID, a.Owner.Kind, a.Owner.Name, a.Queue, a.Submitter, at, at, int16(presence), deleted, i*10+9, last, "", "Because", "it is so", at, 0, 0, 0, 0)
	for _, term := range a.Terms() {
		for _, hour := range hours {
			m.entries = append(m.entries, [3]int64{int64(term), hour, id})
		}
	}
}

// addBody writes the last revision of object i, with a body.
func (m *month) addBody(i int64) {
	body := fmt.Appendf(nil, `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"job-%d","uid":"uid-%[1]d"},"spec":{"parallelism":4,"template":{"spec":{"containers":[{"name":"main",`+
		`"image":"registry/train:%[1]d","command":["torchrun","--nnodes=4","train.py","--seed=%[1]d"],"resources":{"limits":{"cpu":"96","memory":"480Gi","nvidia.com/gpu":"8"}},`+
		`"env":[{"name":"NCCL_DEBUG","value":"WARN"},{"name":"RUN","value":"run-%[1]d"}]}]}}}}`, i)
	hash := sha256.Sum256(body)
	m.into("revisions(object_id, version, deleted, source, seen_at, state, raw_state, body, base, dictionary_id, size, data)").add(i+1, i*10+9, 0, 1, monthBegin, "Running", "", hash[:16], 0, 0, len(body), body)
}

// addTransitions writes the transitions of object i. It returns the last state, when the object
// entered it, and the hours of all transitions.
func (m *month) addTransitions(i int64) (last string, when int64, hours []int64) {
	end := "Succeeded"
	switch p := m.random.Float64(); {
	case i%100_000 == 50:
		end = "Aborted"
	case p < 0.02:
		end = "Failed"
	}
	states := []string{"Queued", "Starting", "Running", end, "Deleted"}
	if i > m.objects-m.objects/200 { // it has not ended
		states = states[:1+m.random.IntN(4)]
	}
	at := monthBegin + monthLength/m.objects*i
	for j, to := range states {
		when = at
		m.into("transitions").add(i*5+int64(j)+1, i+1, i*10+int64(j)+1, last, to, "", to, "Because", "it is so", when, when, 1)
		if h := model.HourOf(when); !slices.Contains(hours, h) {
			hours = append(hours, h)
		}
		at += int64(m.random.ExpFloat64() * 1200e6)
		last = to
	}
	return last, when, hours
}

package history_test

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/internal/model"
)

// month fills a database with the history of a month: for every five transitions one object.
type month struct {
	t       *testing.T
	loader  loader
	random  *rand.Rand
	objects int64
	jobs    bool // all objects are jobs, with bodies
	entries map[int64][]indexEntry
	tables  map[string]inserter
}

// indexEntry is an entry of the transition index, without its term.
type indexEntry struct{ hour, object uint32 }

// Beginning and length of the month, in microseconds.
const (
	monthBegin  = 1_790_000_000_000_000
	monthLength = 30 * 24 * 3_600_000_000
)

func (m *month) into(table string) inserter {
	if m.tables[table] == nil {
		m.tables[table] = m.loader.into(table)
	}
	return m.tables[table]
}

// createMonth fills an empty database.
func createMonth(t *testing.T, url string, objects int64, jobs bool) {
	t.Helper()
	l := newLoader(t, url)
	m := &month{t: t, loader: l, random: testinput.Rand(t), objects: objects, jobs: jobs, entries: map[int64][]indexEntry{}, tables: map[string]inserter{}}
	m.addTypes()
	m.endTables() // a server closes a connection that is idle for half a minute
	for i := range objects {
		m.addObject(i)
	}
	m.endTables()
	m.addIndex()
	m.endTables()
	l.end()
}

// endTables ends the inserters.
func (m *month) endTables() {
	for table, i := range m.tables {
		i.end()
		delete(m.tables, table)
	}
}

// addIndex writes the transition index in its order.
func (m *month) addIndex() {
	for _, term := range slices.Sorted(maps.Keys(m.entries)) {
		all := m.entries[term]
		slices.SortFunc(all, func(x, y indexEntry) int {
			return cmp.Or(cmp.Compare(x.hour, y.hour), cmp.Compare(x.object, y.object))
		})
		for _, e := range slices.Compact(all) {
			m.into(model.IndexTable).add(term, int64(e.hour), int64(e.object))
		}
		delete(m.entries, term)
	}
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
	if m.jobs {
		m.into("jobs(object_id, state, reason, message, since, entered_at, decisions, gpus, pods, priority, attempt, attempts, time_limit, pod_label, pod_label_value)").add(
			id, last, "Because", "it is so", at, at, 1, 32, 4, "", 0, 7, 0, "", "")
	}
	deleted, presence := int64(0), model.Present
	if last == "Deleted" {
		deleted, presence = at, model.Deleted
	}
	m.into("objects(id, cluster_id, resource_id, namespace, name, uid, owner_uid, owner_kind, owner_name, queue, submitter, created_at, seen_at, presence, deleted_at, version,"+
		" state, raw_state, reason, message, since, attributes_hash, selector_hash, keyframe_version, deltas)").add(id, a.Cluster, a.Resource, a.Namespace, fmt.Sprintf("%s-%d", a.Owner.Name, i), fmt.Sprint("uid-", i),
		a.Owner.UID, a.Owner.Kind, a.Owner.Name, a.Queue, a.Submitter, at, at, int16(presence), deleted, i*10+9, last, "", "Because", "it is so", at, 0, 0, 0, 0)
	for _, term := range a.Terms() {
		for _, hour := range hours {
			m.entries[int64(term)] = append(m.entries[int64(term)], indexEntry{uint32(hour), uint32(id)})
		}
	}
}

// addBody writes the last revision of object i, with a body.
func (m *month) addBody(i int64) {
	body := fmt.Appendf(nil, `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"job-%d","uid":"uid-%[1]d"},"spec":{"parallelism":4,"template":{"spec":{"containers":[{"name":"main",`+
		`"image":"registry/train:%[1]d","command":["torchrun","--nnodes=4","train.py","--seed=%[1]d"],"resources":{"limits":{"cpu":"96","memory":"480Gi","nvidia.com/gpu":"8"}},`+
		`"env":[{"name":"NCCL_DEBUG","value":"WARN"},{"name":"RUN","value":"run-%[1]d"}]}]}}}}`, i)
	hash := sha256.Sum256(body)
	m.into("revisions(object_id, version, deleted, source, seen_at, state, raw_state, body, keyframe_version, dictionary_id, size, data)").add(i+1, i*10+9, 0, 1, monthBegin, "Running", "", hash[:16], 0, 0, len(body), body)
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

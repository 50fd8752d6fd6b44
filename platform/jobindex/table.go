package jobindex

import (
	"cmp"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/wire"
)

// columns have a value for each row.
type columns struct {
	id, version                int64s
	submitted, since, deleted  int64s // in microseconds since 1970
	from                       int64s // the time up to which waited and ran count: that of the last transition, unless it is final
	waited, ran                int64s // in microseconds
	place, queue, owner        uint32s
	reason, priority, labels   uint32s
	identity, life             uint32s // references: name and UID; changes of the state
	gpus, pods                 []int32
	tries, attempt             []uint16
	kind                       []uint16
	state, presence, last, bit []uint8 // last is the state of the last change, bit the flags
}

type (
	int64s  = []int64
	uint32s = []uint32
)

// Flags of a row.
const (
	swept uint8 = 1 << iota // parity of the last sweep that saw the row; see sweep
	gone                    // the row is free
)

// place is a namespace of a cluster.
type place struct {
	cluster   int // in table.clusters
	namespace uint32
}

// cluster is a cluster with its last name.
type cluster struct{ name, uid string }

// jobKind is a type with its kind.
type jobKind struct{ typ, kind string }

// table has all jobs as columns. One goroutine changes it, and views read it.
type table struct {
	columns
	order []uint32 // rows in the order of submission, then of IDs
	free  []uint32
	byID  rowSet
	byUID rowSet
	seed  maphash.Seed

	clusters   []cluster
	places     []place
	placeCodes map[place]uint32
	kinds      []jobKind
	namespaces *words
	queues     *words
	owners     *words
	reasons    *words
	priorities *words
	sets       *labelSets
	states     *stateCodes
	identities arena
	lives      arena
	garbage    int64 // unreferenced bytes of the arenas
	removed    int   // number of removed rows

	gaps     []history.Gap
	gapsOf   map[gapScope][]history.Gap
	position feed.Position
	parity   uint8
	capitals bool // a name has a capital letter

	// Buffers of the writer.
	buffer  []byte
	entries []job.Transition
	spans   job.Life
}

// gapScope is the scope of a gap.
type gapScope struct{ cluster, typ string }

func newTable() *table {
	return &table{
		seed: maphash.MakeSeed(), placeCodes: map[place]uint32{}, namespaces: newWords(), queues: newWords(), owners: newWords(), reasons: newWords(), priorities: newWords(),
		sets: newLabelSets(), states: newStateCodes(), gapsOf: map[gapScope][]history.Gap{},
	}
}

// len returns the number of jobs.
func (t *table) len() int { return len(t.order) }

// name returns the name and the UID of a job. They share the memory of the table.
func (t *table) name(row uint32) (name, uid string) {
	name, rest := text(t.identities.at(t.identity[row]))
	uid, _ = text(rest)
	return name, uid
}

// nameOnly returns the name of a job.
func (t *table) nameOnly(row uint32) string {
	name, _ := text(t.identities.at(t.identity[row]))
	return name
}

func (t *table) hashUID(uid string) uint64 { return maphash.String(t.seed, uid) }

func (t *table) hashUIDOf(row uint32) uint64 {
	_, uid := t.name(row)
	return t.hashUID(uid)
}

func (t *table) hashIDOf(row uint32) uint64 { return hashID(t.id[row]) }

// find returns the row of the job with an ID.
func (t *table) find(id int64) (uint32, bool) {
	return t.byID.find(hashID(id), func(row uint32) bool { return t.id[row] == id })
}

// put adds a job or replaces it. It returns the row, and whether it is new. A new row is not in
// order yet: see settle.
func (t *table) put(j *Job) (row uint32, added bool) {
	row, found := t.find(j.ID)
	if !found {
		row = t.newRow()
		t.id[row] = j.ID
		b := appendText(appendText(t.buffer[:0], j.Name), j.UID)
		t.identity[row], t.buffer = t.identities.add(b), b
		t.capitals = t.capitals || strings.ToLower(j.Name) != j.Name
		t.byID.add(hashID(j.ID), row, t.hashIDOf)
		t.byUID.add(t.hashUID(j.UID), row, t.hashUIDOf)
	}
	t.place[row], t.kind[row] = t.placeOf(j), t.kindOf(j)
	t.queue[row], t.owner[row], t.reason[row] = t.queues.code(j.Queue), t.owners.code(j.Owner), t.reasons.code(j.Reason)
	t.labels[row] = t.sets.code(j.Labels, j.Name, j.UID)
	t.version[row], t.since[row], t.deleted[row] = int64(j.Version), micros(j.Since), micros(j.Deleted)
	t.state[row], t.presence[row] = t.states.code(j.State), uint8(j.Presence)
	t.putLife(row, j, found)
	t.setFacts(row, j.Facts)
	t.bit[row] = t.bit[row]&^swept | t.parity
	return row, !found
}

// putLife stores the life of a job, and the fields derived from it.
func (t *table) putLife(row uint32, j *Job, found bool) {
	t.submitted[row] = micros(j.Submitted)
	b := t.states.appendLife(t.buffer[:0], t.submitted[row], j.Transitions)
	t.buffer = b
	if !found || !strings.HasPrefix(t.lives.at(t.life[row]), string(b)) {
		if found {
			t.garbage += int64(len(b))
		}
		t.life[row] = t.lives.add(b)
	}
	t.spans.Reset(j.Submitted, j.Transitions, time.Time{})
	t.waited[row], t.ran[row] = t.spans.Waited.Microseconds(), t.spans.Ran.Microseconds()
	t.tries[row] = uint16(min(t.spans.Attempts, math.MaxUint16))
	t.from[row], t.last[row] = 0, 0
	if n := len(j.Transitions); n > 0 && !j.Transitions[n-1].To.Final() {
		t.last[row] = t.states.code(j.Transitions[n-1].To)
		t.from[row] = micros(t.spans.Spans[len(t.spans.Spans)-1].To)
	}
}

// setFacts stores the facts of a job that the index has columns for.
func (t *table) setFacts(row uint32, f *job.Facts) {
	if f == nil {
		t.gpus[row], t.pods[row], t.attempt[row], t.priority[row] = -1, -1, 0, t.priorities.code("")
		return
	}
	t.gpus[row], t.pods[row] = int32(f.GPUs), int32(f.Pods)
	t.attempt[row], t.priority[row] = uint16(min(f.Attempt, math.MaxUint16)), t.priorities.code(f.Priority)
}

// facts returns the facts of a job that the index has columns for.
func (t *table) facts(row uint32) *job.Facts {
	if t.gpus[row] < 0 {
		return nil
	}
	return &job.Facts{GPUs: int(t.gpus[row]), Pods: int(t.pods[row]), Attempt: int(t.attempt[row]), Priority: t.priorities.all[t.priority[row]]}
}

// newRow returns a row without values.
func (t *table) newRow() uint32 {
	if n := len(t.free); n > 0 {
		row := t.free[n-1]
		t.free = t.free[:n-1]
		t.bit[row] = 0
		return row
	}
	c := &t.columns
	for _, column := range []*int64s{&c.id, &c.version, &c.submitted, &c.since, &c.deleted, &c.from, &c.waited, &c.ran} {
		*column = add(*column)
	}
	for _, column := range []*uint32s{&c.place, &c.queue, &c.owner, &c.reason, &c.priority, &c.labels, &c.identity, &c.life} {
		*column = add(*column)
	}
	c.gpus, c.pods = add(c.gpus), add(c.pods)
	for _, column := range []*[]uint16{&c.tries, &c.attempt, &c.kind} {
		*column = add(*column)
	}
	for _, column := range []*[]uint8{&c.state, &c.presence, &c.last, &c.bit} {
		*column = add(*column)
	}
	return uint32(len(c.id) - 1)
}

// add appends a zero value. A full column grows by an eighth, to waste little memory.
func add[T any](column []T) []T {
	if n := len(column); n == cap(column) {
		larger := make([]T, n, n+n/8+64)
		copy(larger, column)
		column = larger
	}
	return column[:len(column)+1]
}

// putAll adds jobs, or replaces them.
func (t *table) putAll(jobs []Job) {
	var added []uint32
	for i := range jobs {
		if row, isNew := t.put(&jobs[i]); isNew {
			added = append(added, row)
		}
	}
	t.settle(added)
}

// before reports whether a row comes before another one in the order of submission.
func (t *table) before(x, y uint32) int {
	return cmp.Or(cmp.Compare(t.submitted[x], t.submitted[y]), cmp.Compare(t.id[x], t.id[y]))
}

// settle puts new rows into the order of submission.
func (t *table) settle(rows []uint32) {
	slices.SortFunc(rows, t.before)
	n := len(t.order)
	for _, row := range rows {
		t.order = add(t.order)
		t.order[len(t.order)-1] = row
	}
	if n > 0 && len(rows) > 0 && t.before(t.order[n-1], rows[0]) > 0 {
		t.merge(n, rows)
	}
}

// merge merges new rows, which are sorted, into the first n rows of the order, from the
// end.
func (t *table) merge(n int, rows []uint32) {
	for to := len(t.order) - 1; len(rows) > 0; to-- {
		last := rows[len(rows)-1]
		if n > 0 && t.before(t.order[n-1], last) > 0 {
			n--
			t.order[to] = t.order[n]
			continue
		}
		t.order[to], rows = last, rows[:len(rows)-1]
	}
}

// remove removes rows.
func (t *table) remove(rows []uint32) {
	for _, row := range rows {
		name, uid := t.name(row)
		t.garbage += int64(len(name)+len(uid)) + 2
		life := t.lives.at(t.life[row])
		t.entries = t.states.entries(t.entries[:0], life, t.submitted[row], math.MaxInt64)
		t.garbage += int64(2 + 6*len(t.entries))
		t.byID.remove(hashID(t.id[row]), row)
		t.byUID.remove(t.hashUID(uid), row)
		t.bit[row] |= gone
		t.free = append(t.free, row)
	}
	t.removed += len(rows)
	if len(rows) > 0 {
		t.order = slices.DeleteFunc(t.order, func(row uint32) bool { return t.bit[row]&gone != 0 })
	}
}

// placeOf returns the number of the namespace of a job, and stores the name of its
// cluster.
func (t *table) placeOf(j *Job) uint32 {
	c := slices.IndexFunc(t.clusters, func(c cluster) bool { return c.uid == j.ClusterUID })
	if c < 0 {
		c = len(t.clusters)
		t.clusters = append(t.clusters, cluster{uid: strings.Clone(j.ClusterUID)})
	}
	if t.clusters[c].name != j.Cluster {
		t.clusters[c].name = strings.Clone(j.Cluster)
	}
	p := place{c, t.namespaces.code(j.Namespace)}
	code, ok := t.placeCodes[p]
	if !ok {
		code = uint32(len(t.places))
		t.placeCodes[p], t.places = code, append(t.places, p)
	}
	return code
}

func (t *table) kindOf(j *Job) uint16 {
	k := jobKind{j.Type, j.Kind}
	i := slices.Index(t.kinds, k)
	if i < 0 {
		i = len(t.kinds)
		t.kinds = append(t.kinds, jobKind{strings.Clone(j.Type), strings.Clone(j.Kind)})
	}
	return uint16(i)
}

// setGaps stores the open gaps.
func (t *table) setGaps(gaps []history.Gap) {
	t.gaps, t.gapsOf = gaps, map[gapScope][]history.Gap{}
	for _, g := range gaps {
		scope := gapScope{g.ClusterUID, g.Type.String()}
		t.gapsOf[scope] = append(t.gapsOf[scope], g)
	}
}

// job returns a job in the form that put received. The labels are those of the caller.
func (t *table) job(row uint32) Job {
	p := t.places[t.place[row]]
	name, uid := t.name(row)
	return Job{
		ID: t.id[row], Cluster: t.clusters[p.cluster].name, ClusterUID: t.clusters[p.cluster].uid, Type: t.kinds[t.kind[row]].typ, Kind: t.kinds[t.kind[row]].kind,
		Namespace: t.namespaces.all[p.namespace], Name: name, UID: uid, Queue: t.queues.all[t.queue[row]], Owner: t.owners.all[t.owner[row]],
		State: t.states.all[t.state[row]], Reason: t.reasons.all[t.reason[row]], Since: timeOf(t.since[row]), Submitted: timeOf(t.submitted[row]),
		Deleted: timeOf(t.deleted[row]), Presence: history.Presence(t.presence[row]), Version: wire.Version(t.version[row]), Labels: t.sets.of(t.labels[row], name, uid),
		Transitions: t.states.entries(nil, t.lives.at(t.life[row]), t.submitted[row], math.MaxInt64),
		Facts:       t.facts(row),
	}
}

// clone returns a table with the same jobs, and without garbage.
func (t *table) clone() *table {
	c := newTable()
	c.parity, c.position = t.parity, t.position
	c.setGaps(t.gaps)
	rows := make([]uint32, 0, len(t.order))
	for _, row := range t.order {
		j := t.job(row)
		to, _ := c.put(&j)
		c.bit[to] = t.bit[row]
		rows = append(rows, to)
	}
	c.settle(rows)
	return c
}

// worn reports whether a copy would take much less memory.
func (t *table) worn() bool {
	const enough = 32 << 20
	return t.garbage > enough && t.garbage > t.bytes()/3 || t.removed > 100_000 && t.removed > t.len()/2
}

// bytes returns the approximate memory of the table.
func (t *table) bytes() int64 {
	c := &t.columns
	n := int64(cap(c.id))*8*8 + int64(cap(c.place))*8*4 + int64(cap(c.gpus))*2*4 + int64(cap(c.kind))*3*2 + int64(cap(c.state))*4
	n += int64(cap(t.order)+cap(t.free)+len(t.byID.slots)+len(t.byUID.slots)) * 4
	for _, w := range []*words{t.namespaces, t.queues, t.owners, t.reasons, t.priorities} {
		n += w.bytes
	}
	return n + t.identities.bytes + t.lives.bytes + t.sets.bytes + int64(len(t.places))*wordBytes
}

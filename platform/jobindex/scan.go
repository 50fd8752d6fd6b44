package jobindex

import (
	"math"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job/jobfilter"
)

// A step removes the rows of a block that do not meet a condition. It works in place.
type step func(rows []uint32) []uint32

// scan is a compiled query.
type scan struct {
	t       *table
	reader  *momentReader
	instant instant
	now     time.Time // reference time for ages in the filter
	steps   []step
	states  []bool // by code: whether the terms of the state hold
	nothing bool
	upTo    int64 // jobs that were submitted at or after this time are not selected
	buffer  moment
}

// newScan compiles a query.
func (v *View) newScan(q *Query) *scan {
	s := &scan{t: v.table, reader: &v.momentReader, instant: v.instant(q.At), upTo: never}
	s.now = v.now
	if s.instant.past {
		s.now, s.upTo = q.At, s.instant.at+1
	}
	s.states = make([]bool, len(s.t.states.all))
	for i := range s.states {
		s.states[i] = true
	}
	if !q.To.IsZero() {
		s.upTo = min(s.upTo, q.To.UnixMicro())
	}
	if !q.From.IsZero() {
		s.endedSince(q.From.UnixMicro())
	}
	places := make([]bool, len(s.t.places))
	for i := range places {
		places[i] = true
	}
	for _, t := range q.Filter.Terms {
		s.add(t, t.Compile(s.now), q.Mine, places)
	}
	s.see(q.Sees, places)
	if q.Since != nil {
		s.steps = append(s.steps, s.seeSince(q.Since))
	}
	if len(q.Filter.Words) > 0 {
		words := q.Filter.CompileWords()
		passes := words.Lower
		if s.t.capitals {
			passes = words.Name
		}
		s.names(passes)
	}
	return s
}

// see adds the steps for namespaces. Names are compared last, because that is slowest.
func (s *scan) see(sees func(cluster, namespace string) bool, places []bool) {
	seen := map[[2]string]bool{}
	for i, p := range s.t.places {
		if sees == nil || !places[i] {
			continue
		}
		pair := [2]string{s.t.clusters[p.cluster].name, s.t.namespaces.all[p.namespace]}
		may, known := seen[pair]
		if !known {
			may = sees(pair[0], pair[1])
			seen[pair] = may
		}
		places[i] = may
	}
	if slices.Contains(places, false) {
		s.steps = slices.Insert(s.steps, 0, byCode(s.t.columns.place, places))
	}
}

// seeSince returns the step for types of jobs in namespaces, and for the time of their submission. It
// calls since once for each combination with jobs.
func (s *scan) seeSince(since func(cluster, clusterUID, typ, namespace string) (time.Time, bool)) step {
	const unknown = math.MinInt64
	t := s.t
	floors := make([]int64, len(t.places)*len(t.kinds))
	for i := range floors {
		floors[i] = unknown
	}
	ask := func(at, kind uint32) int64 {
		p := t.places[at]
		c := &t.clusters[p.cluster]
		switch from, some := since(c.name, c.uid, t.kinds[kind].typ, t.namespaces.all[p.namespace]); {
		case !some:
			return never
		case from.IsZero():
			return unknown + 1 // before every time
		default:
			return from.UnixMicro()
		}
	}
	return func(rows []uint32) []uint32 {
		n := 0
		for _, row := range rows {
			at, kind := t.columns.place[row], uint32(t.columns.kind[row])
			floor := &floors[at*uint32(len(t.kinds))+kind]
			if *floor == unknown {
				*floor = ask(at, kind)
			}
			if rows[n] = row; t.columns.submitted[row] >= *floor {
				n++
			}
		}
		return rows[:n]
	}
}

// byCode keeps rows whose code in a column has a verdict.
func byCode[C uint8 | uint16 | uint32](column []C, verdicts []bool) step {
	return func(rows []uint32) []uint32 {
		n := 0
		for _, row := range rows {
			rows[n] = row
			if verdicts[column[row]] {
				n++
			}
		}
		return rows[:n]
	}
}

// byValue keeps rows whose value in a column passes.
func byValue[V int32 | int64](column []V, passes func(int64) bool) step {
	return func(rows []uint32) []uint32 {
		n := 0
		for _, row := range rows {
			rows[n] = row
			if passes(int64(column[row])) {
				n++
			}
		}
		return rows[:n]
	}
}

// names adds a step that compares names.
func (s *scan) names(passes func(string) bool) {
	s.steps = append(s.steps, func(rows []uint32) []uint32 {
		n := 0
		for _, row := range rows {
			rows[n] = row
			if passes(s.t.nameOnly(row)) {
				n++
			}
		}
		return rows[:n]
	})
}

// add adds a term.
func (s *scan) add(term jobfilter.Term, test *jobfilter.Test, mine []string, places []bool) {
	t := s.t
	switch term.Key {
	case jobfilter.State:
		for i, word := range t.states.all {
			s.states[i] = s.states[i] && test.Text(string(word))
		}
	case jobfilter.Cluster, jobfilter.Namespace:
		for i, p := range t.places {
			word := t.namespaces.all[p.namespace]
			if term.Key == jobfilter.Cluster {
				word = t.clusters[p.cluster].name
			}
			places[i] = places[i] && test.Text(word)
		}
	case jobfilter.Kind, jobfilter.Type:
		verdicts := make([]bool, len(t.kinds))
		for i, k := range t.kinds {
			word := k.typ
			if term.Key == jobfilter.Kind {
				word = k.kind
			}
			verdicts[i] = test.Text(word)
		}
		s.steps = append(s.steps, byCode(t.columns.kind, verdicts))
	case jobfilter.Queue:
		s.steps = append(s.steps, byCode(t.columns.queue, t.queues.verdicts(test.Text)))
	case jobfilter.Owner:
		s.steps = append(s.steps, byCode(t.columns.owner, t.owners.verdicts(test.Text)))
	case jobfilter.Mine:
		verdicts := t.owners.verdicts(func(owner string) bool { return owner != "" && slices.Contains(mine, owner) })
		s.steps = append(s.steps, byCode(t.columns.owner, verdicts))
	case jobfilter.Priority:
		s.steps = append(s.steps, byCode(t.columns.priority, t.priorities.verdicts(test.Text)))
	case jobfilter.Label:
		s.steps = append(s.steps, s.byLabels(test))
	case jobfilter.Name:
		s.names(test.Text)
	case jobfilter.GPUs, jobfilter.Pods:
		column := t.columns.gpus
		if term.Key == jobfilter.Pods {
			column = t.columns.pods
		}
		s.steps = append(s.steps, byValue(column, func(n int64) bool { return test.Number(n, n >= 0) }))
	case jobfilter.Submitted:
		s.steps = append(s.steps, byValue(t.columns.submitted, test.Time))
	default:
		s.addMoment(term.Key, test)
	}
}

// addMoment adds a term on fields that depend on the instant.
func (s *scan) addMoment(key jobfilter.Key, test *jobfilter.Test) {
	t := s.t
	switch key {
	case jobfilter.Reason:
		verdicts := t.reasons.verdicts(test.Text)
		s.byMoment(func(row uint32) bool { return verdicts[t.reason[row]] }, func(m *moment) bool { return verdicts[m.reason] })
	case jobfilter.Tries:
		passes := func(n int) bool { return test.Number(int64(n), true) }
		s.byMoment(func(row uint32) bool { return passes(t.triesOf(row)) }, func(m *moment) bool { return passes(m.tries) })
	case jobfilter.Waited, jobfilter.Ran:
		s.byDuration(key == jobfilter.Waited, test)
	case jobfilter.Since:
		s.byMoment(func(row uint32) bool { return test.Time(t.since[row]) }, func(m *moment) bool { return test.Time(m.since) })
	case jobfilter.Ended:
		s.byMoment(func(row uint32) bool { return test.Time(t.endedOf(row)) }, func(m *moment) bool { return test.Time(m.ended) })
	case jobfilter.Window:
		s.endedSince(s.now.Add(-test.Window()).UnixMicro())
	default:
		s.nothing = true
	}
}

// byMoment adds a step for fields that depend on the instant. now decides about jobs that
// have not changed their states since the instant, and past about the others.
func (s *scan) byMoment(now func(row uint32) bool, past func(*moment) bool) {
	until := int64(never)
	if s.instant.past {
		until = s.instant.at
	}
	since := s.t.columns.since
	s.steps = append(s.steps, func(rows []uint32) []uint32 {
		n := 0
		for _, row := range rows {
			rows[n] = row
			if since[row] <= until {
				if now(row) {
					n++
				}
				continue
			}
			s.reader.read(row, s.instant, &s.buffer)
			if past(&s.buffer) {
				n++
			}
		}
		return rows[:n]
	})
}

// byDuration adds the step for the waiting or running time of jobs.
func (s *scan) byDuration(waited bool, test *jobfilter.Test) {
	column, last := s.t.columns.ran, s.t.columns.last
	if waited {
		column = s.t.columns.waited
	}
	past := func(m *moment) bool {
		d := m.ran
		if waited {
			d = m.waited
		}
		return test.Duration(time.Duration(d) * time.Microsecond)
	}
	s.byMoment(func(row uint32) bool {
		if last[row] == 0 {
			return test.Duration(time.Duration(column[row]) * time.Microsecond)
		}
		s.reader.read(row, s.instant, &s.buffer)
		return past(&s.buffer)
	}, past)
}

// endedSince adds the condition that a job has not ended before a time.
func (s *scan) endedSince(at int64) {
	t := s.t
	s.byMoment(func(row uint32) bool { return t.since[row] >= at || !t.states.final[t.state[row]] }, func(m *moment) bool { return m.ended == 0 || m.ended >= at })
}

// byLabels returns the step for a term of the key Label. It evaluates the term once for
// each set of labels, unless the set has labels with the name or the UID of the job.
func (s *scan) byLabels(test *jobfilter.Test) step {
	sets := s.t.sets
	pairs := make([]bool, len(sets.pairs))
	for i := range sets.pairs {
		pairs[i] = sets.pairs[i].kind == literal && test.Label(sets.pairs[i].name, sets.pairs[i].value)
	}
	named := make([]bool, len(sets.pairs)) // labels whose values depend on the job
	for i := range sets.pairs {
		named[i] = sets.pairs[i].kind != literal && test.Names(sets.pairs[i].name)
	}
	found, maybe := make([]bool, len(sets.keys)), make([]bool, len(sets.keys))
	for i := range sets.keys {
		sets.each(uint32(i), func(pair uint32) {
			found[i], maybe[i] = found[i] || pairs[pair], maybe[i] || named[pair]
		})
	}
	column, wanted := s.t.columns.labels, test.Wanted()
	return func(rows []uint32) []uint32 {
		n := 0
		for _, row := range rows {
			set := column[row]
			has := found[set]
			if !has && maybe[set] {
				has = s.varied(row, set, test)
			}
			rows[n] = row
			if has == wanted {
				n++
			}
		}
		return rows[:n]
	}
}

// varied reports whether a term matches a label of a job whose value is its name or its
// UID.
func (s *scan) varied(row, set uint32, test *jobfilter.Test) bool {
	name, uid := s.t.name(row)
	has := false
	s.t.sets.each(set, func(pair uint32) {
		if l := &s.t.sets.pairs[pair]; l.kind != literal {
			has = has || test.Label(l.name, l.valueFor(name, uid))
		}
	})
	return has
}

// blockSize is the number of rows of a step. A block fits into the CPU caches.
const blockSize = 1024

// block is a part of the selected rows, with their states at the instant.
type block struct {
	rows   []uint32
	states []uint8
}

// run calls f for the rows that match all terms except those of the state, block by block:
// in the order of submission, or in reverse if down is set. f returns false to end the
// scan.
func (s *scan) run(down bool, f func(*block) bool) {
	if s.nothing {
		return
	}
	t := s.t
	order := t.order
	if s.upTo != never {
		order = order[:sort.Search(len(order), func(i int) bool { return t.submitted[order[i]] >= s.upTo })]
	}
	var b block
	rows, states := make([]uint32, 0, blockSize), make([]uint8, blockSize)
	for len(order) > 0 {
		n := min(blockSize, len(order))
		if down {
			rows = append(rows[:0], order[len(order)-n:]...)
			order = order[:len(order)-n]
			slices.Reverse(rows)
		} else {
			rows = append(rows[:0], order[:n]...)
			order = order[n:]
		}
		b.rows = rows
		for _, step := range s.steps {
			b.rows = step(b.rows)
		}
		b.states = states[:len(b.rows)]
		if s.setStates(&b); len(b.rows) > 0 && !f(&b) {
			return
		}
	}
}

// setStates sets the states of a block.
func (s *scan) setStates(b *block) {
	column, since, past := s.t.columns.state, s.t.columns.since, s.instant.past
	for i, row := range b.rows {
		b.states[i] = column[row]
		if past && since[row] > s.instant.at {
			s.reader.read(row, s.instant, &s.buffer)
			b.states[i] = s.buffer.state
		}
	}
}

// moment returns the moment of a row. It is valid until the next call.
func (s *scan) moment(row uint32) *moment {
	s.reader.read(row, s.instant, &s.buffer)
	return &s.buffer
}

// contains reports whether a text contains another one, ignoring case.
func contains(text, part string) bool {
	return part == "" || strings.Contains(strings.ToLower(text), part)
}

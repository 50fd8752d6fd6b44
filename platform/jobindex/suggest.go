package jobindex

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/job/jobfilter"
)

// maxNames is the number of distinct names after which counting for suggestions stops, at
// the end of a block.
const maxNames = 10_000

// Suggest returns at most n values of a key that contain a text and that jobs of a query
// have, with the numbers of these jobs, the most frequent first. Terms of the key itself
// are ignored. An empty key suggests keys. Labels are suggested by their names, and as
// name=value once the text has a "=". About 10,000 distinct names are counted, those of
// the newest jobs.
func (v *View) Suggest(q Query, key, part string, n int) []Suggestion {
	part = strings.ToLower(part)
	var found map[string]int
	switch key := jobfilter.Key(key); key {
	case "":
		return suggestKeys(part, n)
	case jobfilter.Name:
		found = v.suggestNames(q.without(key), part)
	case jobfilter.Label:
		found = v.suggestLabels(q.without(key), part)
	default:
		found = v.suggestWords(q.without(key), key)
	}
	var all []Suggestion
	for value := range found {
		if value != "" && contains(value, part) {
			all = append(all, Suggestion{Key: jobfilter.Key(key), Value: value, Count: count(found[value])})
		}
	}
	slices.SortFunc(all, func(x, y Suggestion) int {
		return cmp.Or(cmp.Compare(found[y.Value], found[x.Value]), cmp.Compare(x.Value, y.Value))
	})
	return all[:min(max(n, 0), len(all))]
}

func suggestKeys(part string, n int) (all []Suggestion) {
	for _, k := range jobfilter.Keys() {
		if strings.HasPrefix(string(k), part) && len(all) < n {
			all = append(all, Suggestion{Key: k})
		}
	}
	return all
}

// suggestWords counts the values of a column with words.
func (v *View) suggestWords(q Query, key jobfilter.Key) map[string]int {
	t := v.table
	s := v.newScan(&q)
	var counts []int
	word := func(int) string { return "" }
	code := func(*block, int) int { return 0 }
	words := func(w *words, column []uint32) {
		counts, word = make([]int, len(w.all)), func(c int) string { return w.all[c] }
		code = func(b *block, i int) int { return int(column[b.rows[i]]) }
	}
	switch key {
	case jobfilter.State:
		counts, word = make([]int, len(t.states.all)), func(c int) string { return string(t.states.all[c]) }
		code = func(b *block, i int) int { return int(b.states[i]) }
	case jobfilter.Cluster, jobfilter.Namespace:
		counts = make([]int, len(t.places))
		code = func(b *block, i int) int { return int(t.columns.place[b.rows[i]]) }
		word = func(c int) string { return t.namespaces.all[t.places[c].namespace] }
		if key == jobfilter.Cluster {
			word = func(c int) string { return t.clusters[t.places[c].cluster].name }
		}
	case jobfilter.Kind, jobfilter.Type:
		counts = make([]int, len(t.kinds))
		code = func(b *block, i int) int { return int(t.columns.kind[b.rows[i]]) }
		word = func(c int) string { return t.kinds[c].typ }
		if key == jobfilter.Kind {
			word = func(c int) string { return t.kinds[c].kind }
		}
	case jobfilter.Queue:
		words(t.queues, t.columns.queue)
	case jobfilter.Owner:
		words(t.owners, t.columns.owner)
	case jobfilter.Priority:
		words(t.priorities, t.columns.priority)
	case jobfilter.Reason:
		words(t.reasons, t.columns.reason)
		if s.instant.past {
			code = func(b *block, i int) int { return int(s.moment(b.rows[i]).reason) }
		}
	default:
		return nil
	}
	s.run(false, func(b *block) bool {
		for i, st := range b.states {
			if s.states[st] {
				counts[code(b, i)]++
			}
		}
		return true
	})
	found := map[string]int{}
	for c, n := range counts {
		if n > 0 {
			found[word(c)] += n
		}
	}
	return found
}

// suggestNames counts names, newest first.
func (v *View) suggestNames(q Query, part string) map[string]int {
	s := v.newScan(&q)
	s.names(func(name string) bool { return strings.Contains(name, part) || s.t.capitals && contains(name, part) })
	found := map[string]int{}
	s.run(true, func(b *block) bool {
		for i, st := range b.states {
			if !s.states[st] {
				continue
			}
			found[s.t.nameOnly(b.rows[i])]++
		}
		return len(found) < maxNames
	})
	return found
}

// suggestLabels counts names of labels, or labels. It does not suggest the values of
// labels with the name or the UID of their job.
func (v *View) suggestLabels(q Query, part string) map[string]int {
	s := v.newScan(&q)
	sets := s.t.sets
	counts := make([]int, len(sets.keys))
	s.run(false, func(b *block) bool {
		for i, st := range b.states {
			if s.states[st] {
				counts[s.t.columns.labels[b.rows[i]]]++
			}
		}
		return true
	})
	values := strings.Contains(part, "=")
	pairs := make([]int, len(sets.pairs))
	for set, n := range counts {
		if n > 0 {
			sets.each(uint32(set), func(pair uint32) { pairs[pair] += n })
		}
	}
	found := map[string]int{}
	for i, n := range pairs {
		switch l := &sets.pairs[i]; {
		case n == 0, values && l.kind != literal:
		case values:
			found[l.name+"="+l.value] += n
		default:
			found[l.name] += n
		}
	}
	return found
}

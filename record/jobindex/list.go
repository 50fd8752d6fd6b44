package jobindex

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/record/jobfilter"
	"github.com/vedette-io/vedette/state"
)

// selected returns the rows that a query selects without and with the terms of the state.
func (v *View) selected(q *Query, f jobfilter.Filter) (all []Row) {
	at, past := q.At, !q.At.IsZero()
	if !past {
		at = v.now
	}
	m := f.Compile(at, q.Mine)
	for _, j := range v.t.jobs {
		r, ok := rowOf(j, at, past, v.t.gaps)
		switch {
		case !ok, q.Sees != nil && !q.Sees(r.Cluster, r.Namespace), q.SeesType != nil && !q.SeesType(r.Cluster, r.Type, r.Namespace), !m.Match(&r):
		case !q.To.IsZero() && !r.Submitted.Before(q.To), !q.From.IsZero() && !r.Open() && r.Ended.Before(q.From):
		default:
			all = append(all, r)
		}
	}
	return all
}

// List returns a page of the jobs that a query selects, and counts all of them.
//
// Errors: ErrCursor, ErrSort.
func (v *View) List(q Query) (page Page, counts Counts, err error) {
	counts, err = v.Count(q)
	if err != nil {
		return page, counts, err
	}
	sort := cmp.Or(q.Sort, "-submitted")
	key, down := strings.CutPrefix(sort, "-")
	if _, _, ok := sortKey(&Row{}, key); !ok {
		return page, counts, fmt.Errorf("%w %q", ErrSort, q.Sort)
	}
	at := func(r *Row) place {
		n, text, _ := sortKey(r, key)
		return place{n, text, r.ID}
	}
	rows := v.selected(&q, q.Filter)
	slices.SortFunc(rows, func(x, y Row) int { return compare(at(&x), at(&y), down) })
	from, to := 0, len(rows)
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, MaxLimit)
	switch {
	case q.Before != "":
		p, err := placeOf(q.Before, sort)
		if err != nil {
			return page, counts, err
		}
		to = 0
		for to < len(rows) && compare(at(&rows[to]), p, down) < 0 {
			to++
		}
		from = max(0, to-limit)
	case q.After != "":
		p, err := placeOf(q.After, sort)
		if err != nil {
			return page, counts, err
		}
		for from < len(rows) && compare(at(&rows[from]), p, down) <= 0 {
			from++
		}
		to = min(from+limit, len(rows))
	default:
		to = min(limit, len(rows))
	}
	page.Rows = rows[from:to]
	if len(page.Rows) == 0 {
		return page, counts, nil
	}
	if page.First = from + 1; from > 0 {
		page.Previous = at(&rows[from]).cursor(sort)
	}
	if to < len(rows) {
		page.Next = at(&rows[to-1]).cursor(sort)
	}
	return page, counts, nil
}

// Count counts the jobs that a query selects.
//
// Errors: ErrSort.
func (v *View) Count(q Query) (c Counts, err error) {
	n, all := map[state.State]int{}, 0
	for _, r := range v.selected(&q, q.Filter.Without(jobfilter.State)) {
		n[r.State]++
		all++
	}
	c.States = map[state.State]Count{}
	for s, k := range n {
		c.States[s] = count(k)
	}
	c.All, c.Matching = count(all), count(len(v.selected(&q, q.Filter)))
	return c, nil
}

// Suggest returns at most n values of a key that jobs of a query have and that contain a text,
// with the numbers of jobs, the most frequent first. Terms of the key itself do not count. An
// empty key suggests keys. Labels are suggested as names, and as name=value once the prefix
// has a "=".
func (v *View) Suggest(q Query, key, prefix string, n int) (all []Suggestion) {
	if key == "" {
		for _, k := range jobfilter.Keys() {
			if strings.HasPrefix(string(k), prefix) && len(all) < n {
				all = append(all, Suggestion{Key: k})
			}
		}
		return all
	}
	found := map[string]int{}
	for _, r := range v.selected(&q, q.Filter.Without(jobfilter.Key(key))) {
		if key != string(jobfilter.Label) {
			found[r.Text(jobfilter.Key(key))]++
			continue
		}
		for name, value := range r.Labels {
			if strings.Contains(prefix, "=") {
				name += "=" + value
			}
			found[name]++
		}
	}
	for value, k := range found {
		if value != "" && strings.Contains(strings.ToLower(value), strings.ToLower(prefix)) {
			all = append(all, Suggestion{Key: jobfilter.Key(key), Value: value, Count: count(k)})
		}
	}
	slices.SortFunc(all, func(x, y Suggestion) int {
		return cmp.Or(-cmp.Compare(found[x.Value], found[y.Value]), cmp.Compare(x.Value, y.Value))
	})
	return all[:min(n, len(all))]
}

// Each calls f for all jobs that a query selects, in any order, until f returns false. The row
// is used again for the next job: f copies what it keeps, also Life. Sort, Limit and cursors of
// the query are ignored.
func (v *View) Each(q Query, f func(*Row) bool) error {
	rows := v.selected(&q, q.Filter)
	for i := range rows {
		if !f(&rows[i]) {
			break
		}
	}
	return nil
}

// During is Each for jobs that existed between two times: see Query.From.
func (v *View) During(q Query, from, to time.Time, f func(*Row) bool) error {
	q.From, q.To = from, to
	return v.Each(q, f)
}

package jobindex

import (
	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/job/jobfilter"
)

// tally counts rows by state.
type tally struct {
	scan   *scan
	counts [256]int
}

// add counts the rows of a block.
func (t *tally) add(b *block) {
	for _, s := range b.states {
		t.counts[s]++
	}
}

// result returns the counts.
func (t *tally) result() Counts {
	c := Counts{States: map[job.State]Count{}}
	all, matching := 0, 0
	for code, word := range t.scan.t.states.all {
		n := t.counts[code]
		if n == 0 {
			continue
		}
		c.States[word] = count(n)
		if all += n; t.scan.states[code] {
			matching += n
		}
	}
	c.All, c.Matching = count(all), count(matching)
	return c
}

// Count counts the jobs that a query selects.
func (v *View) Count(q Query) Counts {
	s := v.newScan(&q)
	t := tally{scan: s}
	s.run(false, func(b *block) bool {
		t.add(b)
		return true
	})
	return t.result()
}

// List returns a page of the jobs that a query selects, and counts all of them.
//
// Errors: ErrCursor, ErrSort.
func (v *View) List(q Query) (Page, Counts, error) {
	o, err := parseOrder(q.Sort)
	if err != nil {
		return Page{}, Counts{}, err
	}
	s := v.newScan(&q)
	at := s.instant
	choice := selection{limit: q.limit(), down: o.down, back: q.Before != ""}
	var from cursor
	if text := q.After + q.Before; text != "" {
		if from, err = o.decode(text); err != nil || q.After != "" && q.Before != "" {
			return Page{}, Counts{}, ErrCursor
		}
		if o.key.timed() && !at.past {
			at.at = from.at
		}
	}
	k := newKeyer(s.t, s.reader, o.key, at)
	if q.After+q.Before != "" {
		place := k.place(from)
		choice.from = &place
	}
	t := tally{scan: s}
	s.run(o.down != choice.back, func(b *block) bool {
		t.add(b)
		choice.addBlock(s, k, b)
		return true
	})
	return v.page(s, k, o, &choice), t.result(), nil
}

// addBlock adds the rows of a block whose states are selected.
func (s *selection) addBlock(of *scan, k *keyer, b *block) {
	sorted := k.key == bySubmitted && len(s.spots) == s.limit // the rest is even farther
	var x spot
	for i, code := range b.states {
		switch {
		case !of.states[code]:
		case sorted:
			s.beyond++
		default:
			k.spot(b.rows[i], code, &x)
			s.add(&x)
		}
	}
}

// limit returns the largest number of rows of a page.
func (q *Query) limit() int {
	if q.Limit <= 0 {
		return DefaultLimit
	}
	return min(q.Limit, MaxLimit)
}

// page returns the page of a selection.
func (v *View) page(s *scan, k *keyer, o order, c *selection) (p Page) {
	spots := c.sorted()
	if len(spots) == 0 {
		return p
	}
	for i := range spots {
		p.Rows = append(p.Rows, v.row(spots[i].row, s.instant))
	}
	before, after := c.skipped, c.beyond-len(spots)
	if c.back {
		before, after = after, before
	}
	if p.First = before + 1; before > 0 {
		p.Previous = o.encode(k.cursor(&spots[0]))
	}
	if after > 0 {
		p.Next = o.encode(k.cursor(&spots[len(spots)-1]))
	}
	return p
}

// Each calls f for all jobs that a query selects, in the order of submission unless
// NewestFirst is set, until f returns false. The row and the array of its life are reused
// for the next job, so f must copy what it keeps. Sort, Limit and cursors of the query are
// ignored.
func (v *View) Each(q Query, f func(*Row) bool) {
	s := v.newScan(&q)
	var r Row
	s.run(q.NewestFirst, func(b *block) bool {
		for i, code := range b.states {
			if !s.states[code] {
				continue
			}
			m := s.moment(b.rows[i])
			v.fill(b.rows[i], s.instant, m, &r)
			switch {
			case q.Brief:
			case q.Unlabeled:
				v.spans(b.rows[i], s.instant, m, &r)
			default:
				v.complete(b.rows[i], s.instant, m, &r)
			}
			if !f(&r) {
				return false
			}
		}
		return true
	})
}

// without returns the query without the terms of a key.
func (q Query) without(key jobfilter.Key) Query {
	q.Filter = q.Filter.Without(key)
	return q
}

package history

import (
	"cmp"
	"context"
	"slices"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// indexScan finds the objects that can match in the transition index. An entry of the index
// records that an object with a term had a transition in an hour.
type indexScan struct {
	q     sqldb.Querier
	terms [][]model.Term // one element for each condition with terms; a matching object has one of the terms of each element
	limit int            // maximum number of entries for each term
	all   bool           // without terms, most rows match
}

func newIndexScan(q sqldb.Querier, s *selection, limit int) *indexScan {
	i := &indexScan{q: q, limit: limit, all: !s.unindexed}
	for _, c := range s.conditions {
		if c.Terms != nil {
			i.terms = append(i.terms, c.Terms)
		}
	}
	return i
}

// candidates are the objects that can have matching rows between the near end of a
// remainder and a position. Without objects, the index does not help, because too many
// objects have the term.
type candidates struct {
	objects  []int64
	reach    model.Position
	complete bool // reach is the far end
}

// candidates returns the candidates of the condition that reaches furthest. If a condition
// has no entries for some time, it first moves the remainder to the hour in which all
// conditions have entries, or empties the remainder.
func (s *indexScan) candidates(ctx context.Context, left *remainder) (best candidates, err error) {
	var all []*entries
	for _, terms := range s.terms {
		e, err := s.read(ctx, terms, left)
		if err != nil {
			return best, err
		}
		if len(e.all) == 0 {
			left.empty = true
			return best, nil
		}
		all = append(all, e)
	}
	for _, e := range all {
		left.skipTo(e.first())
	}
	if left.empty {
		return best, nil
	}
	best.reach = left.near()
	for _, e := range all {
		c := e.candidates(left)
		if len(c.objects) == 0 {
			if c.complete {
				left.empty = true
				return best, nil
			}
			continue
		}
		beyond := left.compare(c.reach, best.reach)
		if beyond > 0 || beyond == 0 && best.objects != nil && len(c.objects) < len(best.objects) {
			best = c
		}
	}
	return best, nil
}

// read reads the entries of one condition: those of its terms, up to the limit for each
// term.
func (s *indexScan) read(ctx context.Context, terms []model.Term, left *remainder) (*entries, error) {
	e := &entries{order: left.order, complete: true}
	for _, t := range terms {
		n, last := 0, int64(0)
		err := model.ReadIndex(ctx, s.q, t, model.HourOf(left.low.At), model.HourOf(left.high.At), left.order == OldestFirst, s.limit+1, func(hour, object int64) {
			e.all = append(e.all, entry{hour, object})
			n, last = n+1, hour
		})
		if err != nil {
			return nil, err
		}
		if n > s.limit {
			e.cut(last)
		}
	}
	return e, nil
}

// entry is an entry of the index, without its term.
type entry struct{ hour, object int64 }

// entries are the entries of one condition, from the near end of a remainder onward.
type entries struct {
	all      []entry
	order    Order
	complete bool  // no other entries exist
	last     int64 // if not complete: the last hour whose entries are all included
}

// cut records that the entries of a term were only partly read beyond an hour.
func (e *entries) cut(hour int64) {
	last := hour + 1
	if e.order == OldestFirst {
		last = hour - 1
	}
	if e.complete || e.compare(last, e.last) < 0 {
		e.last = last
	}
	e.complete = false
}

// compare orders hours in the direction of the scan.
func (e *entries) compare(x, y int64) int {
	if e.order == OldestFirst {
		return cmp.Compare(x, y)
	}
	return cmp.Compare(y, x)
}

// first returns the hour of the entry that the scan reaches first.
func (e *entries) first() int64 {
	return slices.MinFunc(e.all, func(x, y entry) int { return e.compare(x.hour, y.hour) }).hour
}

// candidates returns the objects of the entries in a remainder.
func (e *entries) candidates(left *remainder) candidates {
	c := candidates{reach: left.far(), complete: e.complete}
	if !e.complete {
		c.reach = left.after(e.last)
	}
	for _, one := range e.all {
		if left.contains(one.hour) && (e.complete || e.compare(one.hour, e.last) <= 0) {
			c.objects = append(c.objects, one.object)
		}
	}
	slices.Sort(c.objects)
	c.objects = slices.Compact(c.objects)
	return c
}

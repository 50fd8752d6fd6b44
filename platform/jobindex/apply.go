package jobindex

import (
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
)

// event is a reason to read a job again.
type event struct {
	object   int64
	position feed.Position
	kind     feed.Kind
	seen     time.Time
}

// batch applies the current database rows of the objects of some events.
type batch struct {
	events []event
	jobs   []Job // those of the objects that are jobs
	upTo   feed.Position
}

// apply changes the table of an index, and returns the changes in the order of the events.
func (b *batch) apply(x *Index) (changes []Change) {
	v := newView(x.table, time.Now()) // only this goroutine changes the table
	byID := make(map[int64]*Job, len(b.jobs))
	for i := range b.jobs {
		byID[b.jobs[i].ID] = &b.jobs[i]
	}
	before := map[int64]job.State{}
	removed := map[int64]*Row{}
	var rows []uint32
	for _, e := range b.events {
		row, known := v.table.find(e.object)
		if known {
			before[e.object] = v.table.states.all[v.table.state[row]]
		}
		if known && byID[e.object] == nil && removed[e.object] == nil {
			last := v.row(row, v.instant(time.Time{}))
			removed[e.object] = &last
			rows = append(rows, row)
		}
	}
	x.change(func(t *table) {
		t.putAll(b.jobs)
		t.remove(rows)
		t.position = max(t.position, b.upTo)
	})
	for _, e := range b.events {
		c := Change{Position: e.position, Kind: e.kind, Seen: e.seen}
		last, gone := removed[e.object]
		switch {
		case byID[e.object] != nil:
			row, _ := v.table.find(e.object)
			c.Row = v.row(row, v.instant(time.Time{}))
		case gone && last != nil:
			c.Row, c.Removed = *last, true
			removed[e.object] = nil // it is reported once
		default:
			continue
		}
		var known bool
		c.Before, known = before[e.object]
		c.New = !known
		before[e.object] = c.Row.State
		changes = append(changes, c)
	}
	return changes
}

package history

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/internal/jobspec"
	"github.com/vedette-io/vedette/record/internal/bodies"
	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/state"
)

// JobPage is a part of the list of jobs.
type JobPage struct {
	Page[Job]
	// Open counts all open jobs of the filter by state, on all pages. It is nil on pages of
	// ended jobs, and beyond 10,000 open jobs.
	Open map[state.State]int
}

// Parts of the list of jobs, as named in cursors.
const (
	openPart  = 'o' // open jobs, by the time of their submission
	crowdPart = 's' // open jobs that are too many to sort, by the time when they entered their state
	endedPart = 'e' // ended jobs, by the time of their end
)

// jobLister lists jobs.
type jobLister struct {
	db     *sqldb.DB
	limits limits
	reader *bodies.Reader
}

// page returns a page of the list of jobs.
func (l *jobLister) page(ctx context.Context, f Filter, p Paging, now time.Time) (page JobPage, err error) {
	part, inner, err := jobCursor(p.After)
	if err != nil {
		return page, err
	}
	if f.Types == nil {
		for _, name := range jobspec.Types() {
			resource, group := jobspec.SplitType(name)
			f.Types = append(f.Types, Type{Group: group, Resource: resource})
		}
	}
	var objects []Object
	if part != endedPart {
		var next Cursor
		if objects, next, page.Open, err = l.openPage(ctx, f, part, Paging{After: inner, Limit: p.limit()}); err != nil {
			return page, err
		}
		for i := range objects {
			page.Items = append(page.Items, jobOf(&objects[i]))
		}
		inner, page.Next = "", next
	}
	if page.Next == "" && len(page.Items) < p.limit() {
		changes, err := l.endedPage(ctx, f, Paging{After: inner, Limit: p.limit() - len(page.Items)})
		if err != nil {
			return page, err
		}
		for i := range changes.Items {
			objects = append(objects, changes.Items[i].Object)
			page.Items = append(page.Items, endedJobOf(&changes.Items[i]))
		}
		if changes.Next != "" {
			page.Next = cursorOf(endedPart, changes.Next)
		}
	} else if page.Next == "" {
		page.Next = cursorOf(endedPart, "")
	}
	return page, addDetails(ctx, l.db, l.reader, page.Items, objects, now)
}

// one returns the row of one object.
func (l *jobLister) one(ctx context.Context, id int64, now time.Time) (Job, error) {
	objects, err := objectsByID(ctx, l.db, []int64{id})
	if err != nil {
		return Job{}, err
	}
	if len(objects) == 0 {
		return Job{}, fmt.Errorf("object %d: %w", id, ErrUnknown)
	}
	o := &objects[0]
	rows := []Job{jobOf(o)}
	if last := state.State(o.State); last.Final() {
		ends, err := transitionsOf(ctx, l.db, id, Paging{Limit: 2})
		if err != nil {
			return Job{}, err
		}
		end := Transition{To: o.State, ToRaw: o.Raw, Reason: o.Reason, Message: o.Message, Happened: o.Since}
		if n := len(ends.Items); n == 2 && last == state.Deleted && state.State(ends.Items[1].To).Final() {
			end = ends.Items[1]
		}
		rows[0] = endedJobOf(&Change{*o, end})
	}
	err = addDetails(ctx, l.db, l.reader, rows, objects, now)
	return rows[0], err
}

// openPage returns a page of the open jobs. next is empty after the last page.
func (l *jobLister) openPage(ctx context.Context, f Filter, part rune, p Paging) (objects []Object, next Cursor, counts map[state.State]int, err error) {
	f.Since = time.Time{} // an open job matches any Since
	s, err := l.selectJobs(ctx, f, func(of state.State) bool { return !of.Final() })
	if err != nil || s.nothing {
		return nil, "", nil, err
	}
	var all []Object
	complete := false
	if part == openPart {
		if all, complete, err = l.openJobs(ctx, s); err != nil {
			return nil, "", nil, err
		}
	}
	if !complete {
		if part == openPart {
			p.After = "" // a position among sorted jobs does not apply here
		}
		page, err := scanSelection(ctx, l.db, l.limits, model.ObjectTable, s, p, decodeObject)
		if page.Next != "" {
			next = cursorOf(crowdPart, page.Next)
		}
		return page.Items, next, nil, err
	}
	counts = map[state.State]int{}
	for i := range all {
		counts[state.State(all[i].State)]++
	}
	at := func(o *Object) model.Position { return model.Position{At: model.Micros(jobOf(o).Submitted), ID: o.ID} }
	slices.SortFunc(all, func(x, y Object) int { return at(&y).Compare(at(&x)) })
	after, first, err := p.position()
	if err != nil {
		return nil, "", nil, err
	}
	if !first {
		all = slices.DeleteFunc(all, func(o Object) bool { return !at(&o).Before(after) })
	}
	if len(all) > p.limit() {
		all = all[:p.limit()]
		next = cursorOf(openPart, p.cursor(at(&all[len(all)-1])))
	}
	return all, next, counts, nil
}

// openJobs returns all open jobs of a selection. It returns false if there are more than
// maxOpen.
func (l *jobLister) openJobs(ctx context.Context, s *selection) (all []Object, complete bool, err error) {
	p := Paging{Limit: maxLimit}
	for {
		page, err := scanSelection(ctx, l.db, l.limits, model.ObjectTable, s, p, decodeObject)
		if err != nil {
			return nil, false, err
		}
		if all = append(all, page.Items...); page.Next == "" {
			return all, true, nil
		}
		if len(all) > maxOpen {
			return nil, false, nil
		}
		p.After = page.Next
	}
}

// maxOpen is the maximum number of open jobs that are sorted in memory.
const maxOpen = 10_000

// endedPage returns a page of the transitions with which jobs ended.
func (l *jobLister) endedPage(ctx context.Context, f Filter, p Paging) (Page[Change], error) {
	s, err := l.selectJobs(ctx, f, state.State.Final)
	if err != nil {
		return Page[Change]{}, err
	}
	s.conditions = append(s.conditions, model.EndsObject())
	return scanSelection(ctx, l.db, l.limits, model.TransitionTable, s, p, decodeChange)
}

// selectJobs returns the selection of the jobs of a filter in states of one kind.
func (l *jobLister) selectJobs(ctx context.Context, f Filter, in func(state.State) bool) (*selection, error) {
	s, err := f.resolve(ctx, l.db)
	if err != nil {
		return nil, err
	}
	wanted := s.states
	if wanted == nil {
		wanted = model.States()
	}
	s.states = nil
	for _, word := range wanted {
		if in(state.State(word)) {
			s.states = append(s.states, word)
		}
	}
	s.nothing = s.nothing || s.states == nil
	s.conditions = append(s.conditions, model.NotOwnedBy(jobspec.Parents()))
	return s, nil
}

// jobCursor splits the cursor of a list of jobs.
func jobCursor(c Cursor) (part rune, inner Cursor, err error) {
	if c == "" {
		return openPart, "", nil
	}
	text, err := base64.RawURLEncoding.DecodeString(string(c))
	if err != nil || len(text) == 0 || !strings.ContainsRune(string([]rune{openPart, crowdPart, endedPart}), rune(text[0])) {
		return 0, "", ErrCursor
	}
	if len(text) > 1 {
		inner = Cursor(base64.RawURLEncoding.EncodeToString(text[1:]))
	}
	if cursorOf(rune(text[0]), inner) != c {
		return 0, "", ErrCursor
	}
	return rune(text[0]), inner, nil
}

// cursorOf returns the cursor of a part that contains the cursor within the part.
func cursorOf(part rune, inner Cursor) Cursor {
	text, _ := base64.RawURLEncoding.DecodeString(string(inner)) // a page has returned this cursor
	return Cursor(base64.RawURLEncoding.EncodeToString(append([]byte(string(part)), text...)))
}

// SortJobs sorts jobs in the order of ListJobs: first open jobs by their submission, then
// ended jobs by their end, newest first.
func SortJobs(all []Job) {
	slices.SortStableFunc(all, func(x, y Job) int {
		switch {
		case x.Open() && y.Open():
			return cmp.Or(y.Submitted.Compare(x.Submitted), cmp.Compare(x.Namespace+"/"+x.Name, y.Namespace+"/"+y.Name))
		case x.Open():
			return -1
		case y.Open():
			return 1
		}
		return cmp.Or(y.Ended.Compare(x.Ended), cmp.Compare(x.Namespace+"/"+x.Name, y.Namespace+"/"+y.Name))
	})
}

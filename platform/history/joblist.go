package history

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/internal/bodies"
	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// JobPage is a part of the list of jobs.
type JobPage struct {
	Page[Job]
	// Open counts all open jobs of the filter by state, on all pages. It is nil on pages of
	// ended jobs, and beyond 10,000 open jobs.
	Open map[job.State]int
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

// listing is a page of the list of jobs while it is read.
type listing struct {
	filter  Filter
	paging  Paging
	part    rune
	inner   Cursor // within the part
	objects []Object
	page    JobPage
}

// page returns a page of the list of jobs.
func (l *jobLister) page(ctx context.Context, f Filter, p Paging, now time.Time) (JobPage, error) {
	s, err := l.begin(ctx, f, p)
	if err != nil {
		return s.page, err
	}
	return l.finish(ctx, &s, now)
}

// begin reads the open jobs of a page.
func (l *jobLister) begin(ctx context.Context, f Filter, p Paging) (s listing, err error) {
	s.filter, s.paging = f, p
	if s.part, s.inner, err = jobCursor(p.After); err != nil {
		return s, err
	}
	if f.Types == nil {
		for _, name := range job.Types() {
			resource, group := job.SplitType(name)
			s.filter.Types = append(s.filter.Types, Type{Group: group, Resource: resource})
		}
	}
	if s.part != endedPart {
		s.objects, s.page.Next, s.page.Open, err = l.openPage(ctx, s.filter, s.part, Paging{After: s.inner, Limit: p.limit()})
		s.inner = ""
	}
	return s, err
}

// finish reads the ended jobs of a page, if it has room for them.
func (l *jobLister) finish(ctx context.Context, s *listing, now time.Time) (JobPage, error) {
	if room := s.paging.limit() - len(s.objects); s.page.Next == "" && room > 0 {
		changes, err := l.endedPage(ctx, s.filter, Paging{After: s.inner, Limit: room})
		if err != nil {
			return s.page, err
		}
		s.add(changes.Items)
		if changes.Next != "" {
			s.page.Next = cursorOf(endedPart, changes.Next)
		}
	} else {
		s.add(nil)
		if s.page.Next == "" {
			s.page.Next = cursorOf(endedPart, "")
		}
	}
	return s.page, addDetails(ctx, l.db, l.reader, s.page.Items, s.objects, now)
}

// add fills the page with the open jobs and some ended ones. A job that ended between the two
// queries is only among the ended ones.
func (s *listing) add(ended []Change) {
	s.objects = slices.DeleteFunc(s.objects, func(o Object) bool {
		both := slices.ContainsFunc(ended, func(c Change) bool { return c.Object.ID == o.ID })
		if word := job.State(o.State); both && s.page.Open != nil {
			if s.page.Open[word]--; s.page.Open[word] == 0 {
				delete(s.page.Open, word)
			}
		}
		return both
	})
	for i := range s.objects {
		s.page.Items = append(s.page.Items, jobOf(&s.objects[i]))
	}
	for i := range ended {
		s.objects = append(s.objects, ended[i].Object)
		s.page.Items = append(s.page.Items, endedJobOf(&ended[i]))
	}
}

// one returns the row of one object.
func (l *jobLister) one(ctx context.Context, id int64, now time.Time) (Job, error) {
	objects, err := jobsByID(ctx, l.db, []int64{id})
	if err != nil {
		return Job{}, err
	}
	if len(objects) == 0 {
		return Job{}, fmt.Errorf("object %d: %w", id, ErrUnknown)
	}
	o := &objects[0]
	rows := []Job{jobOf(o)}
	if last := job.State(o.State); last.Final() {
		ends, err := transitionsOf(ctx, l.db, id, Paging{Limit: 2})
		if err != nil {
			return Job{}, err
		}
		end := Transition{To: o.State, ToRaw: o.Raw, Reason: o.Reason, Message: o.Message, Happened: o.Since}
		if n := len(ends.Items); n == 2 && last == job.Deleted && job.State(ends.Items[1].To).Final() {
			end = ends.Items[1]
		}
		rows[0] = endedJobOf(&Change{*o, end})
	}
	err = addDetails(ctx, l.db, l.reader, rows, objects, now)
	return rows[0], err
}

// openPage returns a page of the open jobs. next is empty after the last page.
func (l *jobLister) openPage(ctx context.Context, f Filter, part rune, p Paging) (objects []Object, next Cursor, counts map[job.State]int, err error) {
	f.Since = time.Time{} // an open job matches any Since
	s, err := l.selectJobs(ctx, f, func(of job.State) bool { return !of.Final() })
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
		page, err := scanSelection(ctx, l.db, l.limits, model.JobTable, s, p, decodeJob)
		if page.Next != "" {
			next = cursorOf(crowdPart, page.Next)
		}
		return page.Items, next, nil, err
	}
	counts = map[job.State]int{}
	for i := range all {
		counts[job.State(all[i].State)]++
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
		page, err := scanSelection(ctx, l.db, l.limits, model.JobTable, s, p, decodeJob)
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
	s, err := l.selectJobs(ctx, f, job.State.Final)
	if err != nil {
		return Page[Change]{}, err
	}
	s.conditions = append(s.conditions, model.EndsObject())
	return scanSelection(ctx, l.db, l.limits, model.TransitionTable, s, p, decodeChange)
}

// selectJobs returns the selection of the jobs of a filter in states of one kind.
func (l *jobLister) selectJobs(ctx context.Context, f Filter, in func(job.State) bool) (*selection, error) {
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
		if in(job.State(word)) {
			s.states = append(s.states, word)
		}
	}
	s.nothing = s.nothing || s.states == nil
	s.conditions = append(s.conditions, model.NotOwnedBy(job.Parents()))
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

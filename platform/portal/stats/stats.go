package stats

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Config has the data sources of a Reader.
type Config struct {
	// DB is the database of a recorder. The caller closes it. Without one, pods and changes
	// after gaps are not counted.
	DB *sqldb.DB
	// Index has the jobs of the database.
	Index *jobindex.Index
	// Now returns the current time; default time.Now.
	Now func() time.Time
}

// Reader computes statistics of jobs. Any goroutine may use it.
type Reader struct {
	index *jobindex.Index
	now   func() time.Time
	gaps  *gapReader
	pods  *podReader
}

// New returns a reader.
func New(c Config) *Reader {
	now := c.Now
	if now == nil {
		now = time.Now
	}
	r := &Reader{index: c.Index, now: now, gaps: &gapReader{now: now}, pods: newPodReader(now)}
	if c.DB != nil {
		h := history.New(c.DB)
		r.gaps.history, r.pods.history = h, h
	}
	return r
}

// TimelineQuery selects a page of a timeline.
type TimelineQuery struct {
	// Query selects jobs. Sort takes the keys of the list of jobs; default "submitted". Limit is at
	// most MaxRows; default DefaultRows. After is the cursor of the previous page.
	jobindex.Query
	Window
	// Group is cluster, queue, owner or none. Rows of a group are together.
	Group    string
	Language string // of the causes of gaps
}

// Timeline returns the lives of the jobs that existed in a window.
//
// Errors: ErrCursor, ErrOrder, ErrWindow; those of the index and of the database.
func (r *Reader) Timeline(ctx context.Context, q TimelineQuery) (*api.Timeline, error) {
	if q.Window.empty() {
		return nil, ErrWindow
	}
	o, err := orderOf(q.Sort, q.Group)
	if err != nil {
		return nil, err
	}
	limit := q.Limit
	if limit <= 0 {
		limit = DefaultRows
	}
	t := &timeline{window: q.Window, order: o, limit: min(limit, MaxRows), groups: map[string]*api.TimelineGroup{}}
	if q.After != "" {
		begin, err := o.after(q.After)
		if err != nil {
			return nil, err
		}
		t.begin = &begin
	}
	q.Brief = true
	s, err := r.scanThen(q.Query, q.Window, func(row *jobindex.Row, _ time.Time) { t.add(row) }, func(v *jobindex.View) { t.finish(v, q.At) })
	if err != nil {
		return nil, err
	}
	a := t.answer()
	a.Position, a.At = s.position, s.at
	a.Gaps, err = r.gaps.list(ctx, s.gaps, q.Window, seesOf(&q.Query), q.Language)
	return a, err
}

// DefaultBars is the number of bars of an overview.
const DefaultBars = 144

// Overview divides a window into equal intervals. It counts the jobs that waited and ran at the
// beginning of each interval, and those that failed within it. bars is the number of intervals, at
// most 500; 0 means DefaultBars.
//
// Errors: ErrWindow; those of the index and of the database.
func (r *Reader) Overview(ctx context.Context, q jobindex.Query, w Window, bars int, language string) (*api.Overview, error) {
	if w.empty() {
		return nil, ErrWindow
	}
	if bars <= 0 {
		bars = DefaultBars
	}
	var o *overview
	s, err := r.scan(q, w, func(row *jobindex.Row, now time.Time) {
		if o == nil {
			o = newOverview(w, min(bars, 500), now)
		}
		o.add(row)
	})
	if err != nil {
		return nil, err
	}
	if o == nil {
		o = newOverview(w, min(bars, 500), s.at)
	}
	a := o.answer()
	a.Gaps, err = r.gaps.list(ctx, s.gaps, w, seesOf(&q), language)
	return a, err
}

// Stats returns the statistics of a window, and of a second one for comparison unless it is zero. A
// window is cut at the instant of the query, or now.
//
// Errors: ErrWindow; those of the index and of the database.
func (r *Reader) Stats(ctx context.Context, q jobindex.Query, w, before Window) (*api.Stats, error) {
	compare := before != Window{}
	if w.empty() || compare && before.empty() {
		return nil, ErrWindow
	}
	both, windows := w, []Window{w}
	if compare {
		both, windows = Window{earlier(w.From, before.From), later(w.To, before.To)}, []Window{w, before}
	}
	pods, err := r.pods.in(ctx, cmp.Or(q.At, r.now()), windows...)
	if err != nil {
		return nil, err
	}
	if pods != nil {
		defer pods.done()
	}
	sums := &sums{windows: windows, pods: pods, seesPods: q.SeesPods}
	s, err := r.scan(q, both, sums.add)
	if err != nil {
		return nil, err
	}
	if err := r.addIndirect(ctx, sums, s.at); err != nil {
		return nil, err
	}
	all := sums.answer(s.at)
	a := &api.Stats{From: w.From, To: w.To, Now: *all[0], Position: s.position, At: s.at}
	if compare {
		a.BeforeFrom, a.BeforeTo, a.Before = before.From, before.To, all[1]
	}
	return a, nil
}

// addIndirect adds the jobs whose pods are controlled by other objects.
func (r *Reader) addIndirect(ctx context.Context, sums *sums, now time.Time) error {
	for some := range slices.Chunk(sums.indirect, 200) {
		var objects []history.Object
		for i := range some {
			row := &some[i]
			resource, group := job.SplitType(row.Type)
			objects = append(objects, history.Object{
				ID: row.ID, UID: row.UID, Cluster: row.Cluster, ClusterUID: row.ClusterUID, Namespace: row.Namespace, Name: row.Name,
				Type: history.Type{Group: group, Resource: resource, Kind: row.Kind}, Version: row.Version, Created: row.Submitted,
			})
		}
		pods, err := r.gaps.history.PodsOf(ctx, objects, 10_000)
		if err != nil {
			return err
		}
		for i := range some {
			var ends []*podEnd
			for _, p := range pods[some[i].ID] {
				if e := sums.pods.hours.byID[p.ID]; e != nil {
					ends = append(ends, e)
				}
			}
			slices.SortFunc(ends, (*podEnd).compare)
			sums.addJob(&some[i], sums.pods.until(ends), now)
		}
	}
	return nil
}

// scanned describes the state of the index that a scan has read.
type scanned struct {
	at       time.Time
	position int64
	gaps     []history.Gap
}

// scan calls each for the jobs of a query that existed in a window, without their labels, with
// the instant that open spans last until.
func (r *Reader) scan(q jobindex.Query, w Window, each func(*jobindex.Row, time.Time)) (s scanned, err error) {
	return r.scanThen(q, w, each, func(*jobindex.View) {})
}

// scanThen is scan, and then calls last within the same view.
func (r *Reader) scanThen(q jobindex.Query, w Window, each func(*jobindex.Row, time.Time), last func(*jobindex.View)) (s scanned, err error) {
	q.From, q.To, q.Unlabeled = w.From, w.To, true
	err = r.index.View(func(v *jobindex.View) error {
		s = scanned{at: cmp.Or(q.At, v.Now()), position: int64(v.Position()), gaps: v.Gaps()}
		v.Each(q, func(row *jobindex.Row) bool {
			each(row, s.at)
			return true
		})
		last(v)
		return nil
	})
	return s, err
}

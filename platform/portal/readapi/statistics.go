package readapi

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/stats"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// WindowInput is an interval of time.
type WindowInput struct {
	AtInput
	From string `query:"from" maxLength:"64" doc:"The beginning: a time, or an age such as 24h"`
	To   string `query:"to" maxLength:"64" doc:"The end; by default the instant of the answer"`
}

// window returns the interval. By default it ends with the instant of the answer.
func (in *WindowInput) window(q *question, length time.Duration) (w stats.Window, err error) {
	if w.To, err = momentOf(in.To, "to", q.now); err != nil {
		return w, err
	}
	if w.To.IsZero() {
		w.To = q.at
	}
	if w.From, err = momentOf(in.From, "from", q.now); err != nil {
		return w, err
	}
	if w.From.IsZero() {
		w.From = w.To.Add(-length)
	}
	return w, nil
}

// timelineInput selects a page of the timeline. Filters are read from the URL.
type timelineInput struct {
	WindowInput
	Sort  string `query:"sort" maxLength:"32" doc:"As for jobs; rows of a group stay together"`
	Group string `query:"group" enum:"none,cluster,queue,owner" doc:"Rows of a group are together"`
	Limit int    `query:"limit" minimum:"0" maximum:"2000" doc:"How many rows"`
	After string `query:"after" maxLength:"2048" doc:"The cursor of the page before"`
}

// timeline answers with the lives of the jobs in an interval.
func timeline(r *reader, ctx context.Context, in *timelineInput) (*api.Timeline, error) {
	q, err := r.askFor(ctx, in.At)
	if err != nil {
		return nil, err
	}
	w, err := in.window(q, 24*time.Hour)
	if err != nil {
		return nil, err
	}
	q.Sort, q.Limit, q.After = in.Sort, in.Limit, in.After
	t, err := r.statistics.Timeline(ctx, stats.TimelineQuery{Query: q.Query, Window: w, Group: in.Group, Language: q.language})
	if err != nil {
		return nil, mapped(err)
	}
	t.Gaps, err = gapsOf(r, ctx, q, t.Gaps)
	return t, err
}

// overviewInput selects the bars above the timeline.
type overviewInput struct {
	WindowInput
	Bars int `query:"bars" minimum:"0" maximum:"500" doc:"How many bars"`
}

// overview answers with the number of jobs over time.
func overview(r *reader, ctx context.Context, in *overviewInput) (*api.Overview, error) {
	q, err := r.askFor(ctx, in.At)
	if err != nil {
		return nil, err
	}
	w, err := in.window(q, 24*time.Hour)
	if err != nil {
		return nil, err
	}
	o, err := r.statistics.Overview(ctx, q.Query, w, in.Bars, q.language)
	if err != nil {
		return nil, mapped(err)
	}
	o.Gaps, err = gapsOf(r, ctx, q, o.Gaps)
	return o, err
}

// gapsOf removes the gaps of clusters where the person sees nothing.
func gapsOf(r *reader, ctx context.Context, q *question, all []api.Gap) ([]api.Gap, error) {
	if q.sight.All() {
		return all, nil
	}
	clusters, err := clustersOf(r, ctx, q)
	return slices.DeleteFunc(all, func(g api.Gap) bool {
		return !slices.ContainsFunc(clusters, func(c api.Cluster) bool { return c.Name == g.Cluster })
	}), err
}

// statsInput selects a period, and another one to compare with.
type statsInput struct {
	WindowInput
	Versus string `query:"vs" maxLength:"64" doc:"The period to compare with: before, for the one before it, or the time at which it begins"`
}

// statistics answers with the statistics of a period.
func statistics(r *reader, ctx context.Context, in *statsInput) (*api.Stats, error) {
	q, err := r.askFor(ctx, in.At)
	if err != nil {
		return nil, err
	}
	w, err := in.window(q, 7*24*time.Hour)
	if err != nil {
		return nil, err
	}
	var other stats.Window
	if in.Versus != "" {
		length := w.To.Sub(w.From)
		other = stats.Window{From: w.From.Add(-length), To: w.From}
		if in.Versus != "before" && in.Versus != "previous" {
			if other.From, err = momentOf(in.Versus, "vs", q.now); err != nil {
				return nil, err
			}
			other.To = other.From.Add(length)
		}
	}
	key := fmt.Sprint(q.sight.Key(), "\x00", filterKey(web.Query(ctx)), "\x00", q.Mine)
	s, err := r.periods.get(ctx, key, q.now, func(ctx context.Context) (*api.Stats, error) {
		return r.statistics.Stats(ctx, q.Query, w, other)
	})
	return s, mapped(err)
}

// filterKey returns the same text for the same parameters.
func filterKey(q url.Values) string { return q.Encode() }

// waits answers with the times that jobs waited, over time.
func waits(r *reader, ctx context.Context, in *statsInput) (*api.StatsSeries, error) {
	s, err := statistics(r, ctx, in)
	if err != nil {
		return nil, err
	}
	series := &api.StatsSeries{From: s.From, To: s.To, Step: s.Now.Step, All: s.Now.Waited, Points: make([]api.StatsPoint, len(s.Now.Buckets))}
	for i, b := range s.Now.Buckets {
		series.Points[i] = api.StatsPoint{From: b.From, Spread: b.Waited}
	}
	return series, nil
}

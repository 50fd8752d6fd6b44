package readapi

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/audit"
	"github.com/vedette-io/vedette/platform/portal/stats"
)

// Limits of the operations page.
const (
	shownGaps    = 50
	readGaps     = 1_000
	shownActs    = 20
	sampleOfSent = 200 // deliveries of each channel whose answer time is measured
)

// operations answers with the state of recorders, notifiers and the portal.
func operations(r *reader, ctx context.Context, _ *none) (*api.Operations, error) {
	q, err := operator(r, ctx)
	if err != nil {
		return nil, err
	}
	return r.ops.get(ctx, q.language, q.now, func(ctx context.Context) (*api.Operations, error) {
		o, err := operationsNow(r, ctx, q)
		return o, r.DB.Explain(err)
	})
}

func operationsNow(r *reader, ctx context.Context, q *question) (*api.Operations, error) {
	o := &api.Operations{At: instant(q.now), Gaps: []api.Gap{}, Cursors: []api.Cursor{}, Acts: []api.AuditEntry{}}
	head, err := feed.Head(ctx, r.DB)
	if err != nil {
		return nil, err
	}
	o.Head = int64(head)
	a, err := r.history.Activity(ctx, max(o.Head-recentPositions, 0))
	if err != nil {
		return nil, err
	}
	gaps, err := r.history.ListGaps(ctx, history.GapFilter{Since: q.now.Add(-30 * 24 * time.Hour)}, history.Paging{Limit: readGaps, Order: history.NewestFirst})
	if err != nil {
		return nil, err
	}
	for i := range gaps.Items[:min(len(gaps.Items), shownGaps)] {
		g := &gaps.Items[i]
		found, err := r.history.FoundAfter(ctx, g)
		if err != nil {
			return nil, err
		}
		o.Gaps = append(o.Gaps, api.Gap{
			ID: g.ID, Cluster: g.Cluster, Type: g.Type.String(), Namespace: g.Namespace, From: instant(g.Began), To: instant(g.Ended),
			Cause: stats.GapCause(g.Cause, q.language), Detail: g.Detail, Changes: found, Closed: !g.Ended.IsZero(),
		})
	}
	fresh, err := r.history.Freshness(ctx, r.DB.Now())
	if err != nil {
		return nil, err
	}
	o.Watches = watches(&a, fresh, gaps.Items, r.DB.Now())
	if r.Watches != nil {
		o.Watches = joined(o.Watches, r.Watches())
	}
	if o.Cursors, err = cursors(r, ctx, q.now); err != nil {
		return nil, err
	}
	if o.Channels, o.Dead, err = channels(r, ctx, q.now); err != nil {
		return nil, err
	}
	if acts, err := audit.List(ctx, r.DB, shownActs); err == nil && acts != nil { // an older database has no audit
		o.Acts = acts
	}
	o.Summary, err = summaryOf(r, ctx, o, &a, q.now)
	return o, err
}

// joined replaces the inferred state of watches by the state from the recorder of this process.
func joined(concluded, told []api.Watch) []api.Watch {
	for _, t := range told {
		i := slices.IndexFunc(concluded, func(c api.Watch) bool {
			return c.Cluster == t.Cluster && c.Type == t.Type && c.Namespace == t.Namespace && (c.Recorder == t.Recorder || t.Recorder == "")
		})
		if i < 0 {
			concluded = append(concluded, t)
			continue
		}
		c := concluded[i]
		t.Recorder, t.Gaps24h, t.Events = c.Recorder, c.Gaps24h, c.Events
		if t.Objects < 0 {
			t.Objects = c.Objects
		}
		t.Bytes = c.Bytes
		if t.Phase == "watching" && (c.Phase == "behind" || c.Phase == "unknown" || t.Note == "") {
			t.Phase, t.Note = c.Phase, c.Note
		}
		concluded[i] = t
	}
	return concluded
}

func cursors(r *reader, ctx context.Context, now time.Time) ([]api.Cursor, error) {
	found, err := feed.Cursors(ctx, r.DB)
	all := make([]api.Cursor, len(found))
	for i, c := range found {
		all[i] = api.Cursor{Reader: c.Name, Position: int64(c.Position), Behind: c.Behind, By: max(now.Sub(c.SeenAt).Seconds(), 0)}
		if c.Expired {
			all[i].Expired = instant(c.ExpiredAt)
		}
	}
	return all, err
}

// channels returns the states of the channels, and the number of dead letters.
func channels(r *reader, ctx context.Context, now time.Time) ([]api.ChannelState, api.Count, error) {
	found, err := delivery.Channels(ctx, r.DB)
	if err != nil {
		return nil, api.Count{}, err
	}
	counts, err := delivery.Counts(ctx, r.DB)
	if err != nil {
		return nil, api.Count{}, err
	}
	sent, err := delivery.SentSince(ctx, r.DB, now.Add(-24*time.Hour))
	if err != nil {
		return nil, api.Count{}, err
	}
	dead := api.Count{}
	var all []api.ChannelState
	for _, c := range found {
		s := api.ChannelState{Name: c.Name, State: "works", Sent24h: sent[c.Name], Failures: c.Failures, Answers: -1}
		switch {
		case !c.DisabledAt.IsZero():
			s.State, s.Reason = "disabled", c.Reason
		case c.PausedUntil.After(now):
			s.State, s.Until, s.Reason = "pauses", instant(c.PausedUntil), c.Cause.String()
		}
		for _, n := range counts {
			switch {
			case n.Channel != c.Name:
			case n.State == delivery.Dead:
				s.Dead += n.N
				dead.N += n.N
			default:
				s.Waiting += n.N
			}
		}
		if s.Sent24h > 0 {
			if s.Answers, err = answerTime(r, ctx, c.Name, now); err != nil {
				return nil, dead, err
			}
		}
		all = append(all, s)
	}
	return all, dead, nil
}

// answerTime returns the median of the seconds from the creation of the newest messages that were
// sent at the first try until the channel accepted them.
func answerTime(r *reader, ctx context.Context, channel string, now time.Time) (float64, error) {
	found, err := delivery.List(ctx, r.DB, delivery.Filter{Channel: channel, States: []delivery.State{delivery.Sent}, Since: now.Add(-24 * time.Hour), Limit: sampleOfSent})
	var times []float64
	for i := range found {
		if d := &found[i]; d.Attempts <= 1 && !d.Replay && !d.Late && !d.SentAt.IsZero() {
			times = append(times, max(d.SentAt.Sub(d.CreatedAt).Seconds(), 0))
		}
	}
	return percentile(times, 50), err
}

// percentile returns a percentile of some numbers, which it sorts; -1 if there are none.
func percentile(all []float64, p int) float64 {
	if len(all) == 0 {
		return -1
	}
	slices.Sort(all)
	return all[(len(all)-1)*p/100]
}

// summaryOf returns the numbers at the top of the page.
func summaryOf(r *reader, ctx context.Context, o *api.Operations, a *history.Activity, now time.Time) (api.Summary, error) {
	s := api.Summary{ToRow: -1, ToBrowser: -1, Browsers: -1, Waiting: a.Waiting, DatabaseBytes: -1, JobsBytes: r.Index.Bytes(), Attention: []string{}}
	var toRow []float64
	lastMinute := 0
	for i := range a.Recent {
		t := &a.Recent[i]
		if now.Sub(t.At) <= 10*time.Minute {
			toRow = append(toRow, max(t.At.Sub(t.Seen).Seconds(), 0))
		}
		if now.Sub(t.At) <= time.Minute {
			lastMinute++
		}
	}
	s.ToRow = percentile(toRow, 99)
	s.TransitionsPerSecond = float64(lastMinute) / 60
	if lastMinute == len(a.Recent) && lastMinute == recentPositions { // the sample is shorter than a minute
		s.TransitionsPerSecond = float64(lastMinute) / max(now.Sub(a.Recent[0].At).Seconds(), 1)
	}
	if r.Browsers != nil {
		s.Browsers, s.ToBrowser = r.Browsers()
	}
	files, err := r.DB.FileBytes(ctx)
	switch {
	case err == nil:
		s.DatabaseBytes = files
	case errors.Is(err, context.DeadlineExceeded):
		return s, err
	}
	err = r.Index.View(func(v *jobindex.View) error {
		s.Jobs = v.Len()
		return nil
	})
	s.Attention = attention(o, !r.Index.Stale().IsZero(), len(r.Trusting()) > 0)
	return s, err
}

// attention lists the problems that need a person.
func attention(o *api.Operations, stale, trusting bool) []string {
	all := []string{}
	add := func(word string, is bool) {
		if is {
			all = append(all, word)
		}
	}
	add("database", stale)
	add("watch", slices.ContainsFunc(o.Watches, func(w api.Watch) bool { return w.Phase != "watching" && w.Phase != "listing" }))
	add("cursor", slices.ContainsFunc(o.Cursors, func(c api.Cursor) bool { return !c.Expired.IsZero() }))
	add("channel", slices.ContainsFunc(o.Channels, func(c api.ChannelState) bool { return c.State != "works" }))
	add("dead letters", o.Dead.N > 0)
	add("namespace names", trusting)
	add("gap", slices.ContainsFunc(o.Gaps, func(g api.Gap) bool { return !g.Closed }))
	return all
}

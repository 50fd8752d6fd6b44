package notify

import (
	"context"
	"log/slog"
	"time"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Preview returns the messages that the rules of a file would have sent about the
// transitions between two times, as if the notifier had run. It opens no channel, sends
// nothing, and needs read access only. It applies digests, quiet hours and flap limits. It
// does not apply mutes, escalations, acknowledgments, or timers that read the content of
// objects. It reads every transition of the period.
//
// If progress is not nil, Preview calls it with the number of transitions so far.
//
// Errors: those of the database.
func Preview(ctx context.Context, db *sqldb.DB, file *config.Config, since, until time.Time, progress func(transitions int)) (*Forecast, error) {
	p := newPreview(db, file, since, until)
	if err := p.subscribed.refresh(ctx, db, until); err != nil {
		return nil, db.Explain(err)
	}
	if p.setup.needsUsual() {
		if err := p.usual.compute(ctx, until); err != nil {
			return nil, err
		}
	}
	filter := history.Filter{Since: since, Until: until}
	paging := history.Paging{Limit: 1000, Order: history.OldestFirst}
	for {
		page, err := p.history.ListTransitions(ctx, filter, paging)
		if err == nil {
			err = p.page(ctx, page.Items)
		}
		if err != nil {
			return nil, err
		}
		if progress != nil {
			progress(p.forecast.Transitions)
		}
		if paging.After = page.Next; page.Next == "" {
			break
		}
	}
	return p.end(ctx)
}

// preview runs the rules over the history.
type preview struct {
	setup      *setup
	history    *history.History
	usual      *usual
	timers     *timers
	matcher    *matcher
	owners     *owners
	tally      *tally
	subscribed subscriptions
	forecast   *Forecast
	running    map[timerOf]feed.Transition // the transitions that began states with a timer
}

// timerOf is a timer of an object.
type timerOf struct {
	rule   *rule.Rule
	object int64
}

// digestKinds are the kinds of channels that prefer digests. A preview needs the list
// because it opens no channels.
var digestKinds = map[string]bool{"dingtalk": true}

func newPreview(db *sqldb.DB, file *config.Config, since, until time.Time) *preview {
	waits := map[string]bool{}
	for name, c := range file.Channels {
		waits[name] = digestKinds[c.Kind]
	}
	s, h := newSetup(file, waits), history.New(db)
	u := newUsual(db, func() time.Time { return until })
	f := &Forecast{Since: since, Until: until, Unknown: map[string]int{}}
	p := &preview{
		setup: s, history: h, usual: u, timers: &timers{history: h, usual: u}, owners: newOwners(s, h), tally: newTally(s), forecast: f, running: map[timerOf]feed.Transition{},
		matcher: &matcher{
			history: h, counts: &counters{}, facts: noFacts{}, once: &once{logger: func() *slog.Logger { return slog.New(slog.DiscardHandler) }}, tries: map[feed.Position]int{},
			unknown: func(owner string) {
				if f.Unknown[owner] > 0 || len(f.Unknown) < maxOnce {
					f.Unknown[owner]++
				}
			},
		},
	}
	for _, r := range s.timers {
		if r.Timer.Kind == rule.NearDeadline || r.Timer.Kind == rule.NoProgress {
			f.Skipped = append(f.Skipped, r.Name)
		}
	}
	for _, r := range s.file.Rules.Rules() {
		if r.ReadsNode() && r.Timer == nil {
			f.Skipped = append(f.Skipped, r.Name)
		}
	}
	return p
}

// noFacts leaves notices unchanged: a preview mostly shows numbers.
type noFacts struct{}

// Fill implements Facts.
func (noFacts) Fill(context.Context, *message.Notice, feed.Object) error { return nil }

// page counts the messages for some transitions.
func (p *preview) page(ctx context.Context, some []history.Change) error {
	var ids []int64
	for i := range some {
		ids = append(ids, some[i].Object.ID)
	}
	labels, err := p.history.Labels(ctx, ids)
	if err != nil {
		return err
	}
	clear(p.owners.known) // it would grow without a limit
	for i := range some {
		t := feedTransition(feedObject(&some[i].Object, labels[some[i].Object.ID]), &some[i].Transition)
		if err := p.transition(ctx, &t); err != nil {
			return err
		}
	}
	p.forecast.Transitions += len(some)
	return nil
}

func (p *preview) transition(ctx context.Context, t *feed.Transition) error {
	all, err := p.matcher.transition(ctx, p.setup, p.owners, p.subscribed.match(t, t.Seen), t)
	if err != nil {
		return err
	}
	for _, w := range all {
		if err := p.tally.add(w, t.Seen); err != nil {
			return err
		}
	}
	for _, r := range p.setup.timers {
		if err := p.lasts(ctx, r, t); err != nil {
			return err
		}
	}
	return nil
}

// lasts tracks the states that a timer watches.
func (p *preview) lasts(ctx context.Context, r *rule.Rule, t *feed.Transition) error {
	if r.Timer.Kind == rule.NearDeadline || r.Timer.Kind == rule.NoProgress {
		return nil
	}
	in, of := inputOf(t, ""), timerOf{r, t.Object.ID}
	start, runs := p.running[of]
	switch counts := r.Timer.Counts(&in); {
	case runs && !counts:
		delete(p.running, of)
		return p.fire(ctx, r, &start, t.Happened)
	case !runs && counts && r.Timer.Starts(&in):
		p.running[of] = *t
	}
	return nil
}

// fire counts the messages of a timer, if the state lasted until it fired.
func (p *preview) fire(ctx context.Context, r *rule.Rule, start *feed.Transition, until time.Time) error {
	least := p.timers.least(r.Timer, start.Object.Queue)
	due := start.Happened.Add(least)
	if due.After(until) || least == 0 {
		return nil
	}
	names, err := p.owners.of(ctx, &start.Object)
	if err := p.matcher.tolerate(ctx, start, err); err != nil {
		return err
	}
	in := inputOf(start, first(names))
	in.Existing = false
	if matches, err := r.Matches(&in); !matches {
		if err != nil {
			p.matcher.failed(r, err)
		}
		return nil
	}
	for _, to := range p.matcher.route(p.setup, r, r.To, namedBy(&start.Object, names)) {
		w := &want{subject: timerSubject(r, start).key(r.ID()), rule: r, to: to, object: start.Object.ID, notice: noticeOf(start, first(names))}
		w.notice.Kind = timerKinds[r.Timer.Kind]
		if err := p.tally.add(w, due); err != nil {
			return err
		}
	}
	return nil
}

// end counts the timers of states that have not ended, and returns the forecast.
func (p *preview) end(ctx context.Context) (*Forecast, error) {
	for of, start := range p.running {
		if err := p.fire(ctx, of.rule, &start, p.forecast.Until); err != nil {
			return nil, err
		}
	}
	p.forecast.Receivers, p.forecast.RuleErrors = p.tally.sorted(), int(p.matcher.counts.ruleErrors.Load())
	return p.forecast, nil
}

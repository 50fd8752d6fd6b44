package notify

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/notify/delivery"
	"github.com/vedette-io/vedette/notify/rule"
	"github.com/vedette-io/vedette/record/feed"
	"github.com/vedette-io/vedette/record/history"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/state"
)

// scanAtOnce is the maximum number of objects that one round of a scan reads.
const scanAtOnce = 200

// scan sets the timers of new or changed rules for the objects that are already in the
// states of those rules. All other timers are set from the feed.
type scan struct {
	db      *sqldb.DB
	matcher *matcher
	timers  *timers
	done    map[string]string // definitions of the scanned rules, by rule ID
}

// scanMark is the progress of a scan as the database stores it: the definition of the
// rule, whether the rule was new or changed, and the cursor of the next page or "done".
type scanMark struct{ definition, since, cursor string }

const (
	scanDone    = "done"
	ruleNew     = "new"     // no messages for overdue timers, unless the rule covers existing objects
	ruleChanged = "changed" // timers that are overdue by the new definition fire
)

func parseScanMark(text string) scanMark {
	parts := strings.SplitN(text, " ", 3)
	if len(parts) != 3 {
		return scanMark{}
	}
	return scanMark{parts[0], parts[1], parts[2]}
}

func (m scanMark) String() string { return m.definition + " " + m.since + " " + m.cursor }

// next reads the next page of objects of one rule, if a rule is not scanned completely.
func (s *scan) next(ctx context.Context, r *round) error {
	for _, one := range r.setup.timers {
		definition := definitionOf(one)
		if s.done[one.ID()] == definition {
			continue
		}
		name := delivery.TimerMark(one.ID())
		text, err := delivery.Mark(ctx, s.db, name)
		if err != nil {
			return s.db.Explain(err)
		}
		mark := parseScanMark(text)
		switch {
		case mark.definition == "":
			mark = scanMark{definition, ruleNew, ""}
		case mark.definition != definition:
			mark = scanMark{definition, ruleChanged, ""}
		case mark.cursor == scanDone:
			s.done[one.ID()] = definition
			continue
		}
		if err := s.page(ctx, r, one, &mark); err != nil {
			return err
		}
		r.marks[name] = mark.String()
		return nil
	}
	return nil
}

// page reads one page of the objects that may be in the states of a timer.
func (s *scan) page(ctx context.Context, r *round, one *rule.Rule, mark *scanMark) error {
	states := history.Filter{States: statesOf(one.Timer)}
	page, err := s.timers.history.ListObjects(ctx, states, history.Paging{After: history.Cursor(mark.cursor), Limit: scanAtOnce, Order: history.OldestFirst})
	if err != nil {
		return err
	}
	var ids []int64
	for _, o := range page.Items {
		ids = append(ids, o.ID)
	}
	labels, err := s.timers.history.Labels(ctx, ids)
	if err != nil {
		return err
	}
	for i := range page.Items {
		if o := &page.Items[i]; o.Presence == history.Present {
			if err := s.object(ctx, r, one, feedObject(o, labels[o.ID]), mark.since == ruleNew); err != nil {
				return err
			}
		}
	}
	if mark.cursor = string(page.Next); page.Next == "" {
		mark.cursor = scanDone
	}
	return nil
}

// object sets the timer of one object.
func (s *scan) object(ctx context.Context, r *round, one *rule.Rule, o feed.Object, isNew bool) error {
	start, counts, err := runOf(ctx, s.timers.history, one.Timer, o)
	if err != nil || !counts {
		return err
	}
	in := inputOf(&start, o.Submitter)
	in.Existing = false
	matches, err := one.Matches(&in)
	if err != nil {
		s.matcher.failed(one, err)
	}
	t := s.timers.start(one, &start)
	overdue := !t.Due.After(r.now) && one.Timer.Kind != rule.NearDeadline && one.Timer.Kind != rule.NoProgress
	if matches && (!isNew || !overdue || one.Existing) {
		r.set, r.advanced = append(r.set, t), append(r.advanced, t)
	}
	return nil
}

// statesOf returns the states that may count for a timer.
func statesOf(t *rule.Timer) []state.State {
	switch t.Kind {
	case rule.Waits, rule.WaitsLongerThanUsual:
		return []state.State{state.Submitted, state.Queued, state.Suspended}
	case rule.NearDeadline:
		return []state.State{state.Submitted, state.Queued, state.Suspended, state.Starting, state.Running, state.Restarting}
	}
	return []state.State{state.Running, state.Restarting}
}

// definitionOf returns a hash of everything that determines which objects have a timer of
// a rule, and when it is due.
func definitionOf(r *rule.Rule) string {
	var when, labels string
	if r.When != nil {
		when = r.When.String()
	}
	if r.Labels != nil {
		labels = r.Labels.String()
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%v %v %q %q %q %q %q %q %q", r.Timer.Kind, r.Timer.After, r.Timer.Signals, r.Types, r.Clusters, r.Namespaces, r.Queues, labels, when))
	return hex.EncodeToString(hash[:8])
}

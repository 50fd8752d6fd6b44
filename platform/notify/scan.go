package notify

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/rule"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// scanAtOnce is the maximum number of objects that one round of a scan reads.
const scanAtOnce = 200

// scan sets the timers of rules for the objects that are already in the states of those
// rules: of new and changed rules, and of all rules after a planner with other rules has
// planned, which has set no timers of the rules that it lacked. All other timers are set from
// the feed.
type scan struct {
	db      *sqldb.DB
	matcher *matcher
	timers  *timers
	done    map[string]scanned // by rule ID
}

// scanned is a rule that was scanned completely, while the planned rules had some changes.
type scanned struct {
	definition string
	changes    int64
}

// scanMark is the progress of a scan as the database stores it.
type scanMark struct {
	definition string // of the rule
	since      string // whether the rule was new or changed
	begun      int64  // when the first scan of this definition began, in microseconds
	changes    int64  // of the planned rules when this scan began
	cursor     string // of the next page, or "done"
}

const (
	scanDone    = "done"
	ruleNew     = "new"     // no messages for timers of older states that are overdue, unless the rule covers existing objects
	ruleChanged = "changed" // timers that are overdue by the new definition fire
)

// parseScanMark parses the content of a mark. A damaged mark is that of no rule.
func parseScanMark(text string) scanMark {
	parts := strings.SplitN(text, " ", 5)
	if len(parts) != 5 {
		return scanMark{}
	}
	begun, err := strconv.ParseInt(parts[2], 10, 64)
	changes, failed := strconv.ParseInt(parts[3], 10, 64)
	if err != nil || failed != nil {
		return scanMark{}
	}
	return scanMark{parts[0], parts[1], begun, changes, parts[4]}
}

func (m scanMark) String() string {
	return fmt.Sprintf("%s %s %d %d %s", m.definition, m.since, m.begun, m.changes, m.cursor)
}

// next reads the next page of objects of one rule, if a rule is not scanned completely. It
// reads nothing while other rules are planned, because their planner may plan at the same time:
// the transaction of the round replaces them, and scans begin after it.
func (s *scan) next(ctx context.Context, r *round) error {
	planned, err := delivery.ReadPlannedRules(ctx, s.db)
	if err != nil || planned.Hash != r.setup.timersHash {
		return s.db.Explain(err)
	}
	for _, one := range r.setup.timers {
		definition := definitionOf(one)
		if s.done[one.ID()] == (scanned{definition, planned.Changes}) {
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
			mark = scanMark{definition, ruleNew, r.now.UnixMicro(), planned.Changes, ""}
		case mark.definition != definition:
			mark = scanMark{definition, ruleChanged, r.now.UnixMicro(), planned.Changes, ""}
		case mark.changes != planned.Changes:
			mark.changes, mark.cursor = planned.Changes, ""
		case mark.cursor == scanDone:
			s.done[one.ID()] = scanned{definition, planned.Changes}
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
			if err := s.object(ctx, r, one, feedObject(o, labels[o.ID]), mark); err != nil {
				return err
			}
		}
	}
	if mark.cursor = string(page.Next); page.Next == "" {
		mark.cursor = scanDone
	}
	return nil
}

// object sets the timer of one object. A timer that exists stays.
func (s *scan) object(ctx context.Context, r *round, one *rule.Rule, o feed.Object, mark *scanMark) error {
	start, counts, err := runOf(ctx, s.timers.history, one.Timer, o)
	if err != nil || !counts {
		return err
	}
	in := inputOf(&start, o.Submitter)
	older := in.Existing || start.Seen.UnixMicro() < mark.begun // the rule was new when the state was seen
	in.Existing = false
	matches, err := one.Matches(&in)
	if err != nil {
		s.matcher.failed(one, err)
	}
	t := s.timers.start(one, &start)
	overdue := !t.Due.After(r.now) && one.Timer.Kind != rule.NearDeadline && one.Timer.Kind != rule.NoProgress
	if matches && (mark.since == ruleChanged || !older || !overdue || one.Existing) {
		r.set, r.advanced = append(r.set, t), append(r.advanced, t)
	}
	return nil
}

// statesOf returns the states that may count for a timer.
func statesOf(t *rule.Timer) []job.State {
	switch t.Kind {
	case rule.Waits, rule.WaitsLongerThanUsual:
		return slices.DeleteFunc(job.States(), func(s job.State) bool { return !s.BeforeStart() })
	case rule.NearDeadline:
		return job.OpenStates()
	}
	return []job.State{job.Running, job.Restarting}
}

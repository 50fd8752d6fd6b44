package notify

import (
	"context"
	"sync"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// matcher finds the messages that rules and subscriptions cause.
type matcher struct {
	history *history.History
	counts  *counters
	facts   Facts
	once    *once
	unknown func(owner string) // called for owners who are not in the table of people; may be nil

	mu    sync.Mutex
	tries map[feed.Position]int // number of failed attempts to read the facts of a transition
}

// Facts adds the known facts about a job to a notice. Unknown facts stay empty.
// *facts.Reader implements it.
type Facts interface {
	Fill(ctx context.Context, n *message.Notice, of feed.Object) error
}

// maxTries is the maximum number of attempts to read the facts of one transition.
// Unreadable data, such as a damaged body, must not block all messages.
const maxTries = 3

// tolerate returns err, so that the batch is prepared again, or nil after maxTries
// attempts.
func (m *matcher) tolerate(ctx context.Context, t *feed.Transition, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	m.mu.Lock()
	m.tries[t.Position]++
	again := m.tries[t.Position] < maxTries
	m.mu.Unlock()
	if again {
		return err
	}
	m.once.log("facts", "facts about a job cannot be read; its message lacks them", "job", t.Object.Name, "uid", t.Object.UID, "err", faultlog.Text(err))
	return nil
}

// settled clears the counts of failed attempts after a batch was handled.
func (m *matcher) settled() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.tries)
}

// transition returns the messages for a transition. Several goroutines may call it.
func (m *matcher) transition(ctx context.Context, s *setup, o *owners, subscribed []config.Receiver, t *feed.Transition) ([]*want, error) {
	names, err := o.cheap(ctx, &t.Object)
	if err := m.tolerate(ctx, t, err); err != nil {
		return nil, err
	}
	in := inputOf(t, first(names))
	if s.readsNode {
		if in.Object.Node, err = m.node(ctx, t); err != nil {
			return nil, err
		}
	}
	var all []*want
	for _, r := range s.file.Rules.Match(nil, &in, m.failed) {
		if r.Timer != nil {
			continue
		}
		names, err := o.of(ctx, &t.Object)
		if err := m.tolerate(ctx, t, err); err != nil {
			return nil, err
		}
		some, err := m.wants(ctx, s, r, t, names)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	for _, to := range subscribed {
		if t.Source != feed.Listed && !hasReceiver(all, &to) {
			all = append(all, m.want(subscriptionRule, to, t))
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	names, err = o.of(ctx, &t.Object)
	if err := m.tolerate(ctx, t, err); err != nil {
		return nil, err
	}
	return all, m.describe(ctx, all, t, noticeOf(t, first(names)))
}

// node returns the node of the pod that ended first, or "". Only rules that read it cause the
// queries of this function.
func (m *matcher) node(ctx context.Context, t *feed.Transition) (string, error) {
	n := noticeOf(t, "")
	if n.Kind != message.Failed && n.Kind != message.Restarted && n.Kind != message.Aborted {
		return "", nil
	}
	err := m.tolerate(ctx, t, m.facts.Fill(ctx, n, t.Object))
	return n.Cause.Node, err
}

// wants returns the messages of one rule, still without their notices.
func (m *matcher) wants(ctx context.Context, s *setup, r *rule.Rule, t *feed.Transition, names []string) (all []*want, err error) {
	flaps := false
	if r.Flap != nil {
		if flaps, err = m.flaps(ctx, r, t); err != nil {
			return nil, err
		}
	}
	for _, to := range m.route(s, r, r.To, namedBy(&t.Object, names)) {
		w := m.want(r, to, t)
		w.flaps = flaps
		all = append(all, w)
	}
	return all, nil
}

func (m *matcher) want(r *rule.Rule, to config.Receiver, t *feed.Transition) *want {
	what := string(t.To)
	if what == "" {
		what = "unknown"
	}
	subject := subject{t.Object.Cluster, t.Object.UID, t.Version, what}
	return &want{subject: subject.key(r.ID()), rule: r, to: to, object: t.Object.ID, position: int64(t.Position)}
}

// route returns the receivers of a rule. It counts owners who are not in the table
// of people, and logs each of them once.
func (m *matcher) route(s *setup, r *rule.Rule, targets []rule.Target, named config.Named) []config.Receiver {
	all, unknown := s.file.Receivers(targets, r.Fallback, named)
	for _, name := range unknown {
		m.counts.unknown.Add(1)
		if m.unknown != nil {
			m.unknown(name)
		}
		m.once.log("owner "+name+" "+named.Namespace, "a job names an owner that is not in the table of people, or a channel that it may not name; add the name, named-by-jobs to the channel, or a fallback to the rule", "namespace", named.Namespace, "owner", faultlog.Text(textError(name)), "rule", r.Name)
	}
	return all
}

// namedBy returns the owners that an object names.
func namedBy(o *feed.Object, owners []string) config.Named {
	return config.Named{Cluster: o.Cluster, Namespace: o.Namespace, Owners: owners}
}

// describe sets the notice of all messages of a transition.
func (m *matcher) describe(ctx context.Context, all []*want, t *feed.Transition, n *message.Notice) error {
	if err := m.tolerate(ctx, t, m.facts.Fill(ctx, n, t.Object)); err != nil {
		return err
	}
	about := aboutOf(t, n)
	for _, w := range all {
		w.notice, w.about = n, about
	}
	return nil
}

// flaps reports whether a rule has reached its limit of messages about an object within
// its window. It counts the recorded transitions up to t.
func (m *matcher) flaps(ctx context.Context, r *rule.Rule, t *feed.Transition) (bool, error) {
	n := 0
	list := func(ctx context.Context, p history.Paging) (history.Page[history.Transition], error) {
		return m.history.Transitions(ctx, t.Object.ID, p)
	}
	for one, err := range history.All(ctx, history.Paging{}, list) {
		if err != nil {
			return false, err
		}
		if one.Version >= t.Version {
			continue
		}
		if t.Happened.Sub(one.Happened) > r.Flap.Within {
			return false, nil
		}
		before := feedTransition(t.Object, &one)
		in := inputOf(&before, "")
		matches, err := r.Matches(&in)
		if matches || err != nil {
			n++
		}
		if n >= r.Flap.Changes {
			return true, nil
		}
	}
	return false, nil
}

// failed counts and logs a condition that cannot be evaluated. The rule does not match.
func (m *matcher) failed(r *rule.Rule, err error) {
	m.counts.ruleErrors.Add(1)
	m.once.log("rule "+r.Name, "the condition of a rule cannot be evaluated, so the rule does not match", "rule", r.Name, "at", r.At, "err", faultlog.Text(err))
}

func hasReceiver(all []*want, r *config.Receiver) bool {
	for _, w := range all {
		if w.to.Channel == r.Channel && w.to.Address == r.Address {
			return true
		}
	}
	return false
}

// textError is a foreign text as an error, so that faultlog.Text can make it fit for a
// log.
type textError string

func (e textError) Error() string { return string(e) }

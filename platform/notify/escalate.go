package notify

import (
	"context"
	"encoding/json"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
)

// escalationsAtOnce is the maximum number of messages that one round escalates.
const escalationsAtOnce = 200

// escalator finds the receivers for messages that nobody acknowledged.
type escalator struct {
	history *history.History
	matcher *matcher
}

// check adds the escalations of some deliveries to a round.
func (e *escalator) check(ctx context.Context, r *round, due []delivery.Delivery) error {
	var ids []int64
	for i := range due {
		ids = append(ids, due[i].Object)
	}
	if len(ids) == 0 {
		return nil
	}
	objects, labels, err := objectsOf(ctx, e.history, ids)
	if err != nil {
		return err
	}
	for i := range due {
		one := escalation{id: due[i].ID}
		if o := objects[due[i].Object]; o != nil {
			if one.wants, err = e.wants(ctx, r, &due[i], feedObject(o, labels[o.ID])); err != nil {
				return err
			}
		}
		r.escalations = append(r.escalations, one)
	}
	return nil
}

// wants returns the messages that escalate a delivery. It returns none if the rule of the
// delivery no longer exists, or if the job has left the state.
func (e *escalator) wants(ctx context.Context, r *round, d *delivery.Delivery, o feed.Object) (all []*want, err error) {
	with := ruleNamed(r.setup, d.Rule)
	n := &message.Notice{}
	if with == nil || with.Escalate == nil || json.Unmarshal(d.Event, n) != nil {
		return nil, nil
	}
	begun, lasts, err := e.state(ctx, with, o)
	if err != nil || !lasts || uint64(begun.Version) != n.Version {
		return nil, err
	}
	told := d.Person
	if told == "" {
		told = d.Receiver
	}
	sent := d.SentAt
	if sent.IsZero() {
		sent = d.CreatedAt
	}
	notice := &message.Notice{
		Kind: message.Escalation, Job: n.Job, Version: n.Version, From: n.From, To: n.To, Reason: n.Reason, Happened: n.Happened, Seen: n.Seen, Late: n.Late,
		Escalated: &message.Escalated{Notice: n, Age: elapsed(r.now, sent), Told: told, At: d.SentAt, Channel: d.Channel},
	}
	named := config.Named{Cluster: n.Job.Cluster, Namespace: n.Job.Namespace}
	if n.Job.Owner != "" {
		named.Owners = []string{n.Job.Owner}
	}
	for _, to := range e.matcher.route(r.setup, with, with.Escalate.To, named) {
		all = append(all, &want{subject: d.Key, rule: with, to: to, notice: notice, object: d.Object, position: d.Position, reminds: true, about: aboutOf(&begun, n)})
	}
	return all, nil
}

// state returns the transition that began the state a rule is about. It returns false if
// the job is not in such a state.
func (e *escalator) state(ctx context.Context, r *rule.Rule, o feed.Object) (feed.Transition, bool, error) {
	if r.Timer != nil {
		return runOf(ctx, e.history, r.Timer, o)
	}
	return entered(ctx, e.history, o)
}

// ruleNamed returns the rule with a name, or nil if the file has no such rule.
func ruleNamed(s *setup, name string) *rule.Rule {
	for _, r := range s.file.Rules.Rules() {
		if r.Name == name {
			return r
		}
	}
	return nil
}

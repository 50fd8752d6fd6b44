package notify

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// resolves returns the messages that close the alerts of an object whose state a
// transition leaves.
func resolves(ctx context.Context, q sqldb.Querier, s *setup, t *feed.Transition) (all []*want, err error) {
	for _, channel := range slices.Sorted(maps.Keys(s.alerting)) {
		sent, err := delivery.List(ctx, q, delivery.Filter{Channel: channel, Object: t.Object.ID})
		if err != nil {
			return nil, err
		}
		for i := range sent {
			if w := resolve(s, &sent[i], t); w != nil {
				all = append(all, w)
			}
		}
	}
	return all, nil
}

// unsent are the final states of messages that no channel got, so that no alert is open.
var unsent = []delivery.State{delivery.Superseded, delivery.Dropped, delivery.Silenced}

// resolve returns the message that closes the alert of a delivery, or nil if no alert is
// open.
func resolve(s *setup, d *delivery.Delivery, t *feed.Transition) *want {
	n := &message.Notice{}
	if strings.HasSuffix(d.Key, resolved) || slices.Contains(unsent, d.State) || json.Unmarshal(d.Event, n) != nil {
		return nil
	}
	about := n
	if n.Escalated != nil && n.Escalated.Notice != nil {
		about = n.Escalated.Notice
	}
	with := ruleNamed(s, d.Rule)
	if about.Version == 0 || about.Version >= uint64(t.Version) || stays(with, about, t) {
		return nil
	}
	if with == nil {
		with = &rule.Rule{Name: d.Rule}
	}
	n.Resolve = true
	return &want{
		subject: d.Key, resolves: true, unopened: d.State == delivery.Held, rule: with, notice: n, object: d.Object, position: int64(t.Position),
		to: config.Receiver{Channel: d.Channel, Address: d.Receiver, Person: d.Person, Role: d.Role},
	}
}

// stays reports whether an object is still in the state of a message after a transition.
func stays(r *rule.Rule, n *message.Notice, t *feed.Transition) bool {
	if n.Timer == nil || r == nil || r.Timer == nil {
		return n.To == t.To
	}
	in := inputOf(t, "")
	return r.Timer.Counts(&in)
}

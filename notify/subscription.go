package notify

import (
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/notify/config"
	"github.com/vedette-io/vedette/notify/delivery"
	"github.com/vedette-io/vedette/notify/rule"
	"github.com/vedette-io/vedette/record/feed"
	"github.com/vedette-io/vedette/record/sqldb"
)

// subscriptionRule is the rule of all messages of subscriptions.
var subscriptionRule = &rule.Rule{Name: "subscription", Now: true}

// subscriberRole is the role of the receiver of a subscription.
const subscriberRole = "subscriber"

// subscriptionsEvery is the minimum interval between two reads of the subscriptions.
const subscriptionsEvery = time.Second

// subscriber is a subscription with its parsed selector.
type subscriber struct {
	delivery.Subscription
	selector labels.Selector
	states   []string // none means all
}

// subscriptions are the subscriptions in the database, at most a second old. They belong
// to the planner.
type subscriptions struct {
	byUID  map[string][]*subscriber
	others []*subscriber
	readAt time.Time
}

// refresh reads the subscriptions unless they were read recently.
func (s *subscriptions) refresh(ctx context.Context, q sqldb.Querier, now time.Time) error {
	if !s.readAt.IsZero() && now.Sub(s.readAt) < subscriptionsEvery && !now.Before(s.readAt) {
		return nil
	}
	all, err := delivery.Subscriptions(ctx, q, "")
	if err != nil {
		return err
	}
	s.byUID, s.others, s.readAt = map[string][]*subscriber{}, nil, now
	for _, one := range all {
		b := &subscriber{Subscription: one}
		if b.selector, err = labels.Parse(one.Labels); err != nil || one.VerifiedAt.IsZero() {
			continue // a selector that cannot be parsed selects nothing
		}
		for state := range strings.SplitSeq(one.States, ",") {
			if state = strings.TrimSpace(state); state != "" {
				b.states = append(b.states, state)
			}
		}
		if one.UID != "" {
			s.byUID[one.UID] = append(s.byUID[one.UID], b)
		} else {
			s.others = append(s.others, b)
		}
	}
	return nil
}

// match returns the receivers with a subscription for a transition.
func (s *subscriptions) match(t *feed.Transition, now time.Time) (all []config.Receiver) {
	for _, some := range [][]*subscriber{s.byUID[t.Object.UID], s.others} {
		for _, b := range some {
			if b.wants(t, now) {
				all = append(all, config.Receiver{Channel: b.Channel, Address: b.Address, Person: b.Person, Role: subscriberRole})
			}
		}
	}
	return all
}

// wants reports whether a subscription selects a transition. Without a type and a name it
// selects only jobs, and no objects that are controlled by a job.
func (b *subscriber) wants(t *feed.Transition, now time.Time) bool {
	o := &t.Object
	same := func(selected, value string) bool { return selected == "" || selected == value }
	broad := b.Type == "" && b.Name == "" && b.UID == ""
	return !now.Before(b.MutedUntil) && (!broad || o.Owner.Kind == "") &&
		(same(b.Cluster, o.Cluster) || same(b.Cluster, o.ClusterUID)) && same(b.Type, o.Type.String()) &&
		same(b.Namespace, o.Namespace) && same(b.Name, o.Name) && same(b.UID, o.UID) &&
		(len(b.states) == 0 && t.From != t.To || slices.Contains(b.states, string(t.To))) && b.selector.Matches(labels.Set(o.Labels))
}

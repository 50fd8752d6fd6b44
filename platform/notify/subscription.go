package notify

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

	"github.com/vedette-io/vedette/platform/feed"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/rule"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// subscriptionRule is the rule of all messages of subscriptions.
var subscriptionRule = &rule.Rule{Name: "subscription", Now: true}

// subscriberRole is the role of the receiver of a subscription.
const subscriberRole = "subscriber"

// Intervals of the planner.
const (
	// subscriptionsEvery is the minimum interval between two checks for changes.
	subscriptionsEvery = time.Second
	// rereadEvery is the maximum age of the subscriptions: somebody may have changed rows by
	// hand.
	rereadEvery = 10 * time.Minute
)

// subscriber is a subscription with its parsed selector.
type subscriber struct {
	delivery.Subscription
	selector labels.Selector
	states   []string // none means all
}

// property is a property that an object must have for a subscription. The zero value is the
// property of every object.
type property struct{ kind, value string }

// Kinds of properties, the most selective first. For a label, the kind contains its name.
const (
	propertyUID       = "uid"
	propertyName      = "name"
	propertyLabel     = "label "
	propertyNamespace = "namespace"
)

// subscriptions are the subscriptions in the database, at most a second old. They belong
// to the planner. The zero value is empty.
type subscriptions struct {
	all   map[int64]*subscriber
	index map[property][]*subscriber // each subscriber once, by its most selective property

	changes           int64 // that have been read
	checkedAt, readAt time.Time
}

// refresh reads the subscriptions that have changed, unless it did so recently. It reads all of
// them at first, after too many changes, and every 10 minutes.
func (s *subscriptions) refresh(ctx context.Context, q sqldb.Querier, now time.Time) error {
	if !s.checkedAt.IsZero() && now.Sub(s.checkedAt) < subscriptionsEvery && !now.Before(s.checkedAt) {
		return nil
	}
	changes, err := delivery.ReadSubscriptionChanges(ctx, q)
	if err != nil {
		return err
	}
	changed, listed := changes.Since(s.changes)
	if s.readAt.IsZero() || !listed || now.Sub(s.readAt) >= rereadEvery || now.Before(s.readAt) {
		all, err := delivery.Subscriptions(ctx, q, "")
		if err != nil {
			return err
		}
		*s = subscriptions{readAt: now}
		s.addAll(all)
	} else if len(changed) > 0 {
		all, err := delivery.SubscriptionsOf(ctx, q, changed)
		if err != nil {
			return err
		}
		for _, id := range changed {
			s.remove(id)
		}
		s.addAll(all)
	}
	s.changes, s.checkedAt = changes.Count, now
	return nil
}

func (s *subscriptions) addAll(all []delivery.Subscription) {
	for i := range all {
		s.add(&all[i])
	}
}

// add adds a subscription. A selector that cannot be parsed selects nothing.
func (s *subscriptions) add(one *delivery.Subscription) {
	b := &subscriber{Subscription: *one}
	var err error
	if b.selector, err = labels.Parse(one.Labels); err != nil || one.VerifiedAt.IsZero() {
		return
	}
	for state := range strings.SplitSeq(one.States, ",") {
		if state = strings.TrimSpace(state); state != "" {
			b.states = append(b.states, state)
		}
	}
	if s.all == nil {
		s.all, s.index = map[int64]*subscriber{}, map[property][]*subscriber{}
	}
	key := b.property()
	s.all[b.ID], s.index[key] = b, append(s.index[key], b)
}

// remove removes a subscription.
func (s *subscriptions) remove(id int64) {
	b := s.all[id]
	if b == nil {
		return
	}
	delete(s.all, id)
	key := b.property()
	if s.index[key] = slices.DeleteFunc(s.index[key], func(o *subscriber) bool { return o == b }); len(s.index[key]) == 0 {
		delete(s.index, key)
	}
}

// property returns the most selective property that a subscription requires of an object.
func (b *subscriber) property() property {
	label, value, labeled := requiredLabel(b.selector)
	switch {
	case b.UID != "":
		return property{propertyUID, b.UID}
	case b.Name != "":
		return property{propertyName, b.Name}
	case labeled:
		return property{propertyLabel + label, value}
	case b.Namespace != "":
		return property{propertyNamespace, b.Namespace}
	}
	return property{}
}

// requiredLabel returns a label that all selected objects have.
func requiredLabel(s labels.Selector) (name, value string, found bool) {
	all, _ := s.Requirements()
	for i := range all {
		if r := &all[i]; r.Operator() == selection.Equals || r.Operator() == selection.DoubleEquals || r.Operator() == selection.In && r.Values().Len() == 1 {
			return r.Key(), r.Values().List()[0], true
		}
	}
	return "", "", false
}

// match returns the receivers with a subscription for a transition, in the order of the
// subscriptions.
func (s *subscriptions) match(t *feed.Transition, now time.Time) (all []config.Receiver) {
	o := &t.Object
	has := []property{{}, {propertyUID, o.UID}, {propertyName, o.Name}, {propertyNamespace, o.Namespace}}
	for name, value := range o.Labels {
		has = append(has, property{propertyLabel + name, value})
	}
	var found []*subscriber
	for _, key := range has {
		for _, b := range s.index[key] {
			if b.wants(t, now) {
				found = append(found, b)
			}
		}
	}
	slices.SortFunc(found, func(a, b *subscriber) int { return cmp.Compare(a.ID, b.ID) })
	for _, b := range found {
		all = append(all, config.Receiver{Channel: b.Channel, Address: b.Address, Person: b.Person, Role: subscriberRole})
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

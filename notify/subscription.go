package notify

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/selection"

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

// subscriptions are the subscriptions in the database, at most a second old. They belong
// to the planner.
type subscriptions struct {
	// Each subscription is in one index, by the most selective property that it requires of
	// an object: its UID, its name, a label, its namespace.
	byUID, byName, byLabel, byNamespace map[string][]*subscriber
	others                              []*subscriber

	version           string
	checkedAt, readAt time.Time
}

// refresh reads the subscriptions if they have changed, unless it did so recently.
func (s *subscriptions) refresh(ctx context.Context, q sqldb.Querier, now time.Time) error {
	if !s.checkedAt.IsZero() && now.Sub(s.checkedAt) < subscriptionsEvery && !now.Before(s.checkedAt) {
		return nil
	}
	version, err := delivery.SubscriptionsVersion(ctx, q) // before the rows: a later change has another version
	if err != nil {
		return err
	}
	if s.checkedAt = now; !s.readAt.IsZero() && version == s.version && now.Sub(s.readAt) < rereadEvery && !now.Before(s.readAt) {
		return nil
	}
	all, err := delivery.Subscriptions(ctx, q, "")
	if err != nil {
		return err
	}
	*s = subscriptions{
		byUID: map[string][]*subscriber{}, byName: map[string][]*subscriber{}, byLabel: map[string][]*subscriber{}, byNamespace: map[string][]*subscriber{},
		version: version, checkedAt: now, readAt: now,
	}
	for i := range all {
		s.add(&all[i])
	}
	return nil
}

// add puts a subscription into its index. A selector that cannot be parsed selects nothing.
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
	label, labeled := requiredLabel(b.selector)
	switch {
	case one.UID != "":
		s.byUID[one.UID] = append(s.byUID[one.UID], b)
	case one.Name != "":
		s.byName[one.Name] = append(s.byName[one.Name], b)
	case labeled:
		s.byLabel[label] = append(s.byLabel[label], b)
	case one.Namespace != "":
		s.byNamespace[one.Namespace] = append(s.byNamespace[one.Namespace], b)
	default:
		s.others = append(s.others, b)
	}
}

// requiredLabel returns a label, "key=value", that all selected objects have.
func requiredLabel(s labels.Selector) (label string, found bool) {
	all, _ := s.Requirements()
	for i := range all {
		if r := &all[i]; r.Operator() == selection.Equals || r.Operator() == selection.DoubleEquals || r.Operator() == selection.In && r.Values().Len() == 1 {
			return r.Key() + "=" + r.Values().List()[0], true
		}
	}
	return "", false
}

// match returns the receivers with a subscription for a transition, in the order of the
// subscriptions.
func (s *subscriptions) match(t *feed.Transition, now time.Time) (all []config.Receiver) {
	o := &t.Object
	some := [][]*subscriber{s.byUID[o.UID], s.byName[o.Name], s.byNamespace[o.Namespace], s.others}
	for key, value := range o.Labels {
		some = append(some, s.byLabel[key+"="+value])
	}
	var found []*subscriber
	for _, candidates := range some {
		for _, b := range candidates {
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

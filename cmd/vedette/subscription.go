package main

import (
	"context"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// subscriptionOf is a subscription that a command changes, in a database or through a portal.
// person is its owner, or "" for an operator; a portal knows the person.
type subscriptionOf struct {
	portal     *client.Client
	d          *sqldb.DB
	id         int64
	person, by string
}

// mute stops the messages until a time; the zero time resumes them.
func (s *subscriptionOf) mute(ctx context.Context, until time.Time) error {
	if s.portal == nil {
		return delivery.MuteSubscription(ctx, s.d, s.id, s.person, until, s.by)
	}
	if until.IsZero() {
		until = time.Unix(1, 0) // a past time ends the mute
	}
	_, err := s.portal.MuteMessages(ctx, s.id, api.MuteRequest{Until: until.UTC()})
	return err
}

// end ends the subscription.
func (s *subscriptionOf) end(ctx context.Context) error {
	if s.portal == nil {
		return delivery.Unsubscribe(ctx, s.d, s.id, s.person, s.by)
	}
	_, err := s.portal.Unsubscribe(ctx, s.id)
	return err
}

// subscriptionsOf returns the subscriptions of the person that a portal knows.
func subscriptionsOf(ctx context.Context, portal *client.Client) ([]delivery.Subscription, error) {
	list, err := portal.Subscriptions(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]delivery.Subscription, len(list.Subscriptions))
	for i, s := range list.Subscriptions {
		all[i] = delivery.Subscription{
			ID: s.ID, Person: s.Person, Cluster: s.ClusterUID, Type: s.Type, Namespace: s.Namespace, Name: s.Name, UID: s.UID, Labels: s.Labels,
			States: strings.Join(s.States, ","), Channel: s.Channel, Address: s.Address, CreatedAt: s.Created, CreatedBy: s.CreatedBy,
			VerifiedAt: s.Verified, MutedUntil: s.MutedUntil,
		}
	}
	return all, nil
}

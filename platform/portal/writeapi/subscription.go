package writeapi

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/labels"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/jobindex"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// codeFor is how long a code is valid.
const codeFor = time.Hour

// listSubscriptions answers with the subscriptions of the person, and with their possible
// channels.
func listSubscriptions(ctx context.Context, w *writer, _ *struct{}) (*api.SubscriptionList, error) {
	out := &api.SubscriptionList{Subscriptions: []api.Subscription{}, Channels: []api.ChannelInfo{}}
	if w.cfg.Notify != nil {
		for _, ch := range channelsOf(w.cfg.Notify) {
			info := api.ChannelInfo{Name: ch.Name, Kind: ch.Kind}
			_, err := config.FindAddress(w.cfg.Notify, ch, "", "", w.person(ctx), "")
			switch {
			case err == nil, ch.NamedByJobs.Any(): // needs no address
			case !ch.HasAddresses() || !ch.Direct():
				continue // no subscription of the person can have it
			default:
				info.Address = "address"
				if ch.Kind == "email" {
					info.Address = "email address"
				}
			}
			out.Channels = append(out.Channels, info)
		}
	}
	all, err := delivery.Subscriptions(ctx, w.cfg.DB, w.person(ctx))
	if err != nil {
		return nil, w.cfg.DB.Explain(err)
	}
	names := w.clusterNames()
	for i := range all {
		out.Subscriptions = append(out.Subscriptions, subscriptionDoc(&all[i], names))
	}
	return out, nil
}

// clusterNames returns the names of the recorded clusters by UID.
func (w *writer) clusterNames() map[string]string {
	names := map[string]string{}
	_ = w.cfg.Index.View(func(v *jobindex.View) error { // without the index, UIDs are shown
		for _, s := range v.Scopes() {
			names[s.ClusterUID] = s.Cluster
		}
		return nil
	})
	return names
}

func subscriptionDoc(s *delivery.Subscription, names map[string]string) api.Subscription {
	doc := api.Subscription{
		ID: s.ID, Cluster: s.Cluster, Type: s.Type, Namespace: s.Namespace, Name: s.Name, UID: s.UID, Labels: s.Labels,
		Channel: s.Channel, Address: s.Address, Created: s.CreatedAt.UTC(), Verified: s.VerifiedAt, MutedUntil: s.MutedUntil,
		Person: s.Person, CreatedBy: s.CreatedBy, ClusterUID: s.Cluster,
	}
	if name, ok := names[s.Cluster]; ok {
		doc.Cluster = name
	}
	if s.States != "" {
		doc.States = strings.Split(s.States, ",")
	}
	return doc
}

type subscribeInput struct{ Body api.Subscribe }

// subscribe subscribes the person to a job, or to the jobs of a namespace with some labels.
func subscribe(ctx context.Context, w *writer, in *subscribeInput) (*api.Subscription, error) {
	s, about, err := w.subscription(ctx, &in.Body)
	if err != nil {
		return nil, err
	}
	to, err := w.addressOf(ctx, &s, in.Body.Address)
	if err != nil {
		return nil, err
	}
	s.Address = to.To.Address
	var out *api.Subscription
	err = w.audited(ctx, api.AuditEntry{Act: "subscribe", Object: about, Detail: "on channel " + s.Channel}, func() (string, error) {
		id, err := w.subscribe(ctx, s, to, about)
		if err != nil {
			return "", err
		}
		out, err = w.stored(ctx, id)
		return fmt.Sprintf("subscription %d", id), err
	})
	return out, err
}

// subscription returns the subscription of a request, if the person of ctx sees all of its
// jobs, and its description.
//
// Errors: *api.Problem.
func (w *writer) subscription(ctx context.Context, in *api.Subscribe) (s delivery.Subscription, about string, err error) {
	if w.cfg.Notify == nil {
		return s, "", web.Unavailable("This portal has no file of notifications. Its administrator names one with --notify.")
	}
	states, err := job.ParseStates(in.States)
	if err != nil {
		return s, "", web.Invalid("The request names an unknown state.", api.FieldProblem{Field: "states", Message: err.Error()})
	}
	if _, err := labels.Parse(in.Labels); err != nil {
		return s, "", web.Invalid("The labels are not a valid selector.", api.FieldProblem{Field: "labels", Message: err.Error()})
	}
	s = delivery.Subscription{Person: w.person(ctx), CreatedBy: w.who(ctx), Channel: in.Channel, States: job.JoinStates(states, ","), Labels: in.Labels}
	if in.UID != "" {
		row, err := w.row(ctx, in.Cluster, in.UID)
		if err != nil {
			return s, "", err
		}
		s.Cluster, s.Type, s.Namespace, s.Name, s.UID = row.ClusterUID, row.Type, row.Namespace, row.Name, row.UID
		return s, row.Type + " " + nameOf(&row), nil
	}
	if in.Name != "" {
		return s, "", web.Invalid("Name a job by its UID.", api.FieldProblem{Field: "name", Message: "needs uid, because another job may have the name later"})
	}
	sight, err := w.sight(ctx, in.Namespace)
	if err != nil {
		return s, "", err
	}
	sees := sight.All()
	if !sees && in.Cluster != "" && in.Namespace != "" && in.Type != "" {
		_, sees = sight.Since(in.Cluster, "", in.Type, in.Namespace)
	}
	if !sees {
		return s, "", web.Denied("You can subscribe to jobs that you see: name a cluster, a type and a namespace of yours.", "")
	}
	if in.Cluster != "" {
		if s.Cluster = w.clusterUID(in.Cluster); s.Cluster == "" {
			return s, "", web.Unknown(fmt.Sprintf("No cluster %q is recorded.", in.Cluster))
		}
	}
	s.Type, s.Namespace = in.Type, in.Namespace
	return s, strings.TrimSpace(fmt.Sprintf("jobs %s %s %s", in.Type, in.Namespace, in.Labels)), nil
}

// clusterUID returns the UID of a recorded cluster; empty for an unknown name.
func (w *writer) clusterUID(name string) string {
	for uid, known := range w.clusterNames() {
		if known == name {
			return uid
		}
	}
	return ""
}

// addressOf returns the destination of a subscription's messages, for an address or the name of a
// person.
//
// Errors: *api.Problem.
func (w *writer) addressOf(ctx context.Context, s *delivery.Subscription, word string) (config.Address, error) {
	ch := w.cfg.Notify.Channels[s.Channel]
	if ch == nil {
		return config.Address{}, web.Invalid("There is no such channel.", api.FieldProblem{Field: "channel", Message: fmt.Sprintf("%q is none of the channels", s.Channel)})
	}
	a, err := config.FindAddress(w.cfg.Notify, ch, w.clusterNames()[s.Cluster], s.Namespace, w.person(ctx), word)
	if err != nil {
		return a, web.Invalid("The messages cannot go there.", api.FieldProblem{Field: "address", Message: err.Error()})
	}
	return a, nil
}

// subscribe stores a subscription. An address that is not known to belong to the person gets a
// code.
func (w *writer) subscribe(ctx context.Context, s delivery.Subscription, to config.Address, about string) (int64, error) {
	if to.Known {
		id, err := delivery.Subscribe(ctx, w.cfg.DB, s, "", 0)
		return id, tooMany(err)
	}
	if err := w.quotas.take(s.CreatedBy, time.Now()); err != nil {
		return 0, err
	}
	n, err := rand.Int(rand.Reader, big.NewInt(100_000_000))
	if err != nil {
		return 0, err
	}
	code := fmt.Sprintf("%08d", n)
	id, err := delivery.Subscribe(ctx, w.cfg.DB, s, code, codeFor)
	if err != nil {
		return 0, tooMany(err)
	}
	return id, w.send(ctx, s.Channel, config.Confirmation(s.CreatedBy, about, id, code, to.To), to.To)
}

// send sends a message directly. The answer of the channel is only logged, because it may
// contain data that the person must not see.
//
// Errors: *api.Problem.
func (w *writer) send(ctx context.Context, channel string, m *message.Message, to config.Receiver) error {
	_, _, err := config.SendOnce(ctx, w.cfg.Notify.Channels[channel], m, to)
	if err != nil {
		w.cfg.Logger.Warn("a channel does not take a message of the portal", "channel", channel, "err", err)
		return web.Unavailable(fmt.Sprintf("The channel %s does not take the message. Check the address, or ask the administrator of the portal.", channel))
	}
	return nil
}

// stored returns a subscription of the person of ctx.
//
// Errors: *api.Problem: the person has no subscription with this ID.
func (w *writer) stored(ctx context.Context, id int64) (*api.Subscription, error) {
	s, err := w.own(ctx, id)
	if err != nil {
		return nil, err
	}
	doc := subscriptionDoc(s, w.clusterNames())
	return &doc, nil
}

// own returns a subscription of the person of ctx.
func (w *writer) own(ctx context.Context, id int64) (*delivery.Subscription, error) {
	all, err := delivery.Subscriptions(ctx, w.cfg.DB, w.person(ctx))
	if err != nil {
		return nil, w.cfg.DB.Explain(err)
	}
	if i := slices.IndexFunc(all, func(s delivery.Subscription) bool { return s.ID == id }); i >= 0 {
		return &all[i], nil
	}
	return nil, noSubscription(id)
}

func noSubscription(id int64) error {
	return web.Unknown(fmt.Sprintf("You have no subscription %d.", id))
}

type subscriptionInput struct {
	ID int64 `path:"id" minimum:"1" doc:"The number of the subscription"`
}

// act changes a subscription of the person of ctx.
func (w *writer) act(ctx context.Context, id int64, act, done string, do func(*delivery.Subscription) error) (*api.Act, error) {
	s, err := w.own(ctx, id)
	if err != nil {
		return nil, err
	}
	err = w.audited(ctx, api.AuditEntry{Act: act, Object: fmt.Sprintf("subscription %d", id)}, func() (string, error) {
		err := do(s)
		switch {
		case errors.Is(err, delivery.ErrUnknown):
			err = noSubscription(id)
		case errors.Is(err, delivery.ErrCode):
			err = web.Invalid("The code is wrong or has expired. Subscribe again for another one.", api.FieldProblem{Field: "code", Message: "is wrong or has expired"})
		}
		return "", err
	})
	return &api.Act{Done: done, Count: 1}, err
}

// unsubscribe ends a subscription.
func unsubscribe(ctx context.Context, w *writer, in *subscriptionInput) (*api.Act, error) {
	return w.act(ctx, in.ID, "unsubscribe", "The subscription has ended.", func(s *delivery.Subscription) error {
		return delivery.Unsubscribe(ctx, w.cfg.DB, s.ID, s.Person, w.who(ctx))
	})
}

type verifyInput struct {
	ID   int64 `path:"id" minimum:"1" doc:"The number of the subscription"`
	Body api.VerifyRequest
}

// verify confirms the address of a subscription.
func verify(ctx context.Context, w *writer, in *verifyInput) (*api.Act, error) {
	return w.act(ctx, in.ID, "verify", "The address is confirmed, and gets messages from now on.", func(s *delivery.Subscription) error {
		return delivery.Verify(ctx, w.cfg.DB, s.ID, strings.TrimSpace(in.Body.Code))
	})
}

type muteMessagesInput struct {
	ID   int64 `path:"id" minimum:"1" doc:"The number of the subscription"`
	Body api.MuteRequest
}

// muteMessages stops the messages of a subscription until a time.
func muteMessages(ctx context.Context, w *writer, in *muteMessagesInput) (*api.Act, error) {
	until, done := in.Body.Until, "The messages are no longer muted."
	if err := checkUntil(until, time.Now()); err != nil {
		return nil, err
	}
	if until.IsZero() {
		return nil, web.Invalid("Say until when.", api.FieldProblem{Field: "until", Message: "is missing"})
	}
	if until.After(time.Now()) {
		done = "No messages until " + until.UTC().Format(time.RFC3339) + "."
	} else {
		until = time.Time{}
	}
	return w.act(ctx, in.ID, "mute", done, func(s *delivery.Subscription) error {
		return delivery.MuteSubscription(ctx, w.cfg.DB, s.ID, s.Person, until, w.who(ctx))
	})
}

// sendTest sends a test message to the verified address of a subscription.
func sendTest(ctx context.Context, w *writer, in *subscriptionInput) (*api.Act, error) {
	if w.cfg.Notify == nil {
		return nil, web.Unavailable("This portal has no file of notifications. Its administrator names one with --notify.")
	}
	return w.act(ctx, in.ID, "test", "The channel took the test message.", func(s *delivery.Subscription) error {
		ch := w.cfg.Notify.Channels[s.Channel]
		switch {
		case s.VerifiedAt.IsZero():
			return web.Conflict("The address is not confirmed yet. Enter the code that was sent there.")
		case ch == nil:
			return web.Conflict(fmt.Sprintf("The file of notifications no longer has the channel %s.", s.Channel))
		}
		if err := w.quotas.take(w.who(ctx), time.Now()); err != nil {
			return err
		}
		a, err := config.FindAddress(w.cfg.Notify, ch, w.clusterNames()[s.Cluster], s.Namespace, s.Person, s.Address)
		if err != nil {
			return web.Conflict("The file of notifications no longer allows the address.")
		}
		m, err := message.Compose(
			&message.Notice{Kind: message.Test, Happened: time.Now(), Seen: time.Now(), Probe: &message.Probe{Channel: ch.Name, Actor: w.who(ctx)}},
			message.Options{ID: "test/" + ch.Name + "/" + rand.Text(), Language: a.To.Language, Portal: w.cfg.Notify.Portal, Location: a.To.Location, Now: time.Now(), Role: a.To.Role, Private: a.To.Private},
		)
		if err != nil {
			return err
		}
		return w.send(ctx, ch.Name, m, a.To)
	})
}

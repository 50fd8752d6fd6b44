package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/internal/faultlog"
	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/notify/rule"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// verbatim are the kinds of channels that programs read. They get the addresses of users
// unescaped.
var verbatim = map[string]bool{"webhook": true, "event": true}

// composer makes the messages of deliveries, with the current rules and people.
type composer struct {
	db    *sqldb.DB
	setup func() *setup
	now   func() time.Time
	once  *once
	logs  *logTail
}

// compose implements ComposeFunc.
//
// Errors: an event that cannot be read is a permanent error. Errors of the database are
// temporary.
func (c *composer) compose(ctx context.Context, d *delivery.Delivery) (*message.Message, channel.Receiver, error) {
	s := c.setup()
	to := receiverOf(s.file, d)
	with := ruleNamed(s, d.Rule)
	o := c.options(s.file, d, with, &to)
	if o.Portal != "" && s.file.Channels[d.Channel] != nil && s.file.Channels[d.Channel].Kind == "email" {
		key, err := delivery.UnsubscribeKey(ctx, c.db)
		if err != nil {
			return nil, channel.Receiver{}, c.db.Explain(err)
		}
		o.Unsubscribe = delivery.UnsubscribeToken(key, d)
	}
	if d.Kind == string(message.Digest) {
		m, err := c.digest(ctx, d, o)
		return m, channelReceiver(s.file, &to, nil), err
	}
	n := &message.Notice{}
	if err := json.Unmarshal(d.Event, n); err != nil {
		return nil, channel.Receiver{}, &channel.Error{Kind: channel.Permanent, Err: fmt.Errorf("the stored event cannot be read: %w", err)}
	}
	n.Late = n.Late || d.Late
	if with != nil && with.Log && o.Private {
		c.logs.fill(ctx, n, elapsed(c.now(), d.CreatedAt))
	}
	m, err := message.Compose(n, o)
	if err != nil && m == nil {
		return nil, channel.Receiver{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	if err != nil {
		c.once.log("template "+d.Rule, "the template of a rule failed; the message was sent with the default words", "rule", d.Rule, "err", faultlog.Text(err))
	}
	return m, channelReceiver(s.file, &to, n), nil
}

// digest composes one message from the items of a digest.
func (c *composer) digest(ctx context.Context, d *delivery.Delivery, o message.Options) (*message.Message, error) {
	var in digestEvent
	if err := json.Unmarshal(d.Event, &in); err != nil {
		return nil, &channel.Error{Kind: channel.Permanent, Err: fmt.Errorf("the stored digest cannot be read: %w", err)}
	}
	items, err := delivery.Items(ctx, c.db, d.ID)
	if err != nil {
		return nil, c.db.Explain(err)
	}
	var all []message.Notice
	for i := range items {
		var n message.Notice
		if json.Unmarshal(items[i].Event, &n) == nil {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return nil, &channel.Error{Kind: channel.Permanent, Err: errors.New("the digest has no messages that can be read")}
	}
	o.Silence = in.Silence
	if now := c.now(); in.Silence != nil && now.Before(in.To) {
		in.To = now // a person has expired the silence
	}
	m, err := message.ComposeDigest(all, in.From, in.To, o)
	if err != nil && m == nil {
		return nil, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	return m, nil
}

// options returns the options for the message of a delivery.
func (c *composer) options(file *config.Config, d *delivery.Delivery, with *rule.Rule, to *config.Receiver) message.Options {
	o := message.Options{
		ID: d.Key, Language: to.Language, Portal: file.Portal, Location: to.Location, Now: c.now(), Rule: d.Rule, Role: d.Role, Private: to.Private,
		Replay: d.Replay, Due: d.CreatedAt,
	}
	if with != nil {
		if o.Templates = with.Templates; with.Language != "" {
			o.Language = with.Language
		}
	}
	if to := file.Channels[d.Channel]; to != nil {
		o.Verbatim = verbatim[to.Kind]
	}
	return o
}

// receiverOf returns the receiver of a delivery as the current file describes it.
func receiverOf(file *config.Config, d *delivery.Delivery) config.Receiver {
	r := config.Receiver{Language: file.Language, Location: file.Location}
	if all, _ := file.Receivers([]rule.Target{{Kind: rule.Channel, Channel: d.Channel, Address: d.Receiver}}, nil, config.Named{}); len(all) == 1 {
		r = all[0]
	}
	if p := file.People[d.Person]; p != nil {
		if p.Language != "" {
			r.Language = p.Language
		}
		if p.Location != nil {
			r.Location = p.Location
		}
	}
	r.Channel, r.Address, r.Person, r.Role = d.Channel, d.Receiver, d.Person, d.Role
	return r
}

// channelReceiver returns a receiver in the form that channels use. A message about a job
// to a channel alone mentions the owner, if the table of people has the owner's address on
// that channel.
func channelReceiver(file *config.Config, r *config.Receiver, n *message.Notice) channel.Receiver {
	to := channel.Receiver{Address: r.Address, Name: r.Person, Person: r.Person, Private: r.Private}
	if to.Address == "" && n != nil && n.Job.Owner != "" && r.Role == config.OwnerRole {
		to.Address = file.Mention(r.Channel, []string{n.Job.Owner})
	}
	return to
}

package deliveryview

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/notify/delivery"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Message returns the message of a delivery in words. A message whose content cannot be
// read has its kind as title, because the rest of the delivery is still useful.
func Message(d *delivery.Delivery, items []delivery.Item, now time.Time) *message.Message {
	o := message.Options{ID: d.Key, Rule: d.Rule, Role: d.Role, Location: time.Local, Now: now}
	m, err := compose(d, items, o)
	if err == nil && m == nil {
		err = errors.New("it has no message")
	}
	if err != nil {
		return &message.Message{ID: d.Key, Kind: message.Kind(d.Kind), Title: d.Kind, Sentence: "Its content cannot be read: " + err.Error()}
	}
	return m
}

func compose(d *delivery.Delivery, items []delivery.Item, o message.Options) (*message.Message, error) {
	if message.Kind(d.Kind) != message.Digest {
		var n message.Notice
		if err := json.Unmarshal(d.Event, &n); err != nil {
			return nil, err
		}
		m, _ := message.Compose(&n, o) // the message shows the error of a template
		return m, nil
	}
	var window struct {
		From, To time.Time
		Silence  *message.Silence
	}
	if err := json.Unmarshal(d.Event, &window); err != nil {
		return nil, err
	}
	var all []message.Notice
	for _, item := range items {
		var n message.Notice
		if err := json.Unmarshal(item.Event, &n); err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	o.Silence = window.Silence
	m, _ := message.ComposeDigest(all, window.From, window.To, o) // as above
	return m, nil
}

// Items returns the items of a digest, and nil for other deliveries.
func Items(ctx context.Context, q sqldb.Querier, d *delivery.Delivery) ([]delivery.Item, error) {
	if message.Kind(d.Kind) != message.Digest {
		return nil, nil
	}
	return delivery.Items(ctx, q, d.ID)
}

// Recipient names the channel of a delivery, with the person or the address.
func Recipient(d *delivery.Delivery) string {
	switch {
	case d.Person != "":
		return d.Person + " by " + d.Channel
	case d.Receiver != "":
		return d.Channel + ":" + d.Receiver
	}
	return d.Channel
}

// Answer returns the last status or error of a channel.
func Answer(d *delivery.Delivery) string {
	if d.LastError != "" {
		return printable.OneLine(d.LastError)
	}
	return printable.OneLine(d.Status)
}

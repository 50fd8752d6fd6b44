package pagerduty

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// DefaultURL is the endpoint of PagerDuty's service region in the USA. The EU has
// https://events.eu.pagerduty.com/v2/enqueue.
const DefaultURL = "https://events.pagerduty.com/v2/enqueue"

// Options configure a channel.
type Options struct {
	// RoutingKey is the integration key of the service, of 32 characters. It is a secret.
	RoutingKey string
	// URL is the endpoint; "" means DefaultURL.
	URL string
	// Client sends the requests; nil means channel.NewClient with a Guard that allows only
	// public addresses. The channel owns it.
	Client *channel.Client
}

// Channel sends messages to one service of PagerDuty.
type Channel struct {
	url      *url.URL
	key      string
	endpoint channel.Endpoint
}

// New returns a channel.
//
// Errors: an option is not valid. The error shows no secret.
func New(o Options) (*Channel, error) {
	if o.URL == "" {
		o.URL = DefaultURL
	}
	u, err := channel.ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	key := strings.TrimSpace(o.RoutingKey)
	switch {
	case key == "":
		return nil, errors.New("the routing key is missing; PagerDuty shows it as the integration key of Events API v2")
	case len(key) != 32 || strings.Trim(key, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return nil, errors.New("the routing key must have 32 letters and digits; a key of the REST API does not work")
	}
	c := &Channel{url: u, key: key, endpoint: channel.Endpoint{Client: o.Client, Secrets: []string{key}}}
	if c.endpoint.Client == nil {
		c.endpoint.Client = channel.NewClient(channel.Guard{})
	}
	return c, nil
}

// Traits implements channel.Channel.
func (c *Channel) Traits() channel.Traits {
	return channel.Traits{Kind: "pagerduty", Rate: channel.Rate{Count: 240, Per: time.Minute}, Timeout: channel.DefaultTimeout}
}

// Send implements channel.Channel. It ignores the receiver: the schedules of PagerDuty
// select the person to call.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, _ channel.Receiver) (channel.Receipt, error) {
	alert := newAlert(c.key, m)
	body, err := channel.Payload(alert)
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	answer, err := c.endpoint.Post(ctx, c.url, nil, body)
	if err == nil {
		err = answer.Err()
	}
	if err != nil {
		return channel.Receipt{}, err
	}
	return channel.Receipt{Status: "HTTP " + strconv.Itoa(answer.Status), Ref: alert.DedupKey}, nil
}

// Check implements channel.Channel: PagerDuty answers. Only a message shows whether the
// routing key is right.
func (c *Channel) Check(ctx context.Context) error {
	_, err := c.endpoint.Reach(ctx, c.url)
	return err
}

// Close implements channel.Channel.
func (c *Channel) Close() error {
	return c.endpoint.Close()
}

package wecom

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// window is the period in which WeCom counts messages.
const window = time.Minute

// Options configure a channel.
type Options struct {
	// URL is the address of a group's robot, with its key:
	// https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=… It is a secret.
	URL string
	// Client sends the requests; nil means channel.NewClient with a Guard that allows only
	// public addresses. The channel owns it.
	Client *channel.Client
}

// Channel sends messages to one group of WeCom.
type Channel struct {
	to       *url.URL
	endpoint channel.Endpoint
}

// New returns a channel.
//
// Errors: an option is not valid. The error shows no secret.
func New(o Options) (*Channel, error) {
	u, err := channel.ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if u.Query().Get("key") == "" {
		return nil, errors.New("the URL has no key; WeCom shows it as the webhook of a group's robot")
	}
	if o.Client == nil {
		o.Client = channel.NewClient(channel.Guard{})
	}
	return &Channel{to: u, endpoint: channel.Endpoint{Client: o.Client, Secrets: channel.SecretsOf(u)}}, nil
}

// Traits implements channel.Channel. A robot accepts 20 messages per minute. The rate
// leaves room for other senders.
func (c *Channel) Traits() channel.Traits {
	return channel.Traits{Kind: "wecom", Rate: channel.Rate{Count: 15, Per: window}, Timeout: channel.DefaultTimeout}
}

// Send implements channel.Channel. The address of the receiver is a member's userid.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
	body, err := channel.Payload(render(m, to))
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	answer, err := c.endpoint.Post(ctx, c.to, nil, body)
	if err != nil {
		return channel.Receipt{}, err
	}
	return receipt(answer)
}

// receipt reads an answer. Failures have a code in the body, with HTTP 200.
func receipt(a *channel.Answer) (channel.Receipt, error) {
	var body struct {
		Code  *int   `json:"errcode"`
		Words string `json:"errmsg"`
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || body.Code == nil {
		if err := a.Err(); err != nil {
			return channel.Receipt{}, err
		}
		return channel.Receipt{}, a.Fail(channel.Temporary, "an answer without a code", string(a.Body))
	}
	if *body.Code == 0 {
		return channel.Receipt{Status: "errcode 0"}, nil
	}
	e := a.Fail(kindOf(*body.Code), "errcode "+strconv.Itoa(*body.Code), body.Words)
	if e.Kind == channel.Throttled && e.RetryAfter == 0 {
		e.RetryAfter = window
	}
	return channel.Receipt{}, e
}

// kindOf returns what a code of WeCom means. A code that a change of the settings can fix
// is Temporary, so that no message is lost until then.
func kindOf(code int) channel.ErrorKind {
	switch code {
	case 45009, 45033: // too often; too many at once
		return channel.Throttled
	case 93000: // no such robot, or it left the group
		return channel.Disabled
	case 40008, 40033, 40035, 40058, 42014, 44004, 45002, 47001: // bad type, characters, parameters or JSON; empty; too long
		return channel.Permanent
	}
	return channel.Temporary // -1 busy; others
}

// Check implements channel.Channel: the server answers. Only a message shows whether the
// key is right.
func (c *Channel) Check(ctx context.Context) error {
	_, err := c.endpoint.Reach(ctx, c.to)
	return err
}

// Close implements channel.Channel.
func (c *Channel) Close() error { return c.endpoint.Close() }

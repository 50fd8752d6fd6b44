package feishu

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// signatureAge is the maximum difference between the clocks of the two sides.
const signatureAge = time.Hour

// Options configure a channel: a custom bot of a group, or an app.
type Options struct {
	// URL is the address of a custom bot: https://open.feishu.cn/open-apis/bot/v2/hook/…
	// or the same at open.larksuite.com. It is a secret. With AppID it is the address of
	// the API: "" means DefaultURL; Lark has LarkURL.
	URL string
	// AppID and AppSecret are the credentials of an app with a bot and the permission to send
	// messages. With them, a private receiver gets direct messages.
	AppID, AppSecret string
	// Chat is the ID of the group to which the app sends all other messages: "oc_…". It may
	// be empty.
	Chat string
	// Secret signs the requests. It is empty if the bot does not check signatures.
	Secret string
	// Client sends the requests; nil means channel.NewClient with a Guard that allows only
	// public addresses. The channel owns it.
	Client *channel.Client
}

// Channel sends cards to one group of Feishu or Lark.
type Channel struct {
	to       *url.URL
	secret   string
	endpoint channel.Endpoint
	now      func() time.Time
	app      *app // nil for a custom bot
}

// New returns a channel.
//
// Errors: an option is not valid. The error shows no secret.
func New(o Options) (*Channel, error) {
	if o.AppID != "" && o.URL == "" {
		o.URL = DefaultURL
	}
	u, err := channel.ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	hasToken := strings.Trim(u.Path, "/") != ""
	switch {
	case o.AppID == "" && (o.AppSecret != "" || o.Chat != ""):
		return nil, errors.New("the ID of the app is missing; a custom bot has neither a secret of an app nor a chat")
	case o.AppID == "" && !hasToken:
		return nil, errors.New("the URL has no token; Feishu shows it as the webhook of a custom bot")
	case o.AppID != "" && (hasToken || o.Secret != ""):
		return nil, errors.New("an app has neither the URL nor the secret of a custom bot")
	case o.AppID != "" && strings.TrimSpace(o.AppSecret) == "":
		return nil, errors.New("the secret of the app is missing; Feishu shows it with the credentials of the app")
	}
	if o.Client == nil {
		o.Client = channel.NewClient(channel.Guard{})
	}
	if o.AppID != "" {
		a := newApp(u, o.AppID, o.AppSecret, o.Chat)
		return &Channel{to: u, app: a, now: time.Now, endpoint: channel.Endpoint{Client: o.Client, Secrets: []string{a.secret}}}, nil
	}
	secret := strings.TrimSpace(o.Secret)
	return &Channel{
		to: u, secret: secret, now: time.Now,
		endpoint: channel.Endpoint{Client: o.Client, Secrets: append(channel.SecretsOf(u), secret)},
	}, nil
}

// Traits implements channel.Channel. A custom bot accepts 100 messages per minute and 5
// per second; a group or a person accepts 5 messages per second from an app.
func (c *Channel) Traits() channel.Traits {
	if c.app != nil {
		return channel.Traits{Kind: "feishu", Rate: channel.Rate{Count: 4, Per: time.Second}, Timeout: channel.DefaultTimeout}
	}
	return channel.Traits{Kind: "feishu", Rate: channel.Rate{Count: 4, Per: 3 * time.Second}, Timeout: channel.DefaultTimeout}
}

// request is the body of a request to a custom bot.
type request struct {
	Timestamp string `json:"timestamp,omitempty"`
	Sign      string `json:"sign,omitempty"`
	Type      string `json:"msg_type"`
	Card      *card  `json:"card"`
}

// Send implements channel.Channel. The address of the receiver is a person's open_id, for
// an app also a user_id or an e-mail address.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
	if c.app != nil {
		return c.app.send(ctx, &c.endpoint, c.now(), m, to)
	}
	r := request{Type: "interactive", Card: render(m, to)}
	if c.secret != "" {
		r.Timestamp = strconv.FormatInt(c.now().Unix(), 10)
		r.Sign = sign(r.Timestamp, c.secret)
	}
	body, err := channel.Payload(r)
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	answer, err := c.endpoint.Post(ctx, c.to, nil, body)
	if err != nil {
		return channel.Receipt{}, err
	}
	return receipt(answer)
}

// sign returns the signature of a request: an HMAC of an empty text, with the time and the
// secret as the key.
func sign(timestamp, secret string) string {
	mac := hmac.New(sha256.New, []byte(timestamp+"\n"+secret))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// Check implements channel.Channel: the server answers, and its clock is close enough to
// ours for signatures. Only a message shows whether the token and the secret are right. An
// app also gets a token with its secret.
func (c *Channel) Check(ctx context.Context) error {
	if c.app != nil {
		return c.app.check(ctx, &c.endpoint, c.now())
	}
	answer, err := c.endpoint.Reach(ctx, c.to)
	if err != nil {
		return err
	}
	if off, ok := answer.ClockDifference(c.now()); ok && c.secret != "" && off.Abs() > signatureAge/2 {
		return fmt.Errorf("the clock of this machine differs by %s from Feishu's; signatures allow %s", off.Round(time.Second), signatureAge)
	}
	return nil
}

// Close implements channel.Channel.
func (c *Channel) Close() error { return c.endpoint.Close() }

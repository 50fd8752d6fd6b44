package dingtalk

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

const (
	// signatureAge is the maximum difference between the clocks of the two sides.
	signatureAge = time.Hour
	// ban is the time for which DingTalk blocks a robot that sent too much.
	ban = 10 * time.Minute
)

// Options configure a channel.
type Options struct {
	// URL is the address of a custom robot, with its token:
	// https://oapi.dingtalk.com/robot/send?access_token=… It is a secret.
	URL string
	// Secret signs the requests: "SEC…". It is empty if the robot does not check signatures.
	Secret string
	// Client sends the requests; nil means channel.NewClient with a Guard that allows only
	// public addresses. The channel owns it.
	Client *channel.Client
}

// Channel sends messages to one group of DingTalk.
type Channel struct {
	to       *url.URL
	secret   string
	endpoint channel.Endpoint
	now      func() time.Time
}

// New returns a channel.
//
// Errors: an option is not valid. The error shows no secret.
func New(o Options) (*Channel, error) {
	u, err := channel.ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	if u.Query().Get("access_token") == "" {
		return nil, errors.New("the URL has no access_token; DingTalk shows it as the webhook of a custom robot")
	}
	if o.Client == nil {
		o.Client = channel.NewClient(channel.Guard{})
	}
	secret := strings.TrimSpace(o.Secret)
	return &Channel{
		to: u, secret: secret, now: time.Now,
		endpoint: channel.Endpoint{Client: o.Client, Secrets: append(channel.SecretsOf(u), secret)},
	}, nil
}

// Traits implements channel.Channel. A robot accepts 20 messages per minute; then DingTalk
// shuts it out for ten minutes. The rate leaves room for other senders.
func (c *Channel) Traits() channel.Traits {
	return channel.Traits{
		Kind: "dingtalk", Rate: channel.Rate{Count: 15, Per: time.Minute}, DigestByDefault: true, Timeout: channel.DefaultTimeout,
	}
}

// Send implements channel.Channel. The address of the receiver is a person's mobile number.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
	body, err := channel.Payload(render(m, to))
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	answer, err := c.endpoint.Post(ctx, c.signed(), nil, body)
	if err != nil {
		return channel.Receipt{}, err
	}
	return receipt(answer)
}

// signed returns the URL with the time and the signature.
func (c *Channel) signed() *url.URL {
	if c.secret == "" {
		return c.to
	}
	timestamp := strconv.FormatInt(c.now().UnixMilli(), 10)
	u := *c.to
	q := u.Query()
	q.Set("timestamp", timestamp)
	q.Set("sign", sign(timestamp, c.secret))
	u.RawQuery = q.Encode()
	return &u
}

// sign returns the signature of a request: an HMAC of the time and the secret, with the
// secret as the key.
func sign(timestamp, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(timestamp + "\n" + secret))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// receipt reads an answer. Failures have a code in the body, with HTTP 200.
func receipt(a *channel.Answer) (channel.Receipt, error) {
	var body struct {
		Code   *int   `json:"errcode"`
		Words  string `json:"errmsg"`
		Punish string `json:"punish"`
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || body.Code == nil && body.Punish == "" {
		if err := a.Err(); err != nil {
			return channel.Receipt{}, err
		}
		return channel.Receipt{}, a.Fail(channel.Temporary, "an answer without a code", string(a.Body))
	}
	if body.Code != nil && *body.Code == 0 {
		return channel.Receipt{Status: "errcode 0"}, nil
	}
	status, kind := "shut out", channel.Throttled
	if body.Code != nil {
		status, kind = "errcode "+strconv.Itoa(*body.Code), kindOf(*body.Code)
	}
	e := a.Fail(kind, status, body.Words)
	if kind == channel.Throttled && e.RetryAfter < ban {
		e.RetryAfter = ban
	}
	return channel.Receipt{}, e
}

// kindOf returns the kind of a DingTalk code. A code that a change of the settings can fix
// is Temporary, so that no message is lost until then.
func kindOf(code int) channel.ErrorKind {
	switch code {
	case 130101, 410100, 90018, 90030: // too fast; blocked; over the quota
		return channel.Throttled
	case 300001, 400013, 400101, 400102: // no such token; no group; no token; robot stopped
		return channel.Disabled
	case 40035, 43004, 400105, 430101, 430102, 430103, 430104, 460101: // bad JSON, type or content; too long
		return channel.Permanent
	}
	return channel.Temporary // 310000 signature, clock, keyword or address; -1 busy; others
}

// Check implements channel.Channel: the server answers, and its clock is close enough to
// ours for signatures. Only a message shows whether the token and the secret are right.
func (c *Channel) Check(ctx context.Context) error {
	answer, err := c.endpoint.Reach(ctx, c.to)
	if err != nil {
		return err
	}
	if off, ok := answer.ClockDifference(c.now()); ok && c.secret != "" && off.Abs() > signatureAge/2 {
		return fmt.Errorf("the clock of this machine differs by %s from DingTalk's; signatures allow %s", off.Round(time.Second), signatureAge)
	}
	return nil
}

// Close implements channel.Channel.
func (c *Channel) Close() error { return c.endpoint.Close() }

package feishu

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

	"github.com/vedette-io/vedette/notify/channel"
	"github.com/vedette-io/vedette/notify/message"
)

// signatureAge is how far the clocks of the two sides may differ.
const signatureAge = time.Hour

// Options configure a channel.
type Options struct {
	// URL is the address of a custom bot: https://open.feishu.cn/open-apis/bot/v2/hook/… or
	// the same at open.larksuite.com. It is a secret.
	URL string
	// Secret signs the requests. It is empty if the bot does not check signatures.
	Secret string
	// Client sends the requests; nil stands for channel.NewClient with a Guard that allows
	// public addresses only. The channel does not share it.
	Client *channel.Client
}

// Channel sends cards to one group of Feishu or Lark.
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
	if strings.Trim(u.Path, "/") == "" {
		return nil, errors.New("the URL has no token; Feishu shows it as the webhook of a custom bot")
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

// Traits implements channel.Channel. A custom bot takes 100 messages in a minute, and 5 in
// a second.
func (c *Channel) Traits() channel.Traits {
	return channel.Traits{Kind: "feishu", Rate: channel.Rate{Count: 4, Per: 3 * time.Second}, Timeout: channel.DefaultTimeout}
}

// request is the body of a request to a custom bot.
type request struct {
	Timestamp string `json:"timestamp,omitempty"`
	Sign      string `json:"sign,omitempty"`
	Type      string `json:"msg_type"`
	Card      *card  `json:"card"`
}

// Send implements channel.Channel. The address of the receiver is a person's open_id.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
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

// sign returns the signature of a request: the time and the secret are the key, and nothing
// is signed.
func sign(timestamp, secret string) string {
	mac := hmac.New(sha256.New, []byte(timestamp+"\n"+secret))
	return base64.StdEncoding.EncodeToString(mac.Sum(nil))
}

// receipt reads an answer. Failures have a code in the body, mostly with HTTP 200.
func receipt(a *channel.Answer) (channel.Receipt, error) {
	var body struct {
		Code *int   `json:"code"`
		Old  *int   `json:"StatusCode"`
		Msg  string `json:"msg"`
	}
	if err := json.Unmarshal(a.Body, &body); err != nil || body.Code == nil && body.Old == nil {
		if err := a.Err(); err != nil {
			return channel.Receipt{}, err
		}
		return channel.Receipt{}, a.Fail(channel.Temporary, "an answer without a code", string(a.Body))
	}
	code := body.Code
	if code == nil {
		code = body.Old
	}
	if *code == 0 {
		return channel.Receipt{Status: "code 0"}, nil
	}
	e := a.Fail(kindOf(*code), "code "+strconv.Itoa(*code), body.Msg)
	if e.Kind == channel.Throttled && e.RetryAfter == 0 {
		e.RetryAfter = waitOf(a)
	}
	return channel.Receipt{}, e
}

// kindOf returns what a code of Feishu means. A code that somebody can repair in the
// settings is Temporary, so that no message is lost meanwhile.
func kindOf(code int) channel.ErrorKind {
	switch code {
	case 11232, 99991400: // too many requests
		return channel.Throttled
	case 19001: // no such bot
		return channel.Disabled
	case 9499, 19002, 11246, 230099: // bad request; bad parameters; bad card
		return channel.Permanent
	}
	return channel.Temporary // 19021 signature or clock, 19022 address, 19024 keyword, others
}

// waitOf returns how long Feishu's own header asks to wait.
func waitOf(a *channel.Answer) time.Duration {
	if seconds, err := strconv.Atoi(a.Header.Get("X-Ogw-Ratelimit-Reset")); err == nil && seconds > 0 && seconds <= 3600 {
		return time.Duration(seconds) * time.Second
	}
	return 0
}

// Check implements channel.Channel: the server answers, and its clock and ours are close
// enough for signatures. Only a message shows whether the token and the secret are right.
func (c *Channel) Check(ctx context.Context) error {
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

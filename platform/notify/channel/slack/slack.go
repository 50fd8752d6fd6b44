package slack

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// DefaultURL is the address of Slack's Web API. GovSlack has https://slack-gov.com/api.
const DefaultURL = "https://slack.com/api"

// Options configure a channel: either an incoming webhook, or a bot that posts to a
// channel.
type Options struct {
	// URL is the address of an incoming webhook, https://hooks.slack.com/services/…, which
	// is a secret. With Token it is the address of the Web API; "" means DefaultURL.
	URL string
	// Token is the token of a bot with the scope chat:write: "xoxb-…". With it, the messages
	// of a job form a thread, and a private receiver gets direct messages.
	Token string
	// Conversation is the ID of the channel to which the bot posts, such as "C0123456789".
	Conversation string
	// Client sends the requests; nil means channel.NewClient with a Guard that allows only
	// public addresses. The channel owns it.
	Client *channel.Client
}

// Channel sends messages to Slack.
type Channel struct {
	to           *url.URL // of the webhook, or of the Web API
	header       channel.Header
	bot          bool
	conversation string
	endpoint     channel.Endpoint
	threads      threads
}

// New returns a channel.
//
// Errors: an option is not valid. The error shows no secret.
func New(o Options) (*Channel, error) {
	token := strings.TrimSpace(o.Token)
	if token != "" && o.URL == "" {
		o.URL = DefaultURL
	}
	u, err := channel.ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	switch {
	case token == "" && o.Conversation != "":
		return nil, errors.New("a webhook posts to a fixed channel; set a token to choose another")
	case token == "" && strings.Trim(u.Path, "/") == "":
		return nil, errors.New("the URL has no token; Slack shows it as the webhook URL of an app")
	case token != "" && !isID(o.Conversation):
		return nil, errors.New("the channel must be an ID such as C0123456789; Slack shows it in the details of the channel")
	case strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r >= 0x7f }):
		return nil, errors.New("the token has a character that is not printable ASCII")
	}
	if o.Client == nil {
		o.Client = channel.NewClient(channel.Guard{})
	}
	c := &Channel{to: u, bot: token != "", conversation: o.Conversation, endpoint: channel.Endpoint{Client: o.Client}}
	if c.bot {
		c.header = channel.Header{"Authorization": {"Bearer " + token}}
		c.endpoint.Secrets = []string{token}
	} else {
		c.endpoint.Secrets = channel.SecretsOf(u)
	}
	return c, nil
}

// Traits implements channel.Channel. Slack takes a message per second.
func (c *Channel) Traits() channel.Traits {
	return channel.Traits{Kind: "slack", Rate: channel.Rate{Count: 1, Per: time.Second}, Timeout: channel.DefaultTimeout}
}

// Send implements channel.Channel. The address of the receiver is the ID of a user.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
	p := render(m, to)
	if !c.bot {
		return c.hook(ctx, p)
	}
	p.Channel = c.conversation
	if to.Private && isUser(to.Address) {
		p.Channel = to.Address
	}
	thread := ""
	if m.Thread != "" {
		thread = p.Channel + " " + m.Thread
		p.Thread = c.threads.get(thread)
		p.Broadcast = p.Thread != "" && m.Kind.AtOnce()
	}
	receipt, err := c.post(ctx, p)
	switch {
	case err == nil && p.Thread == "":
		c.threads.put(thread, receipt.Ref)
	case err != nil && threadIsGone(err):
		c.threads.drop(thread) // the next try begins another thread
	}
	return receipt, err
}

// threadIsGone reports whether Slack refused a message because the first message of its
// thread was deleted.
func threadIsGone(err error) bool {
	return strings.Contains(err.Error(), "thread_not_found") || strings.Contains(err.Error(), "cannot_reply_to_message")
}

// hook sends a message to an incoming webhook, which answers with a word.
func (c *Channel) hook(ctx context.Context, p *payload) (channel.Receipt, error) {
	body, err := channel.Payload(p)
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	answer, err := c.endpoint.Post(ctx, c.to, nil, body)
	if err != nil {
		return channel.Receipt{}, err
	}
	words := strings.TrimSpace(string(answer.Body))
	if err := answer.Err(); err != nil {
		e := channel.ErrorOf(err)
		if kind, ok := kindOf(words); ok && e.Kind != channel.Throttled {
			e.Kind = kind
		}
		return channel.Receipt{}, e
	}
	if words != "ok" {
		return channel.Receipt{}, answer.Fail(channel.Temporary, "an answer other than ok", words)
	}
	return channel.Receipt{Status: "ok"}, nil
}

// post sends a message by the Web API, which reports failures with HTTP 200.
func (c *Channel) post(ctx context.Context, p *payload) (channel.Receipt, error) {
	body, err := channel.Payload(p)
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	answer, err := c.endpoint.Post(ctx, c.to.JoinPath("chat.postMessage"), c.header.Clone(), body)
	if err != nil {
		return channel.Receipt{}, err
	}
	return read(answer)
}

// read reads an answer of the Web API.
func read(a *channel.Answer) (channel.Receipt, error) {
	if err := a.Err(); err != nil {
		return channel.Receipt{}, err
	}
	var body struct {
		OK    bool   `json:"ok"`
		Error string `json:"error"`
		TS    string `json:"ts"`
	}
	if err := json.Unmarshal(a.Body, &body); err != nil {
		return channel.Receipt{}, a.Fail(channel.Temporary, "an answer that is not JSON", string(a.Body))
	}
	if body.OK {
		return channel.Receipt{Status: "ok", Ref: body.TS}, nil
	}
	kind, _ := kindOf(body.Error)
	return channel.Receipt{}, a.Fail(kind, "not ok", body.Error)
}

// kindOf returns the kind of a Slack error, and whether the error is known. An error that
// a change of the settings can fix is Temporary, so that no message is lost until then.
func kindOf(word string) (channel.ErrorKind, bool) {
	switch word {
	case "ratelimited", "rate_limited", "message_limit_exceeded":
		return channel.Throttled, true
	case "channel_is_archived", "is_archived", "no_service", "no_service_id", "no_team", "team_disabled", "account_inactive", "token_revoked":
		return channel.Disabled, true
	case "invalid_payload", "invalid_blocks", "invalid_blocks_format", "invalid_attachments", "too_many_attachments", "no_text", "msg_too_long",
		"msg_blocks_too_long", "invalid_arguments", "invalid_json", "json_not_object", "user_not_found":
		return channel.Permanent, true
	case "action_prohibited", "posting_to_general_channel_denied", "channel_not_found", "not_in_channel", "restricted_action", "missing_scope",
		"invalid_auth", "not_authed", "token_expired", "invalid_token", "access_denied", "internal_error", "fatal_error", "service_unavailable",
		"request_timeout", "rollup_error", "thread_not_found", "cannot_reply_to_message":
		return channel.Temporary, true
	}
	return channel.Temporary, false
}

// Check implements channel.Channel. With a token it requests the identity of the bot; for
// a webhook, only a message shows whether the URL is right.
func (c *Channel) Check(ctx context.Context) error {
	if !c.bot {
		_, err := c.endpoint.Reach(ctx, c.to)
		return err
	}
	answer, err := c.endpoint.Post(ctx, c.to.JoinPath("auth.test"), c.header.Clone(), []byte("{}"))
	if err == nil {
		_, err = read(answer)
	}
	return err
}

// Close implements channel.Channel.
func (c *Channel) Close() error { return c.endpoint.Close() }

package feishu

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// Addresses of the API.
const (
	DefaultURL = "https://open.feishu.cn"
	LarkURL    = "https://open.larksuite.com"
)

// spare is the remaining validity at which a token is replaced.
const spare = 5 * time.Minute

// app is an app of Feishu with a bot.
type app struct {
	base             *url.URL
	id, secret, chat string

	lock  chan struct{} // has one value, held while a goroutine reads or replaces the token
	token string
	until time.Time
}

func newApp(base *url.URL, id, secret, chat string) *app {
	return &app{base: base, id: strings.TrimSpace(id), secret: strings.TrimSpace(secret), chat: chat, lock: make(chan struct{}, 1)}
}

// target returns the type and the ID of the receiver of a message.
func (a *app) target(to channel.Receiver) (kind, id string, err error) {
	switch known := channel.CheckMention(to.Address) == nil; {
	case !to.Private && a.chat != "":
		return "chat_id", a.chat, nil
	case !known:
		return "", "", errors.New("the app has no chat for this message, and the receiver has no valid address")
	case strings.Contains(to.Address, "@"):
		return "email", to.Address, nil
	case strings.HasPrefix(to.Address, "ou_"):
		return "open_id", to.Address, nil
	}
	return "user_id", to.Address, nil
}

// appRequest is the body of a request to send a message. Content is JSON as text.
type appRequest struct {
	Receiver string `json:"receive_id"`
	Type     string `json:"msg_type"`
	Content  string `json:"content"`
	// Key prevents Feishu from showing the same message twice within an hour.
	Key string `json:"uuid,omitempty"`
}

// send sends a message to a person, or to the chat.
func (a *app) send(ctx context.Context, e *channel.Endpoint, now time.Time, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
	kind, id, err := a.target(to)
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	if kind != "chat_id" {
		to = channel.Receiver{} // a direct message needs no mention
	}
	content, err := channel.Payload(render(m, to))
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	r := appRequest{Receiver: id, Type: "interactive", Content: string(content)}
	if m.ID != "" {
		sum := sha256.Sum256([]byte(m.ID + "\n" + id))
		r.Key = hex.EncodeToString(sum[:16])
	}
	body, err := channel.Payload(r)
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	token, err := a.bearer(ctx, e, now)
	if err != nil {
		return channel.Receipt{}, err
	}
	where := a.base.JoinPath("open-apis", "im", "v1", "messages")
	where.RawQuery = "receive_id_type=" + kind
	answer, err := e.Post(ctx, where, channel.Header{"Authorization": {"Bearer " + token}}, body)
	if err != nil {
		return channel.Receipt{}, err
	}
	answer.Hide(token)
	got, err := receipt(answer)
	if tokenIsInvalid(channel.ErrorOf(err)) {
		a.forget(token)
	}
	return got, err
}

// bearer returns a token that stays valid for at least spare.
func (a *app) bearer(ctx context.Context, e *channel.Endpoint, now time.Time) (string, error) {
	select {
	case a.lock <- struct{}{}:
		defer func() { <-a.lock }()
	case <-ctx.Done():
		return "", &channel.Error{Kind: channel.Temporary, Err: context.Cause(ctx)}
	}
	if a.token == "" || !now.Before(a.until) {
		if err := a.renew(ctx, e, now); err != nil {
			return "", err
		}
	}
	return a.token, nil
}

// check gets a new token, even if the current one is valid.
func (a *app) check(ctx context.Context, e *channel.Endpoint, now time.Time) error {
	select {
	case a.lock <- struct{}{}:
		defer func() { <-a.lock }()
	case <-ctx.Done():
		return &channel.Error{Kind: channel.Temporary, Err: context.Cause(ctx)}
	}
	return a.renew(ctx, e, now)
}

// renew gets a token. The caller holds the lock.
func (a *app) renew(ctx context.Context, e *channel.Endpoint, now time.Time) error {
	body, err := channel.Payload(map[string]string{"app_id": a.id, "app_secret": a.secret})
	if err != nil {
		return &channel.Error{Kind: channel.Permanent, Err: err}
	}
	answer, err := e.Post(ctx, a.base.JoinPath("open-apis", "auth", "v3", "tenant_access_token", "internal"), nil, body)
	if err != nil {
		return err
	}
	if _, err = receipt(answer); err != nil {
		failure := channel.ErrorOf(err)
		if failure.Kind == channel.Permanent || failure.Kind == channel.Disabled {
			failure.Kind = channel.Temporary // the failure is not about the message
		}
		return failure
	}
	var grant struct {
		Token  string `json:"tenant_access_token"`
		Expire int64  `json:"expire"` // in seconds
	}
	if err := json.Unmarshal(answer.Body, &grant); err != nil || grant.Token == "" {
		return &channel.Error{Kind: channel.Temporary, Err: errors.New("the endpoint returned no token for the app")}
	}
	a.token, a.until = grant.Token, now.Add(time.Duration(grant.Expire)*time.Second-spare)
	return nil
}

// forget drops a rejected token, unless it was already replaced.
func (a *app) forget(token string) {
	a.lock <- struct{}{}
	defer func() { <-a.lock }()
	if a.token == token {
		a.token = ""
	}
}

package webhook

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

// maxKeys is the maximum number of keys of a channel. It limits the length of the
// signatures.
const maxKeys = 8

// Options configure a channel.
type Options struct {
	// URL is the endpoint. Parts of it may be secret.
	URL string
	// Keys sign every message: whsec_ and base64 (HMAC-SHA256), or whsk_ and base64
	// (ed25519). A channel has one to eight keys.
	Keys []string
	// Headers are sent with every request, such as Authorization. Their values may be
	// secret.
	Headers map[string]string
	// Plain allows http. The content and the headers are then sent without encryption.
	Plain bool
	// Client sends the requests; nil means channel.NewClient with a Guard that allows only
	// public addresses. The channel owns it.
	Client *channel.Client
}

// Channel sends messages to one endpoint.
type Channel struct {
	url      *url.URL
	keys     []key
	header   channel.Header
	endpoint channel.Endpoint
}

// New returns a channel.
//
// Errors: an option is not valid. The error shows no secret.
func New(o Options) (*Channel, error) {
	u, err := parseURL(o.URL, o.Plain)
	if err != nil {
		return nil, err
	}
	c := &Channel{url: u, header: channel.Header{}, endpoint: channel.Endpoint{Client: o.Client, Secrets: channel.SecretsOf(u)}}
	if len(o.Keys) == 0 || len(o.Keys) > maxKeys {
		return nil, fmt.Errorf("a webhook needs 1 to %d keys for its signatures, and has %d", maxKeys, len(o.Keys))
	}
	for i, text := range o.Keys {
		k, err := parseKey(text)
		if err != nil {
			return nil, fmt.Errorf("key %d: %w", i+1, err)
		}
		c.keys = append(c.keys, k)
		c.endpoint.Secrets = append(c.endpoint.Secrets, strings.TrimSpace(text))
	}
	for name, value := range o.Headers {
		if err := checkHeader(name, value); err != nil {
			return nil, err
		}
		c.header.Set(name, value)
		c.endpoint.Secrets = append(c.endpoint.Secrets, value)
	}
	if c.endpoint.Client == nil {
		c.endpoint.Client = channel.NewClient(channel.Guard{})
	}
	return c, nil
}

// parseURL is channel.ParseURL, but with plain it also accepts http to any host.
func parseURL(raw string, plain bool) (*url.URL, error) {
	if plain {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(raw), "http://"); ok {
			u, err := channel.ParseURL("https://" + rest)
			if err == nil {
				u.Scheme = "http"
			}
			return u, err
		}
	}
	return channel.ParseURL(raw)
}

// reserved are headers that the protocol sets.
const reserved = " host content-length content-type content-encoding transfer-encoding connection trailer upgrade te "

func checkHeader(name, value string) error {
	for i := range len(name) {
		if c := name[i]; c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return fmt.Errorf("header %q: the name has a character that is not allowed", name)
		}
	}
	lower := strings.ToLower(name)
	if name == "" || strings.Contains(reserved, " "+lower+" ") || strings.HasPrefix(lower, "webhook-") {
		return fmt.Errorf("header %q cannot be set: the protocol sets it", name)
	}
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\t' || c >= 0x7f {
			return fmt.Errorf("header %q: the value has a character that is not printable ASCII", name)
		}
	}
	return nil
}

// Traits implements channel.Channel.
func (c *Channel) Traits() channel.Traits {
	return channel.Traits{Kind: "webhook", Timeout: channel.DefaultTimeout}
}

// Send implements channel.Channel. It ignores the receiver, because the channel has only
// one endpoint.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, _ channel.Receiver) (channel.Receipt, error) {
	event := NewEvent(m)
	body, err := event.Encode()
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	now := time.Now()
	header := c.header.Clone()
	header.Set("Content-Type", "application/cloudevents+json; charset=utf-8")
	header.Set("Webhook-Id", event.ID)
	header.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix(), 10))
	header.Set("Webhook-Signature", signatures(c.keys, event.ID, now, body))
	answer, err := c.endpoint.Post(ctx, c.url, header, body)
	if err != nil {
		return channel.Receipt{}, err
	}
	if err := verdict(answer); err != nil {
		return channel.Receipt{}, err
	}
	return channel.Receipt{Status: "HTTP " + strconv.Itoa(answer.Status)}, nil
}

const gone = 410 // the HTTP status code

// verdict returns the error of an answer, or nil for success.
func verdict(a *channel.Answer) error {
	err := a.Err()
	if err == nil {
		return nil
	}
	e := channel.ErrorOf(err)
	switch {
	case a.Status == gone:
		e.Kind = channel.Disabled
	case strings.EqualFold(strings.TrimSpace(a.Header.Get("Webhook-Delivery")), "abort-message"):
		e.Kind = channel.Permanent
	case a.Status >= 300 && a.Status < 400:
		e.Kind, e.Err = channel.Temporary, errors.New("the endpoint has moved, and redirects are not followed; change the URL of the channel")
	case e.Kind == channel.Permanent:
		e.Kind = channel.Temporary
	}
	return e
}

// Check implements channel.Channel: the host answers. Only a message shows whether the
// path and the keys are right.
func (c *Channel) Check(ctx context.Context) error {
	_, err := c.endpoint.Reach(ctx, c.url)
	return err
}

// Close implements channel.Channel.
func (c *Channel) Close() error {
	return c.endpoint.Close()
}

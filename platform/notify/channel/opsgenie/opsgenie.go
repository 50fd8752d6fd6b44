package opsgenie

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

// DefaultURL is the address of Opsgenie's API in the USA. The EU has
// https://api.eu.opsgenie.com, and Jira Service Management has
// https://api.atlassian.com/jsm/ops/integration.
const DefaultURL = "https://api.opsgenie.com"

// Options configure a channel.
type Options struct {
	// Key is the key of an API integration. It is a secret.
	Key string
	// URL is the address of the API, without "/v2/alerts"; "" means DefaultURL.
	URL string
	// Client sends the requests; nil means channel.NewClient with a Guard that allows only
	// public addresses. The channel owns it.
	Client *channel.Client
}

// Channel sends messages to one integration of Opsgenie.
type Channel struct {
	alerts   *url.URL
	header   channel.Header
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
	if u.RawQuery != "" {
		return nil, errors.New("the URL of Opsgenie's API must not have a query")
	}
	key := strings.TrimSpace(o.Key)
	if key == "" {
		return nil, errors.New("the key is missing; Opsgenie shows it as the API key of an API integration")
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] >= 0x7f {
			return nil, errors.New("the key has a character that is not printable ASCII")
		}
	}
	c := &Channel{
		alerts: u.JoinPath("v2", "alerts"), header: channel.Header{"Authorization": {"GenieKey " + key}},
		endpoint: channel.Endpoint{Client: o.Client, Secrets: []string{key}},
	}
	if c.endpoint.Client == nil {
		c.endpoint.Client = channel.NewClient(channel.Guard{})
	}
	return c, nil
}

// Traits implements channel.Channel. The rate is below the limit of the smallest plan.
func (c *Channel) Traits() channel.Traits {
	return channel.Traits{Kind: "opsgenie", Rate: channel.Rate{Count: 60, Per: time.Minute}, Timeout: channel.DefaultTimeout}
}

// Send implements channel.Channel. It ignores the receiver: the integration chooses the
// responders.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, _ channel.Receiver) (channel.Receipt, error) {
	alias := aliasOf(m)
	to, content := c.alerts, any(newAlert(m))
	if m.Resolve {
		to = c.closing(alias)
		content = map[string]string{"source": "vedette", "note": message.Limit{Runes: maxMessage}.Cut(m.Title)}
	}
	body, err := channel.Payload(content)
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	answer, err := c.endpoint.Post(ctx, to, c.header, body)
	if err == nil {
		err = answer.Err()
	}
	if err != nil {
		return channel.Receipt{}, err
	}
	return channel.Receipt{Status: "HTTP " + strconv.Itoa(answer.Status), Ref: alias}, nil
}

// closing returns the URL that closes an alert. The alias is one segment of the path, with
// its slashes escaped.
func (c *Channel) closing(alias string) *url.URL {
	u := *c.alerts
	u.RawPath = c.alerts.EscapedPath() + "/" + url.PathEscape(alias) + "/close"
	u.Path = c.alerts.Path + "/" + alias + "/close"
	u.RawQuery = "identifierType=alias"
	return &u
}

// Check implements channel.Channel: the API answers. Only a message shows whether the key
// is right.
func (c *Channel) Check(ctx context.Context) error {
	_, err := c.endpoint.Reach(ctx, c.alerts)
	return err
}

// Close implements channel.Channel.
func (c *Channel) Close() error {
	return c.endpoint.Close()
}

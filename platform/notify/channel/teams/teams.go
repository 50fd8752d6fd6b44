package teams

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

// Options configure a channel.
type Options struct {
	// URL is the address of a workflow that starts "When a Teams webhook request is
	// received", or of an older incoming webhook. It is a secret.
	URL string
	// Client sends the requests; nil means channel.NewClient with a Guard that allows only
	// public addresses. The channel owns it.
	Client *channel.Client
}

// Channel sends Adaptive Cards to one channel or chat of Teams.
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
	if strings.Trim(u.Path, "/") == "" {
		return nil, errors.New("the URL has no path; Teams shows it in the workflow as the HTTP POST URL")
	}
	if o.Client == nil {
		o.Client = channel.NewClient(channel.Guard{})
	}
	return &Channel{to: u, endpoint: channel.Endpoint{Client: o.Client, Secrets: channel.SecretsOf(u)}}, nil
}

// Traits implements channel.Channel. Teams accepts four messages per second.
func (c *Channel) Traits() channel.Traits {
	return channel.Traits{Kind: "teams", Rate: channel.Rate{Count: 2, Per: time.Second}, Timeout: channel.DefaultTimeout}
}

// Send implements channel.Channel. The address of the receiver is a user principal name or
// an object ID of Entra; the mention shows the name.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, to channel.Receiver) (channel.Receipt, error) {
	body, err := channel.Payload(render(m, to))
	if err != nil {
		return channel.Receipt{}, &channel.Error{Kind: channel.Permanent, Err: err}
	}
	answer, err := c.endpoint.Post(ctx, c.to, nil, body)
	if err == nil {
		err = answer.Err()
	}
	if err != nil {
		return channel.Receipt{}, err
	}
	if words := string(answer.Body); strings.Contains(words, "failed with error") {
		// An older webhook answers 200 with the failure of the backend.
		return channel.Receipt{}, answer.Fail(kindOf(words), "HTTP "+strconv.Itoa(answer.Status), words)
	}
	return channel.Receipt{Status: "HTTP " + strconv.Itoa(answer.Status)}, nil
}

// kindOf returns the kind of a failure from the text of an older webhook.
func kindOf(words string) channel.ErrorKind {
	switch {
	case strings.Contains(words, "HTTP error 429"):
		return channel.Throttled
	case strings.Contains(words, "HTTP error 400"), strings.Contains(words, "HTTP error 413"):
		return channel.Permanent
	}
	return channel.Temporary
}

// Check implements channel.Channel: the server answers. Only a message shows whether the
// workflow exists.
func (c *Channel) Check(ctx context.Context) error {
	_, err := c.endpoint.Reach(ctx, c.to)
	return err
}

// Close implements channel.Channel.
func (c *Channel) Close() error { return c.endpoint.Close() }

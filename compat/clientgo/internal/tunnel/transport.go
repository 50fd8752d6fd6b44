package tunnel

import (
	"context"
	"io"
	"net/http"

	"k8s.io/client-go/rest"
)

// Transport is an http.RoundTripper that gives the answers of marked requests to their
// Source. It may stand anywhere in a chain of transports.
type Transport struct{ base http.RoundTripper }

// NewTransport returns a Transport that sends requests with base;
// http.DefaultTransport if base is nil.
func NewTransport(base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	if t, ok := base.(*Transport); ok {
		return t
	}
	return &Transport{base}
}

// Wrap returns a copy of cfg whose clients can be reached by a Source.
func Wrap(cfg *rest.Config) *rest.Config {
	cfg = rest.CopyConfig(cfg)
	cfg.Wrap(NewTransport)
	return cfg
}

// WrappedRoundTripper returns the transport below, for those who look for one with
// certain methods.
func (t *Transport) WrappedRoundTripper() http.RoundTripper { return t.base }

// CloseIdleConnections passes the call on.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	c := captureOf(req.Context())
	if c == nil || req.Method != http.MethodGet {
		return t.base.RoundTrip(req)
	}
	if err := c.enter(req.URL.Path); err != nil {
		return nil, err
	}
	if c.probe {
		return c.reply(req, nil), nil
	}
	resp, err := t.send(req, c)
	taken, err := c.answered(resp, err)
	switch {
	case err != nil:
		return nil, err
	case taken:
		return c.reply(req, resp), nil
	}
	return resp, nil
}

// send sends the request of the client with the parameters of the engine. The context of
// the engine ends the request at any time. The context of the client ends it too, until
// the headers of an answer to take arrive. An answer for the client stays the client's.
func (t *Transport) send(req *http.Request, c *capture) (*http.Response, error) {
	caller := req.Context()
	ctx, cancel := context.WithCancelCause(context.WithoutCancel(caller))
	follow := func(parent context.Context) (leave func() bool) {
		return context.AfterFunc(parent, func() { cancel(context.Cause(parent)) })
	}
	leaveCaller, leaveEngine := follow(caller), follow(c.body)
	end := func() { leaveCaller(); leaveEngine(); cancel(context.Canceled) }

	req = req.Clone(context.WithValue(ctx, markKey{}, (*capture)(nil))) // a second Transport below must not take the answer
	req.URL.RawQuery = c.merge(req.URL.Query())
	req.Header.Set("Accept", c.accept)
	resp, err := t.base.RoundTrip(req)
	if err != nil {
		end()
		if ended := caller.Err(); ended != nil {
			err = ended // HTTP/2 does not tell a timeout from a cancellation
		}
		return nil, err
	}
	resp.Body = &body{resp.Body, end}
	if resp.StatusCode == http.StatusOK && !leaveCaller() {
		resp.Body.Close()
		return nil, caller.Err()
	}
	return resp, nil
}

// body ends its request when it is closed.
type body struct {
	io.ReadCloser
	end func()
}

// Close implements io.Closer.
func (b *body) Close() error {
	defer b.end()
	return b.ReadCloser.Close()
}

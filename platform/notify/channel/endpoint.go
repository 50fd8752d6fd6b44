package channel

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// DefaultTimeout is the timeout of one request if the channel sets none.
const DefaultTimeout = 20 * time.Second

// Endpoint sends HTTP requests to a server. It follows no redirect: a redirect could lead
// into the private network, and would show the message to another server.
type Endpoint struct {
	// Client sends the requests.
	Client *http.Client
	// Timeout is for one request with its answer; 0 means DefaultTimeout.
	Timeout time.Duration
	// Secrets must not appear in errors: tokens, passwords, and the results of SecretsOf
	// for the URL.
	Secrets []string

	closed atomic.Bool
}

// Close closes the connections. Later requests fail.
func (e *Endpoint) Close() error {
	e.closed.Store(true)
	e.Client.CloseIdleConnections()
	return nil
}

// Post sends body as JSON. The caller checks the answer: Post does not return an error for
// a failure status.
//
// Errors: *Error if no answer arrived. The text contains neither the URL nor a secret. If
// ctx ended, the error wraps its cause.
func (e *Endpoint) Post(ctx context.Context, to *url.URL, header http.Header, body []byte) (*Answer, error) {
	h := http.Header{}
	maps.Copy(h, header)
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "application/json; charset=utf-8")
	}
	return e.do(ctx, http.MethodPost, to, h, body)
}

// Get sends a GET request.
//
// Errors: as Post.
func (e *Endpoint) Get(ctx context.Context, to *url.URL, header http.Header) (*Answer, error) {
	return e.do(ctx, http.MethodGet, to, header.Clone(), nil)
}

// Reach requests the root of the server, without the path that may contain a token, so it
// cannot send a message. Any answer shows that the name, the network and the certificate
// are correct.
//
// Errors: as Post.
func (e *Endpoint) Reach(ctx context.Context, to *url.URL) (*Answer, error) {
	return e.do(ctx, http.MethodHead, &url.URL{Scheme: to.Scheme, Host: to.Host, Path: "/"}, http.Header{}, nil)
}

func (e *Endpoint) do(ctx context.Context, method string, to *url.URL, header http.Header, body []byte) (*Answer, error) {
	if e.closed.Load() {
		return nil, &Error{Kind: Temporary, Err: errors.New("the channel is closed")}
	}
	timeout := e.Timeout
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, &Error{Kind: Permanent, Err: e.clean(err)}
	}
	if header != nil {
		request.Header = header
	}
	if request.Header.Get("User-Agent") == "" {
		request.Header.Set("User-Agent", "vedette")
	}
	client := *e.Client
	if client.CheckRedirect == nil {
		client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, e.fail(ctx, err)
	}
	defer response.Body.Close()
	answer := &Answer{Status: response.StatusCode, Header: response.Header, secrets: e.Secrets}
	if answer.Body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer)); err != nil {
		return nil, e.fail(ctx, err)
	}
	return answer, nil
}

// fail returns the error of a request without a complete answer. The endpoint may still
// have accepted the message.
func (e *Endpoint) fail(ctx context.Context, err error) error {
	var known *Error // from the dialer of a client that refuses addresses
	if errors.As(err, &known) {
		return &Error{Kind: known.Kind, RetryAfter: known.RetryAfter, Status: known.Status, Err: e.clean(known.Err)}
	}
	if cause := context.Cause(ctx); cause != nil {
		return &Error{Kind: Temporary, Err: fmt.Errorf("no answer: %w", cause)}
	}
	return &Error{Kind: Temporary, Err: fmt.Errorf("no answer: %w", e.clean(err))}
}

// clean removes the URL and the secrets from an error.
func (e *Endpoint) clean(err error) error {
	if err == nil {
		return nil
	}
	var u *url.Error
	for errors.As(err, &u) {
		err = u.Err
	}
	if text := err.Error(); Hide(text, e.Secrets...) != text {
		return errors.New(Hide(text, e.Secrets...))
	}
	return err
}

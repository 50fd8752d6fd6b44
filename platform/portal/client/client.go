package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
)

// Limits of requests.
const (
	maxAnswer  = 64 << 20 // bytes
	maxProblem = 1 << 20
	maxRest    = 64 << 10 // size of the rest of a body that is read, so that its connection can be reused
	timeout    = 60 * time.Second
)

// Options configure a client.
type Options struct {
	// Token returns the bearer token of a request. The client calls it before each request, so
	// the token may change. Nil sends none, and so does an empty token: a portal that is open to all
	// users of its machine needs none.
	Token func(context.Context) (string, error)
	// Cluster is the portal's name of the cluster that issued the token. It is needed if the portal
	// cannot tell.
	Cluster string
	// HTTP sends the requests; default: a client with the proxy of the environment. Its
	// redirects are not followed.
	HTTP *http.Client
	// Agent is the header User-Agent; default "vedette".
	Agent string
	// Language is the language of sentences: "en" or "zh"; default the portal's.
	Language string
}

// Client sends requests to a portal. Any goroutine may use it.
type Client struct {
	base *url.URL
	o    Options
	http *http.Client

	mu   sync.Mutex
	csrf string // of the session without a token
}

// New returns a client of the portal at an address, such as "https://vedette.example.com". It
// sends no request.
//
// Errors: an address that is not an HTTP URL; a token that would cross the network in clear text.
func New(address string, o Options) (*Client, error) {
	u, err := url.Parse(strings.TrimRight(address, "/"))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the portal's address: %w", err)
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("the portal's address is %q; want https://HOST or http://HOST", u.Redacted())
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("the portal's address has more than a host and a path: %s", u.Redacted())
	case u.Scheme == "http" && o.Token != nil && !loopback(u.Hostname()):
		return nil, fmt.Errorf("the portal at %s has no TLS, so it would receive the token in clear text; use https", u)
	}
	if o.HTTP == nil {
		o.HTTP = new(http.Client)
	}
	if o.Agent == "" {
		o.Agent = "vedette"
	}
	h := *o.HTTP
	h.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{base: u, o: o, http: &h}, nil
}

// loopback reports whether a host is this machine.
func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Address returns the address of the portal.
func (c *Client) Address() string { return c.base.String() }

// request returns a request. path has no empty segments, and its segments are escaped.
func (c *Client) request(ctx context.Context, method, path string, q url.Values, body io.Reader) (*http.Request, error) {
	at := c.base.String() + api.Prefix + path
	if len(q) > 0 {
		at += "?" + q.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, method, at, body)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", c.o.Agent)
	r.Header.Set("Accept", "application/json")
	if c.o.Language != "" {
		r.Header.Set("Accept-Language", c.o.Language)
	}
	token, err := c.token(ctx)
	if err != nil {
		return nil, err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
		if c.o.Cluster != "" {
			r.Header.Set(api.HeaderCluster, c.o.Cluster)
		}
	}
	return r, nil
}

// token returns the bearer token; "" for none.
func (c *Client) token(ctx context.Context) (string, error) {
	if c.o.Token == nil {
		return "", nil
	}
	token, err := c.o.Token(ctx)
	if err != nil {
		return "", fmt.Errorf("the token for the portal: %w", err)
	}
	return token, nil
}

// do sends a request, and decodes the answer to out, unless the answer has no content.
//
// Errors: *api.Problem; the portal does not answer.
func (c *Client) do(r *http.Request, out any) error {
	answer, err := c.http.Do(r)
	if err != nil {
		return unreachable(c.base, err)
	}
	defer finish(answer.Body)
	if answer.StatusCode == http.StatusNoContent {
		return nil
	}
	if answer.StatusCode != http.StatusOK {
		return problemOf(c.base, answer)
	}
	d := json.NewDecoder(io.LimitReader(answer.Body, maxAnswer))
	if err := d.Decode(out); err != nil {
		return &api.Problem{Type: api.ProblemFault, Title: "The answer cannot be read", Status: http.StatusBadGateway, Detail: noPortal(fmt.Sprintf("The answer of %s is not JSON of this API", c.base))}
	}
	return nil
}

// SignInMethods returns the methods to sign in. It sends no token.
func (c *Client) SignInMethods(ctx context.Context) (*api.SignInMethods, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base.String()+api.PathSignInMethods, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("User-Agent", c.o.Agent)
	r.Header.Set("Accept", "application/json")
	out := new(api.SignInMethods)
	return out, c.do(r, out)
}

// get reads something.
func get[T any](ctx context.Context, c *Client, path string, q url.Values) (*T, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	r, err := c.request(ctx, http.MethodGet, path, q, nil)
	if err != nil {
		return nil, err
	}
	out := new(T)
	return out, c.do(r, out)
}

// send writes something. body may be nil.
func send[T any](ctx context.Context, c *Client, method, path string, body any) (*T, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	csrf, err := c.forgery(ctx, false)
	for tried := false; err == nil; tried = true {
		out := new(T)
		err = c.write(ctx, method, path, csrf, body, out)
		var p *api.Problem
		if tried || csrf == "" || !errors.As(err, &p) || p.Type != api.ProblemForgery {
			return out, err
		}
		csrf, err = c.forgery(ctx, true) // the portal has restarted
	}
	return nil, err
}

func (c *Client) write(ctx context.Context, method, path, csrf string, body, out any) error {
	var text io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = bytes.NewReader(b)
	}
	r, err := c.request(ctx, method, path, nil, text)
	if err != nil {
		return err
	}
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if csrf != "" {
		r.Header.Set("X-Vedette-CSRF", csrf)
	}
	return c.do(r, out)
}

// forgery returns the token that a write without a bearer token needs.
func (c *Client) forgery(ctx context.Context, again bool) (string, error) {
	if token, err := c.token(ctx); token != "" || err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.csrf == "" || again {
		s, err := get[api.Session](ctx, c, api.PathSession, nil)
		if err != nil {
			return "", err
		}
		c.csrf = s.CSRF
	}
	return c.csrf, nil
}

// UnreachableError is the error of a request without an answer. It names no parameters.
type UnreachableError struct {
	Address string // of the portal
	Err     error
}

// Error implements error.
func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the portal at %s does not answer: %v", e.Address, e.Err)
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// unreachable returns the error of a request without an answer.
func unreachable(base *url.URL, err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return &UnreachableError{base.String(), err}
}

// finish reads the rest of a body, so that its connection can be reused.
func finish(body io.ReadCloser) {
	_, _ = io.CopyN(io.Discard, body, maxRest) // if more remains, the connection is closed
	_ = body.Close()
}

// problemOf reads the problem of an answer. An answer of another server becomes a problem, too.
func problemOf(base *url.URL, answer *http.Response) error {
	p := &api.Problem{}
	media, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if media == "application/problem+json" && json.NewDecoder(io.LimitReader(answer.Body, maxProblem)).Decode(p) == nil && p.Type != "" {
		p.Status = answer.StatusCode
		return p
	}
	text := fmt.Sprintf("The server at %s answered %s", base, answer.Status)
	if to, err := answer.Location(); err == nil {
		text += " with a redirect to " + to.Scheme + "://" + to.Host
	}
	p = &api.Problem{Type: api.ProblemFault, Title: "The server refused the request", Status: answer.StatusCode, Detail: noPortal(text)}
	switch answer.StatusCode {
	case http.StatusUnauthorized:
		p.Type = api.ProblemSignIn
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		p.Detail = text + ", so it is a proxy whose portal does not answer. Try again."
	case http.StatusBadRequest:
		if base.Scheme == "http" {
			p.Detail = text + ". If it has TLS, its address begins with https: check the address."
		}
	}
	return p
}

// noPortal is the remedy for an answer that is not a portal's.
func noPortal(text string) string {
	return text + ", so it is not a portal, or a proxy in front of it requires its own sign-in: check the address."
}

// filled returns a path of package api with the values of its parameters.
func filled(path string, values ...string) string {
	var out strings.Builder
	for _, value := range values {
		before, rest, _ := strings.Cut(path, "{")
		_, path, _ = strings.Cut(rest, "}")
		out.WriteString(before + segment(value))
	}
	return out.String() + path
}

// segment escapes a segment of a path. A segment of only dots would select another path.
func segment(value string) string {
	if value == "." || value == ".." {
		return strings.ReplaceAll(value, ".", "%2E")
	}
	return url.PathEscape(value)
}

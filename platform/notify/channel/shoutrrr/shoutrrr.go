package shoutrrr

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nicholas-fedor/shoutrrr/pkg/services/chat/telegram"
	"github.com/nicholas-fedor/shoutrrr/pkg/types"
	"github.com/nicholas-fedor/shoutrrr/pkg/util/jsonclient"

	"github.com/vedette-io/vedette/platform/notify/channel"
	"github.com/vedette-io/vedette/platform/notify/message"
)

const (
	timeout  = 30 * time.Second
	maxWords = 200 // bytes of an error of the library
)

// Options configure a channel.
type Options struct {
	// URL names the service, in the format of shoutrrr's documentation:
	// "ntfy://ntfy.sh/topic". It is a secret.
	URL string
	// Guard determines the allowed addresses.
	Guard channel.Guard
}

// Channel sends messages to one service.
type Channel struct {
	kind      string
	service   service
	url       *url.URL
	guard     channel.Guard
	secrets   []string
	transport *transport
	client    *http.Client
	turn      chan struct{} // the holder uses opened
	opened    types.Service // nil until the first message, because some services send a request when they open
	closed    atomic.Bool
	closeIdle func()
}

// New returns a channel. It sends no request.
//
// Errors: the URL does not name a supported service. The error does not show the URL.
func New(o Options) (*Channel, error) {
	u, err := url.Parse(strings.TrimSpace(o.URL))
	if err != nil || u.Scheme == "" {
		return nil, errors.New("the URL is not valid; it looks like ntfy://HOST/TOPIC")
	}
	kind := strings.ToLower(u.Scheme)
	if own, ok := ours[kind]; ok {
		return nil, fmt.Errorf("%s has its own type of channel: use the type %q", kind, own)
	}
	s, ok := services[kind]
	if !ok {
		return nil, fmt.Errorf("the service %q does not exist; services: %s", message.Clean(kind), strings.Join(names(), ", "))
	}
	for name := range u.Query() {
		if forbidden[strings.ToLower(name)] {
			return nil, fmt.Errorf("the URL sets %s, which is not allowed: text of users would become markup, or certificates would not be checked", message.Clean(name))
		}
	}
	client := channel.NewClient(o.Guard)
	closeIdle := (&http.Client{Transport: client.Transport}).CloseIdleConnections
	t := &transport{inner: client.Transport}
	client.Transport = t
	c := &Channel{kind: kind, service: s, url: u, guard: o.Guard, secrets: secretsOf(u, s.host != ""), transport: t, client: client, turn: make(chan struct{}, 1), closeIdle: closeIdle}
	if s.reach == guarded { // these open without a request, so mistakes show here
		if _, err := c.open(); err != nil {
			return nil, fmt.Errorf("the URL of %s is not valid: %s", kind, c.clean(err))
		}
	}
	return c, nil
}

func names() (all []string) {
	for name := range services {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// secretsOf returns all parts of a URL that may be secret. URLs of services with a fixed
// host have a token in place of the host.
func secretsOf(u *url.URL, host bool) []string {
	all := append(channel.SecretsOf(u), u.User.Username())
	if host {
		all = append(all, u.Host, u.Hostname())
	}
	return append(all, strings.Split(u.Path, "/")...)
}

// open creates the service of the library.
func (c *Channel) open() (types.Service, error) {
	s := c.service.open()
	u := *c.url // the library changes it
	if err := s.Initialize(&u, nil); err != nil {
		return nil, err
	}
	if c.service.reach == guarded && !c.transport.install(s, c.client) {
		if _, ok := s.(*telegram.Service); !ok {
			return nil, errors.New("the service does not take an HTTP client")
		}
	}
	return s, nil
}

// Traits implements channel.Channel. The rate suits the strictest service.
func (c *Channel) Traits() channel.Traits {
	return channel.Traits{Kind: "shoutrrr", Rate: channel.Rate{Count: 20, Per: time.Minute}, Timeout: timeout}
}

// Send implements channel.Channel. It ignores the receiver, because the URL contains it.
//
// Errors: see the package.
func (c *Channel) Send(ctx context.Context, m *message.Message, _ channel.Receiver) (channel.Receipt, error) {
	if c.closed.Load() {
		return channel.Receipt{}, &channel.Error{Kind: channel.Temporary, Err: errors.New("the channel is closed")}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	title, text := textOf(m, &c.service)
	params := types.Params{}
	if c.service.title {
		params.SetTitle(title)
	}
	if c.kind == "discord" {
		params["splitlines"] = "no" // otherwise each line becomes a separate message
	}
	select {
	case c.turn <- struct{}{}:
	case <-ctx.Done():
		return channel.Receipt{}, late(ctx)
	}
	if c.service.reach == checked {
		if err := c.check(ctx); err != nil {
			<-c.turn
			return channel.Receipt{}, err
		}
	}
	done := make(chan error, 1)
	go func() {
		defer func() { <-c.turn }()
		done <- c.send(ctx, text, params)
	}()
	select {
	case err := <-done:
		if err != nil {
			return channel.Receipt{}, c.failure(ctx, err)
		}
		return channel.Receipt{Status: "taken by " + c.kind}, nil
	case <-ctx.Done():
		if c.service.reach == guarded { // the request ends with ctx, and so does the goroutine
			<-done
		}
		return channel.Receipt{}, late(ctx)
	}
}

// telegramTurn guards the default client of the library, which its Telegram code uses.
var telegramTurn sync.Mutex

// send calls the library. A panic of the library becomes an error.
func (c *Channel) send(ctx context.Context, text string, params types.Params) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("the library failed: %v", p)
		}
	}()
	c.transport.begin(ctx)
	if c.opened == nil {
		if c.opened, err = c.open(); err != nil {
			c.opened = nil
			return err
		}
	}
	if c.kind == "telegram" {
		telegramTurn.Lock()
		defer telegramTurn.Unlock()
		jsonclient.DefaultClient = jsonclient.NewWithHTTPClient(c.client)
	}
	if err = c.opened.Send(text, &params); err == nil && c.service.reach == guarded {
		err = c.transport.failure()
	}
	return err
}

func late(ctx context.Context) error {
	return &channel.Error{Kind: channel.Temporary, Err: fmt.Errorf("the service did not answer in time: %w", context.Cause(ctx))}
}

// check resolves the host of the URL and checks each address with the guard.
func (c *Channel) check(ctx context.Context) error {
	resolver := c.guard.Resolver
	if resolver == nil {
		resolver = net.DefaultResolver
	}
	host := c.url.Hostname()
	if host == "" && c.kind == "googlechat" {
		host = "chat.googleapis.com"
	}
	addresses, err := resolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return &channel.Error{Kind: channel.Temporary, Err: fmt.Errorf("the host of the service has no address: %s", c.clean(err))}
	}
	for _, a := range addresses {
		if err := c.guard.Check(host, a); err != nil {
			return &channel.Error{Kind: channel.Permanent, Err: err}
		}
	}
	return nil
}

// failure returns an error of the library without the URL.
func (c *Channel) failure(ctx context.Context, err error) error {
	if r := c.transport.refusal(); r != nil {
		answer := channel.ErrorOf((&channel.Answer{Status: r.code, Header: r.header}).Err())
		answer.Err = errors.New(c.clean(fmt.Errorf("%s refused the message: %q", c.kind, r.text)))
		return answer
	}
	var known *channel.Error // of the guard
	if errors.As(err, &known) {
		return &channel.Error{Kind: known.Kind, Err: known.Err}
	}
	if ctx.Err() != nil {
		return late(ctx)
	}
	return &channel.Error{Kind: channel.Temporary, Err: errors.New(c.clean(err))}
}

var urls = regexp.MustCompile(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"']*`)

// clean returns the text of an error without URLs and secrets.
func (c *Channel) clean(err error) string {
	text := urls.ReplaceAllString(strings.Join(strings.Fields(err.Error()), " "), "[URL]")
	return message.Limit{Bytes: maxWords}.Cut(message.Clean(channel.Hide(text, c.secrets...)))
}

// Check implements channel.Channel: the host answers. Only a message shows whether the
// token is right.
func (c *Channel) Check(ctx context.Context) error {
	if c.service.reach == checked {
		if err := c.check(ctx); err != nil {
			return err
		}
	}
	host := c.service.hostOf(c.url)
	if host == "" {
		return nil
	}
	scheme := "https"
	if plainHTTP(c.url) {
		scheme = "http"
	}
	client := channel.NewClient(c.guard)
	defer client.CloseIdleConnections()
	reach := channel.Endpoint{Client: client, Timeout: timeout, Secrets: c.secrets}
	_, err := reach.Reach(ctx, &url.URL{Scheme: scheme, Host: host})
	return err
}

// Close implements channel.Channel. It does not wait for a request of the library that
// hangs.
func (c *Channel) Close() error {
	c.closed.Store(true)
	c.closeIdle()
	return nil
}

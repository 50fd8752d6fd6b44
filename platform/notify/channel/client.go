package channel

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"syscall"
	"time"

	"github.com/vedette-io/vedette/internal/readlimit"
)

// Limits of one request. Standard Webhooks recommends 15 to 30 s.
const (
	requestTimeout = 20 * time.Second
	connectTimeout = 10 * time.Second
	maxHeader      = 64 << 10
	maxBody        = 64 << 10 // of an answer
	maxConnections = 16       // per host
)

// Client and Header are the types of net/http, so that packages of channels need not
// import it.
type (
	Client = http.Client
	Header = http.Header
)

// NewClient returns a client for requests to endpoints that other people may have chosen.
// It connects only to addresses that the guard allows; otherwise the error wraps a
// RefusedError and an Error of kind Permanent. It follows no redirects, uses no proxy from
// the environment, decompresses no answers, and ends every request after 20 s. Reading
// more than 64 KB of an answer fails with a *readlimit.Error.
//
// The caller calls CloseIdleConnections when it no longer needs the client.
func NewClient(g Guard) *Client {
	transport := &http.Transport{
		DialContext:            g.dial,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: g.Roots},
		TLSHandshakeTimeout:    connectTimeout,
		ResponseHeaderTimeout:  requestTimeout,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConnsPerHost:    2,
		MaxConnsPerHost:        maxConnections,
		MaxResponseHeaderBytes: maxHeader,
		DisableCompression:     true,
		ForceAttemptHTTP2:      true,
	}
	if g.Proxy != nil {
		transport.Proxy = http.ProxyURL(g.Proxy)
	}
	return &http.Client{
		Transport:     &bounded{transport, &g},
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// dial connects to a host, and checks every address before it connects to it.
func (g *Guard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second, Resolver: g.Resolver}
	if g.Proxy == nil { // otherwise the address is the proxy's, which the settings name
		dialer.ControlContext = func(_ context.Context, _, resolved string, _ syscall.RawConn) error {
			ip, err := netip.ParseAddrPort(resolved)
			if err != nil {
				return fmt.Errorf("the address cannot be parsed: %w", err)
			}
			return refusal(g.Check(host, ip.Addr()))
		}
	}
	return dialer.DialContext(ctx, network, address)
}

// checkName checks the host of a URL that a proxy resolves.
func (g *Guard) checkName(host string) error {
	if ip, err := netip.ParseAddr(host); err == nil {
		return refusal(g.Check(host, ip))
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	last := name[strings.LastIndexByte(name, '.')+1:]
	number := last != "" && strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x")
	if (number || last == "localhost") && !g.allowsHost(host) {
		return &Error{Kind: Permanent, Err: fmt.Errorf("the host %q is refused: a proxy may read it as a private address", host)}
	}
	return nil
}

// refusal returns the error of a guard as a permanent channel error, because a retry is
// useless.
func refusal(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Kind: Permanent, Err: err}
}

// bounded checks the hosts of requests, and limits the size of answers.
type bounded struct {
	*http.Transport
	guard *Guard
}

// RoundTrip implements http.RoundTripper.
func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	if b.guard.Proxy != nil {
		if err := b.guard.checkName(r.URL.Hostname()); err != nil {
			return nil, err
		}
	}
	answer, err := b.Transport.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	answer.Body = readlimit.Body(answer.Body, r.URL.Host, maxBody)
	return answer, nil
}

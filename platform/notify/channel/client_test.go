package channel_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/vedette-io/vedette/internal/readlimit"
	"github.com/vedette-io/vedette/platform/notify/channel"
)

var loopback = channel.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}}

// get sends a request with a client of the guard.
func get(t *testing.T, g channel.Guard, target string) (code int, body []byte, err error) {
	t.Helper()
	client := channel.NewClient(g)
	t.Cleanup(client.CloseIdleConnections)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, target, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	body, err = io.ReadAll(answer.Body)
	return answer.StatusCode, body, err
}

// wantRefused expects the guard's error.
func wantRefused(t *testing.T, err error) {
	t.Helper()
	var refused *channel.RefusedError
	if !errors.As(err, &refused) || channel.ErrorOf(err).Kind != channel.Permanent {
		t.Errorf("%v, want refused and permanent", err)
	}
}

// TestClientRefuses: no spelling of a private address connects to it.
func TestClientRefuses(t *testing.T) {
	var reached atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for _, host := range []string{"127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "127.1.2.3", "0.0.0.0", "[::]", "169.254.169.254", "[fd00:ec2::254]"} {
		_, _, err := get(t, channel.Guard{}, "http://"+host+":"+port+"/secret?token=secret")
		if host == "0.0.0.0" || host == "[::]" || !strings.HasPrefix(host, "[") || err == nil {
			wantRefused(t, err)
		}
	}
	for _, host := range []string{"2130706433", "0x7f000001", "127.1", "0177.0.0.1"} { // never an address in Go
		if _, _, err := get(t, channel.Guard{}, "http://"+host+":"+port+"/secret"); err == nil {
			t.Errorf("%s was reached, want an error", host)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("%d requests reached the server", n)
	}
	if code, _, err := get(t, loopback, server.URL); err != nil || code != 200 {
		t.Errorf("allowed: got status %d and error %v, want 200", code, err)
	}
}

// TestClientChecksAfterDNS: a public name with a private address is refused.
func TestClientChecksAfterDNS(t *testing.T) {
	for _, address := range []string{"169.254.169.254", "10.0.0.1", "127.0.0.1", "100.64.0.9"} {
		g := channel.Guard{Resolver: resolver(t, netip.MustParseAddr(address))}
		_, _, err := get(t, g, "http://hooks.example.com/secret?token=secret")
		wantRefused(t, err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	g := channel.Guard{AllowHosts: []string{"hooks.example.com"}, Resolver: resolver(t, netip.MustParseAddr("127.0.0.1"))}
	if code, _, err := get(t, g, "http://hooks.example.com:"+port+"/"); err != nil || code != 200 {
		t.Errorf("an allowed host: %d, %v", code, err)
	}
}

// resolver returns a resolver that returns the same address for all names.
func resolver(t *testing.T, address netip.Addr) *net.Resolver {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		answerDNS(socket, address)
	}()
	t.Cleanup(func() {
		_ = socket.Close()
		<-done
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", socket.LocalAddr().String())
	}}
}

func answerDNS(socket net.PacketConn, address netip.Addr) {
	packet := make([]byte, 1500)
	for {
		n, from, err := socket.ReadFrom(packet)
		if err != nil {
			return
		}
		var m dnsmessage.Message
		if m.Unpack(packet[:n]) != nil || len(m.Questions) != 1 {
			continue
		}
		q := m.Questions[0]
		m.Response, m.Additionals = true, nil
		if q.Type == dnsmessage.TypeA {
			m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class}, Body: &dnsmessage.AResource{A: address.As4()}}}
		}
		if out, err := m.Pack(); err == nil {
			_, _ = socket.WriteTo(out, from)
		}
	}
}

// TestClientFollowsNothing: a redirect is treated like any other answer.
func TestClientFollowsNothing(t *testing.T) {
	var reached atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		http.Redirect(w, r, "http://169.254.169.254/latest/meta-data/", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	if code, _, err := get(t, loopback, server.URL); err != nil || code != 307 || reached.Load() != 1 {
		t.Errorf("got status %d, error %v, %d requests; want 307 after 1", code, err, reached.Load())
	}
}

// TestClientBoundsAnswers: a long answer is truncated, and an answer that never ends does
// not block the caller.
func TestClientBoundsAnswers(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/long" {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
			return
		}
		w.WriteHeader(http.StatusInternalServerError)
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer server.Close()
	if _, body, err := get(t, loopback, server.URL+"/long"); !errors.As(err, new(*readlimit.Error)) || len(body) != 64<<10 {
		t.Errorf("a long answer: %d bytes, %v", len(body), err)
	}
	client := channel.NewClient(loopback)
	defer client.CloseIdleConnections()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/slow", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	cancel()
	if _, err := io.ReadAll(answer.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("an answer without an end: %v", err)
	}
}

// TestClientIgnoresTheEnvironment: a proxy in the environment is not used. A proxy in the
// guard is used, and hosts that the proxy would parse as addresses are refused.
func TestClientIgnoresTheEnvironment(t *testing.T) {
	var seen atomic.Value
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen.Store(r.URL.String()) }))
	defer proxy.Close()
	t.Setenv("HTTP_PROXY", proxy.URL)
	t.Setenv("http_proxy", proxy.URL)
	if _, _, err := get(t, channel.Guard{Allow: loopback.Allow, Resolver: resolver(t, netip.MustParseAddr("10.0.0.1"))}, "http://hooks.example.com/"); err == nil || seen.Load() != nil {
		t.Errorf("the proxy of the environment was used: %v", err)
	}
	u, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	if code, _, err := get(t, channel.Guard{Proxy: u}, "http://hooks.example.com/x"); err != nil || code != 200 || seen.Load() != "http://hooks.example.com/x" {
		t.Errorf("the configured proxy: %d, %v", code, err)
	}
	for _, host := range []string{"169.254.169.254", "[::1]", "localhost", "a.localhost.", "2130706433", "0x7f.1", "127.1", "0x7f000001"} {
		if _, _, err := get(t, channel.Guard{Proxy: u}, "http://"+host+"/"); err == nil || !strings.Contains(err.Error(), "refused") {
			t.Errorf("%s by a proxy: got %v, want it refused", host, err)
		}
	}
}

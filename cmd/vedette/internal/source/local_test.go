package source

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/localtoken"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// TestLocalToken: the token goes to the address that has proved that it knows the token, and to no
// other one. A portal that takes no local token gets none, and so does another machine.
func TestLocalToken(t *testing.T) {
	at := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "AppData"} {
		t.Setenv(name, at)
	}
	if l, err := newLocal("http://127.0.0.1:8080", new(http.Transport)); l != nil || err != nil {
		t.Errorf("without a file: got %v and error %v, want none", l, err)
	}
	token, err := localtoken.Keep()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"http://example.com", "https://10.0.0.1", "http://localhost.example.com:8080"} {
		if l, err := newLocal(address, new(http.Transport)); l != nil || err != nil {
			t.Errorf("%s: got a token, error %v; want none", address, err)
		}
	}
	portal := func(cfg identity.Config) (*local, *http.Transport, net.Addr) {
		t.Helper()
		i, err := identity.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(i.Handler(http.NotFoundHandler()))
		t.Cleanup(server.Close)
		transport := &http.Transport{DisableKeepAlives: true}
		l, err := newLocal(server.URL, transport)
		if err != nil {
			t.Fatal(err)
		}
		if l.portal, err = client.New(server.URL, client.Options{HTTP: &http.Client{Transport: transport}}); err != nil {
			t.Fatal(err)
		}
		return l, transport, server.Listener.Addr()
	}
	l, transport, address := portal(identity.Config{LocalToken: token})
	if got, err := l.Token(t.Context()); got != token || err != nil {
		t.Errorf("the user's portal: got error %v, want the token", err)
	}
	stranger, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stranger.Close()
	c, err := transport.DialContext(t.Context(), "tcp", stranger.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if c.RemoteAddr().String() != address.String() {
		t.Errorf("a request with the token goes to %v, want %v", c.RemoteAddr(), address)
	}
	_ = c.Close()
	for name, cfg := range map[string]identity.Config{"all users": {InsecureLoopback: true}, "sign-in": {Proxy: &identity.Proxy{CIDRs: []string{"10.0.0.1/32"}}}} {
		l, _, _ := portal(cfg)
		if got, err := l.Token(t.Context()); got != "" || err != nil {
			t.Errorf("a portal with %s: got a token, error %v; want none", name, err)
		}
	}
	l, _, _ = portal(identity.Config{LocalToken: token + "-of-another-user"})
	if got, err := l.Token(t.Context()); got != "" || err == nil || strings.Contains(err.Error(), token) || !strings.Contains(err.Error(), "vedette login") {
		t.Errorf("another user's portal: got %q and error %v", got, err)
	}
}

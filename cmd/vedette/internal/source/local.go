package source

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"

	"github.com/vedette-io/vedette/internal/localtoken"
	"github.com/vedette-io/vedette/platform/portal/client"
	"github.com/vedette-io/vedette/platform/portal/identity"
)

// local sends the local token of the user to a portal on this machine that proves to be the user's.
// Any goroutine may use it.
type local struct {
	token  string
	portal *client.Client // sends no token
	dialer net.Dialer

	mu     sync.Mutex
	proved net.Addr // the address whose portal proved that it knows the token; nil before
}

// newLocal returns the local token for a portal at an address; nil if the user has none, or if the
// portal is on another machine. It makes the transport send the token to the proved address only.
func newLocal(address string, transport *http.Transport) (*local, error) {
	u, err := url.Parse(address)
	if err != nil || !thisMachine(u.Hostname()) {
		return nil, nil
	}
	token, err := localtoken.Read()
	if token == "" || err != nil {
		return nil, err
	}
	l := &local{token: token}
	transport.DialContext = l.dial
	return l, nil
}

// dial connects to the proved address, once there is one: localhost is several addresses, and a
// stranger may listen at another one.
func (l *local) dial(ctx context.Context, network, address string) (net.Conn, error) {
	l.mu.Lock()
	if l.proved != nil {
		address = l.proved.String()
	}
	l.mu.Unlock()
	return l.dialer.DialContext(ctx, network, address)
}

// Token returns the token for a request; "" if the portal takes none, or does not answer.
//
// Errors: the portal takes a local token that is not the user's.
func (l *local) Token(ctx context.Context) (string, error) {
	l.mu.Lock()
	proved := l.proved
	l.mu.Unlock()
	if proved != nil {
		return l.token, nil
	}
	nonce := rand.Text()
	proof, at, err := l.portal.LocalProof(ctx, nonce)
	switch {
	case err != nil || at == nil:
		return "", nil // the request itself gets a better answer
	case !hmac.Equal([]byte(proof), []byte(identity.LocalProof(l.token, nonce, at))):
		return "", fmt.Errorf("%s takes the local token of another user or machine, so yours was not sent: use the address of your own portal, or give its token to `vedette login --server %[1]s --with token`", l.portal.Address())
	}
	l.mu.Lock()
	l.proved = at
	l.mu.Unlock()
	return l.token, nil
}

// thisMachine reports whether a host is this machine.
func thisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

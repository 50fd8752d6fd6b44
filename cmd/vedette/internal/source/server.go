package source

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sync"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/cmd/vedette/internal/tokenstore"
	"github.com/vedette-io/vedette/platform/portal/client"
)

// ServerFlags name a portal.
type ServerFlags struct {
	URL   string
	CA    string        // a file
	agent func() string // the User-Agent of requests
}

// AddFlags adds the flags. They are settings; see settings.AddConfig.
func (s *ServerFlags) AddFlags(cmd *cobra.Command) {
	s.agent = func() string { return "vedette/" + cmd.Root().Version }
	f := cmd.Flags()
	f.StringVar(&s.URL, "server", "", "portal to use instead of a database and a cluster: https://HOST (default: VEDETTE_SERVER); see vedette login")
	f.StringVar(&s.CA, "server-ca", "", "file with further certificate authorities to trust for the portal (default: only those of the system)")
}

// Client returns a client of the portal. It sends the token that `vedette login` stored, else the
// local token, if the portal is the user's own on this machine.
//
// Errors: a wrong address; a file of tokens cannot be used.
func (s *ServerFlags) Client() (*client.Client, error) {
	transport, err := Transport(s.CA)
	if err != nil {
		return nil, err
	}
	options := client.Options{HTTP: &http.Client{Transport: transport}, Agent: s.agent()}
	c, err := client.New(s.URL, options)
	if err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	keys, err := tokenstore.Open()
	if err != nil {
		return nil, err
	}
	key, ok := keys.Get(c.Address())
	if ok {
		options.Cluster = key.Cluster
		var renewing sync.Mutex // a second request uses the token that the first one renewed
		options.Token = func(ctx context.Context) (string, error) {
			renewing.Lock()
			defer renewing.Unlock()
			key, _ := keys.Get(c.Address())
			return tokenstore.Token(ctx, c.Address(), key, keys, options.HTTP)
		}
	} else {
		l, err := newLocal(c.Address(), transport)
		if l == nil {
			return c, err
		}
		l.portal, options.Token = c, l.Token
	}
	if c, err = client.New(s.URL, options); err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	return c, nil
}

// Transport returns a transport that trusts the authorities in a file, or those of the
// system.
func Transport(file string) (*http.Transport, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = true // a command sends few requests, and then ends
	if file == "" {
		return transport, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--server-ca: %w", err)
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--server-ca: %s has no certificate in PEM", file)
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return transport, nil
}

// Secure reports whether an address uses TLS or is on this machine.
func Secure(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && thisMachine(u.Hostname())
}

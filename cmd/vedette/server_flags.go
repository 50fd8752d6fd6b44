package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"

	"github.com/spf13/cobra"

	"github.com/vedette-io/vedette/portal/client"
)

// serverFlags name a portal.
type serverFlags struct {
	url string
	ca  string // a file
}

// addFlags adds the flags. They are settings; see settled.
func (s *serverFlags) addFlags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.url, "server", "", "portal to ask instead of a database and a cluster: https://HOST (default: VEDETTE_SERVER); see vedette login")
	f.StringVar(&s.ca, "server-ca", "", "file with the certificates of authorities that the portal's certificate may come from (default: only those of the system)")
}

// client returns a client of the portal, with the token that `vedette login` stored. Without
// one it sends none.
//
// Errors: a wrong address; the token file cannot be used.
func (s *serverFlags) client() (*client.Client, error) {
	transport, err := transportWith(s.ca)
	if err != nil {
		return nil, err
	}
	options := client.Options{HTTP: &http.Client{Transport: transport}, Agent: "vedette/" + version()}
	c, err := client.New(s.url, options)
	if err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	keys, err := openKeys()
	if err != nil {
		return nil, err
	}
	key, ok := keys.of(c.Address())
	if !ok {
		return c, nil
	}
	options.Token = func(ctx context.Context) (string, error) { return tokenOf(ctx, c.Address(), key, keys, options.HTTP) }
	if c, err = client.New(s.url, options); err != nil {
		return nil, fmt.Errorf("--server: %w", err)
	}
	return c, nil
}

// transportWith returns a transport that trusts the authorities in a file, or those of the
// system.
func transportWith(file string) (*http.Transport, error) {
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

// secure reports whether an address is that of a server with TLS, or of this machine.
func secure(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback())
}

package portal_test

import (
	"bufio"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/vedette-io/vedette/platform/portal"
)

// selfSigned writes a certificate for the loopback address and its key.
func selfSigned(t *testing.T) (certFile, keyFile string, pool *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := x509.Certificate{SerialNumber: big.NewInt(1), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true} // an input: the validity of a certificate
	der, err := x509.CreateCertificate(rand.Reader, &template, &template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	certFile, keyFile = filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	for name, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: der}, keyFile: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool = x509.NewCertPool()
	pool.AddCert(cert)
	return certFile, keyFile, pool
}

// TestHTTP2: streams and requests share one TLS connection, and end with the portal.
func TestHTTP2(t *testing.T) {
	certFile, keyFile, pool := selfSigned(t)
	s := newWorld(t).serve(func(c *portal.Config) { c.CertFile, c.KeyFile = certFile, keyFile }).ready()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	h2 := &http.Client{Transport: transport}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var streams []*bufio.Reader
	for range 20 {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+s.address+"/api/v1/stream", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := h2.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		if resp.ProtoMajor != 2 || resp.StatusCode != http.StatusOK || resp.Header.Get("Strict-Transport-Security") == "" {
			t.Errorf("got %s, status %d, headers %v; want HTTP/2, 200 and Strict-Transport-Security", resp.Proto, resp.StatusCode, resp.Header)
		}
		streams = append(streams, bufio.NewReader(resp.Body))
	}
	for _, in := range streams {
		for line := ""; line != "event: beat\n"; {
			var err error
			if line, err = in.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
	}
	s.stop() // with open streams
}

package webhook

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// checkInterval is the minimum time between two reads of the files of a certificate.
const checkInterval = time.Second

// certificate is a certificate in two files that another program, such as cert-manager,
// replaces. A mounted Secret changes both files at once; other programs write one after the
// other, and a pair that does not match is then a failure that passes.
type certificate struct {
	certFile, keyFile string
	log               func() *slog.Logger

	mu        sync.Mutex
	checked   time.Time
	cert, key []byte // as last read, also if they are not usable
	current   *tls.Certificate
	failure   string // of the last read, as it was logged
}

// load reads the certificate for the first time.
func (c *certificate) load() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.read()
}

// read reads both files, and parses them if they have changed.
func (c *certificate) read() error {
	c.checked = time.Now()
	cert, err := os.ReadFile(c.certFile)
	if err != nil {
		return fmt.Errorf("webhook: Config.CertFile: %w", err)
	}
	key, err := os.ReadFile(c.keyFile)
	if err != nil {
		return fmt.Errorf("webhook: Config.KeyFile: %w", err)
	}
	if c.current != nil && c.failure == "" && bytes.Equal(cert, c.cert) && bytes.Equal(key, c.key) {
		return nil
	}
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		return fmt.Errorf("webhook: certificate %s with key %s: %w", c.certFile, c.keyFile, err)
	}
	c.cert, c.key, c.current = cert, key, &pair
	return nil
}

// get returns the certificate for a new connection: the newest one that could be read.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if since := time.Since(c.checked); since >= 0 && since < checkInterval {
		return c.current, nil
	}
	before := c.current
	text := ""
	if err := c.read(); err != nil {
		text = err.Error()
	}
	switch {
	case text != "" && text != c.failure:
		c.log().Error("the new certificate cannot be used, and the previous one stays in use", "err", text)
	case text == "" && c.failure != "":
		c.log().Info("the certificate can be read again")
	case c.current != before:
		c.log().Info("the certificate has changed", "file", c.certFile)
	}
	c.failure = text
	return c.current, nil
}

// expires returns the time at which the current certificate expires.
func (c *certificate) expires() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current == nil || c.current.Leaf == nil {
		return time.Time{}
	}
	return c.current.Leaf.NotAfter
}

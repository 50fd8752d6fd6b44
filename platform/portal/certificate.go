package portal

import (
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

// certificate is a certificate in files. It is reloaded when they change, so a renewal needs no
// restart. Any goroutine may use it.
type certificate struct {
	certFile, keyFile string
	logger            *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	changed [2]time.Time // of the files of current
	looked  time.Time
}

// checkEvery is how often the files are checked.
const checkEvery = 10 * time.Second

// Certificate returns the configuration of an HTTPS server with a certificate in files, which
// are read again when they change. Without files it returns nil.
//
// Errors: one file is missing, or cannot be read.
func Certificate(certFile, keyFile string, logger *slog.Logger) (*tls.Config, error) {
	if certFile == "" && keyFile == "" {
		return nil, nil
	}
	if certFile == "" || keyFile == "" {
		return nil, errors.New("HTTPS needs a certificate and a key: name both files")
	}
	c := &certificate{certFile: certFile, keyFile: keyFile, logger: logger}
	if err := c.read(); err != nil {
		return nil, err
	}
	return &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}, GetCertificate: c.get}, nil
}

func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if time.Since(c.looked) < checkEvery {
		return c.current, nil
	}
	c.looked = time.Now()
	if c.changed != c.times() {
		if err := c.read(); err != nil { // the files may be half written
			c.logger.Warn("the changed certificate cannot be read; the previous one is used", "file", c.certFile, "err", err)
		}
	}
	return c.current, nil
}

func (c *certificate) read() error {
	at := c.times()
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return fmt.Errorf("the certificate %s with the key %s: %w", c.certFile, c.keyFile, err)
	}
	c.current, c.changed = &pair, at
	return nil
}

// times returns when the files were changed; zero for a file that is missing.
func (c *certificate) times() (at [2]time.Time) {
	for i, name := range []string{c.certFile, c.keyFile} {
		if info, err := os.Stat(name); err == nil {
			at[i] = info.ModTime()
		}
	}
	return at
}

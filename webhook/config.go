package webhook

import (
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
)

// Defaults of the fields of Config.
const (
	// DefaultListen is the default of Config.Listen.
	DefaultListen = "127.0.0.1:9443"
	// DefaultMaxAdmission and DefaultMaxConversion are the defaults of Config.MaxBody. A
	// conversion has all objects of a list in one body.
	DefaultMaxAdmission  = 16 << 20
	DefaultMaxConversion = 256 << 20
	// DefaultConcurrent is the default of Config.Concurrent.
	DefaultConcurrent = 64
)

// Config configures a Server. CertFile and KeyFile are required: an API server calls
// webhooks only over TLS.
type Config struct {
	// Listen is the address; default 127.0.0.1:9443. In a pod it is ":9443", so that the API
	// server reaches it.
	Listen string
	// CertFile is a PEM file with the certificate of the server and its chain, and KeyFile
	// one with its private key. The certificate must have the name that the API server uses:
	// SERVICE.NAMESPACE.svc for a webhook with a service.
	CertFile, KeyFile string
	// ClientCAFile is a PEM file with the authorities that may sign the certificates of
	// clients. If it is not set, any client may call the webhooks, and sees only its own
	// objects judged. An API server has a certificate if its --admission-control-config-file
	// names one.
	ClientCAFile string
	// MaxBody is the maximum size of a request in bytes; default 16 MiB for admission and 256
	// MiB for conversion.
	MaxBody int64
	// Concurrent is the maximum number of requests that are processed at a time; default 64.
	Concurrent int
	// Logger receives failures of functions and of the certificate; default slog.Default() at
	// the time of a line. Denials are not logged.
	Logger *slog.Logger
}

// withDefaults returns the configuration with defaults for the fields that are not set.
func (c Config) withDefaults() (Config, error) {
	if c.Listen == "" {
		c.Listen = DefaultListen
	}
	if c.Concurrent == 0 {
		c.Concurrent = DefaultConcurrent
	}
	switch {
	case c.CertFile == "" || c.KeyFile == "":
		return c, errors.New("webhook: Config.CertFile and Config.KeyFile are not both set; an API server calls webhooks only over TLS")
	case c.MaxBody < 0:
		return c, fmt.Errorf("webhook: Config.MaxBody is %d; set a number of bytes, or nothing for the default", c.MaxBody)
	case c.Concurrent < 0:
		return c, fmt.Errorf("webhook: Config.Concurrent is %d; set a number of requests, or nothing for %d", c.Concurrent, DefaultConcurrent)
	}
	if _, _, err := net.SplitHostPort(c.Listen); err != nil {
		return c, fmt.Errorf("webhook: Config.Listen %q: %w; use the form HOST:PORT", c.Listen, err)
	}
	return c, nil
}

// clientCAs reads Config.ClientCAFile. The result is nil if it is not set.
func (c Config) clientCAs() (*x509.CertPool, error) {
	if c.ClientCAFile == "" {
		return nil, nil
	}
	text, err := os.ReadFile(c.ClientCAFile)
	if err != nil {
		return nil, fmt.Errorf("webhook: Config.ClientCAFile: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("webhook: Config.ClientCAFile %s has no certificate in PEM", c.ClientCAFile)
	}
	return pool, nil
}

package stream

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"
)

// Connection has the files for a connection to a broker. The zero value is a connection
// without TLS settings and without a login.
type Connection struct {
	// Credentials is a file with the login; see the packages of the brokers. The brokers'
	// packages read it at each connection, so a new login needs no restart.
	Credentials string
	// CA is a file with the authorities for the certificate of the broker in PEM. Default:
	// the authorities of the system.
	CA string
	// Cert and Key are the files of the certificate of the client and its key in PEM.
	Cert, Key string
}

// TLS returns the settings for TLS.
//
// Errors: unreadable or unusable files; one of Cert and Key without the other.
func (c *Connection) TLS() (*tls.Config, error) {
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.CA != "" {
		text, err := os.ReadFile(c.CA)
		if err != nil {
			return nil, fmt.Errorf("certificate authorities: %w", err)
		}
		if t.RootCAs = x509.NewCertPool(); !t.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("certificate authorities: %s has no certificate in PEM", c.CA)
		}
	}
	if c.Cert == "" && c.Key == "" {
		return t, nil
	}
	if c.Cert == "" || c.Key == "" {
		return nil, errors.New("the certificate of the client and its key must be set together")
	}
	pair, err := tls.LoadX509KeyPair(c.Cert, c.Key)
	if err != nil {
		return nil, fmt.Errorf("certificate of the client: %w", err)
	}
	t.Certificates = []tls.Certificate{pair}
	return t, nil
}

// maxCredentials limits the file of credentials.
const maxCredentials = 64 << 10

// ReadCredentials returns the content of the file of credentials, without surrounding
// spaces, and "" if none is set.
//
// Errors: the file is unreadable, empty, or larger than 64 KiB.
func (c *Connection) ReadCredentials() (string, error) {
	if c.Credentials == "" {
		return "", nil
	}
	text, err := os.ReadFile(c.Credentials)
	switch {
	case err != nil:
		return "", fmt.Errorf("credentials: %w", err)
	case len(text) > maxCredentials:
		return "", fmt.Errorf("credentials: %s is larger than 64 KiB", c.Credentials)
	case strings.TrimSpace(string(text)) == "":
		return "", fmt.Errorf("credentials: %s is empty", c.Credentials)
	}
	return strings.TrimSpace(string(text)), nil
}

// SplitLogin returns the two parts of credentials of the form "user:password".
//
// Errors: the text has another form. The error does not contain the text.
func SplitLogin(credentials string) (user, password string, err error) {
	user, password, ok := strings.Cut(credentials, ":")
	if !ok || user == "" || password == "" || strings.ContainsAny(credentials, "\r\n") {
		return "", "", errors.New("credentials: want one line user:password")
	}
	return user, password, nil
}

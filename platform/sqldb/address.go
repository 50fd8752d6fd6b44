package sqldb

import (
	"crypto/tls"
	"crypto/x509"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"strings"
)

// Address is the location of a database, with the credentials for it.
type Address struct {
	// URL is the address without its secrets. Errors and logs show it.
	URL string
	// File is the path of a database in a local file. It is empty for a server.
	File string
	// Connect returns a pool of connections. It need not connect yet. It limits the number
	// of connections and, for a server, their idle time.
	Connect func(Access) (*sql.DB, error)
}

// Access is the kind of access to a database.
type Access int

const (
	// ReadWrite allows reading and writing, and creates a missing file.
	ReadWrite Access = iota
	// ReadOnly allows reading. It changes neither the database nor the files next to it.
	ReadOnly
)

// Credentials returns the user and the password for a server: from the file that the
// parameter password-file names, from the URL, or from VEDETTE_DB_USER and
// VEDETTE_DB_PASSWORD, in this order.
//
// Errors: the file cannot be read.
func Credentials(u *url.URL, getenv func(string) string) (user, password string, err error) {
	user, password = u.User.Username(), getenv("VEDETTE_DB_PASSWORD")
	if user == "" {
		user = getenv("VEDETTE_DB_USER")
	}
	if p, set := u.User.Password(); set {
		password = p
	}
	if file := u.Query().Get("password-file"); file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", "", fmt.Errorf("cannot read the password of the database: %w", err)
		}
		password = strings.TrimRight(string(text), "\r\n")
	}
	return user, password, nil
}

// WithoutSecrets returns a URL with a user and without passwords, for Address.URL.
func WithoutSecrets(u *url.URL, user string) string {
	clean := *u
	q := clean.Query()
	for _, name := range []string{"password", "sslpassword"} {
		q.Del(name)
	}
	clean.RawQuery = q.Encode()
	clean.User = nil
	if user != "" {
		clean.User = url.User(user)
	}
	return clean.String()
}

// limitPool limits the connections to a server, and closes idle connections before the
// server does.
func limitPool(db *sql.DB) *sql.DB {
	db.SetMaxOpenConns(16)
	db.SetConnMaxIdleTime(IdleTransactionTimeout / 2)
	return db
}

// trustFile returns a TLS configuration that trusts the certificate authorities in a PEM
// file. The caller sets the name of the server.
func trustFile(file string) (*tls.Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("cannot read the certificate authority of the database: %w", err)
	}
	authorities := x509.NewCertPool()
	if !authorities.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("the certificate authority of the database: %s contains no PEM certificate", file)
	}
	return &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}, nil
}

// acceptAnyName makes a TLS configuration accept a certificate of its authorities under any
// name, for servers whose certificates have none, such as those that MySQL makes for itself.
func acceptAnyName(c *tls.Config) {
	authorities := c.RootCAs
	c.InsecureSkipVerify = true // the package would check the name too
	c.VerifyConnection = func(state tls.ConnectionState) error {
		options := x509.VerifyOptions{Roots: authorities, Intermediates: x509.NewCertPool()}
		for _, between := range state.PeerCertificates[1:] {
			options.Intermediates.AddCert(between)
		}
		if _, err := state.PeerCertificates[0].Verify(options); err != nil {
			return &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: err}
		}
		return nil
	}
}

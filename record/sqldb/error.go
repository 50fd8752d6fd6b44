package sqldb

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"
)

// Error is what a database, or the way to it, said, and what to do about it.
type Error struct {
	// Database is its URL, without a password.
	Database string
	// Problem is what is wrong, in our words, and Remedy what to do; both may be
	// empty, where Err says it all.
	Problem, Remedy string
	// Err is what the driver said.
	Err error

	said error // the part of Err that says it
}

// Error implements error: it is one line.
func (e *Error) Error() string {
	said := strings.Join(strings.Fields(cmp.Or(e.said, e.Err).Error()), " ")
	text := "database " + e.Database + ": "
	if e.Problem == "" {
		text += said
	} else {
		text += e.Problem + " (" + said + ")"
	}
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Unwrap returns what the driver said.
func (e *Error) Unwrap() error { return e.Err }

// Explanation is what an error means. All fields are optional.
type Explanation struct {
	// Problem says what is wrong, and Remedy what to do.
	Problem, Remedy string
	// Cause is the part of the error that is shown. If nil, all of it is.
	Cause error
}

// explain returns an Error; nil for a nil error and for one that is an Error already.
// known is false if neither the driver nor the network is its source.
func explain(err error, a Address, driver func(error, Address) (Explanation, bool)) (e *Error, known bool) {
	if already := (*Error)(nil); err == nil || errors.As(err, &already) {
		return nil, false
	}
	x, known := driver(err, a)
	if !known {
		x, known = explainNetwork(err)
	}
	return &Error{Database: a.URL, Problem: x.Problem, Remedy: x.Remedy, Err: err, said: cmp.Or(x.Cause, err)}, known
}

var errSlow = fmt.Errorf("a connection is waited for %v", ConnectTimeout)

// explainNetwork explains the errors on the way to any database.
func explainNetwork(err error) (e Explanation, known bool) {
	const where = "check the address and the network"
	var (
		dns  *net.DNSError
		slow net.Error
	)
	switch {
	case errors.As(err, &dns):
		return Explanation{fmt.Sprintf("the name %s is not known", dns.Name), where, dns}, true
	case errors.Is(err, syscall.ECONNREFUSED):
		return Explanation{"no server answers there", "is it running, and is this its port?", syscall.ECONNREFUSED}, true
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &slow) && slow.Timeout():
		return Explanation{"it did not answer in time", where, errSlow}, true
	case errors.Is(err, fs.ErrPermission):
		return Explanation{Remedy: "who runs this needs the right to read and write it"}, true
	}
	return e, false
}

// explainCertificate explains that the certificate of a server is not trusted. parameter
// names the authority in the URL.
func explainCertificate(err error, parameter string) (e Explanation, known bool) {
	trust := (*tls.CertificateVerificationError)(nil)
	if !errors.As(err, &trust) {
		return e, false
	}
	return Explanation{"its certificate is not trusted", "name its authority: " + parameter, trust}, true
}

// explainNoTLS explains that a server does not speak TLS.
func explainNoTLS() Explanation {
	return Explanation{
		"it does not speak TLS", "set it up there; or, on a network that you trust, leave out tls, or take sslmode=disable",
		errors.New("TLS was asked for"),
	}
}

// What to do about errors that several servers report.
const (
	checkLogin   = "check the user of the URL, and VEDETTE_DB_PASSWORD or password-file"
	lacksRight   = "the user lacks a right"
	grantRight   = "grant it, or run `vedette migrate up` as who owns the schema"
	noDatabase   = "there is no database of this name"
	makeDatabase = "make it: CREATE DATABASE"
	tableInUse   = "another transaction holds a lock for too long"
	waitForTable = "try again when backups and long queries have ended"
)

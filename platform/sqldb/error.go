package sqldb

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"syscall"

	"github.com/vedette-io/vedette/internal/oscompat"
)

// Error is an error of a database, or of the network to it. It never contains a password.
type Error struct {
	// Database is the URL of the database.
	Database string
	// Problem is what is wrong, and Remedy is what to do. Both may be empty.
	Problem, Remedy string
	// Transient means that the same attempt may succeed later, without a change of settings or
	// rights.
	Transient bool
	// Err is the error of the driver.
	Err error

	cause error // the part of Err that the text contains
}

// Error returns one line: the database, the problem, the cause, and the remedy.
func (e *Error) Error() string {
	cause := strings.Join(strings.Fields(cmp.Or(e.cause, e.Err).Error()), " ")
	text := "database " + e.Database + ": "
	if e.Problem == "" {
		text += cause
	} else {
		text += e.Problem + " (" + cause + ")"
	}
	if e.Remedy != "" {
		text += "; " + e.Remedy
	}
	return text
}

// Unwrap returns the error of the driver.
func (e *Error) Unwrap() error { return e.Err }

// Explanation is the meaning of an error. All fields are optional.
type Explanation struct {
	// Problem is what is wrong, and Remedy is what to do.
	Problem, Remedy string
	// Cause is the part of the error for the text. If nil, the text contains the whole
	// error.
	Cause error
	// Transient is that of Error.
	Transient bool
}

// explain returns an error as an Error. It returns nil for nil, and returns an error that
// wraps an Error unchanged. known is false if the error comes neither from the driver nor
// from the network.
func explain(err error, a Address, driver func(error, Address) (Explanation, bool)) (e *Error, known bool) {
	if already := (*Error)(nil); err == nil || errors.As(err, &already) {
		return nil, false
	}
	x, known := driver(err, a)
	if !known {
		x, known = explainNetwork(err)
	}
	return &Error{Database: a.URL, Problem: x.Problem, Remedy: x.Remedy, Transient: x.Transient, Err: err, cause: cmp.Or(x.Cause, err)}, known
}

// errTimeout replaces the errors of a timeout, because they do not contain its duration.
var errTimeout = fmt.Errorf("connecting may take %v", ConnectTimeout)

// explainNetwork explains errors that are the same for all databases.
func explainNetwork(err error) (e Explanation, known bool) {
	const checkAddress = "check the address and the network"
	var (
		dns     *net.DNSError
		timeout net.Error
	)
	switch {
	case errors.As(err, &dns):
		return Explanation{fmt.Sprintf("the host %s cannot be found", dns.Name), checkAddress, dns, true}, true
	case oscompat.ConnectionRefused(err):
		return Explanation{"no server listens at this address", "start the server, or correct the port", syscall.ECONNREFUSED, true}, true
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return Explanation{"the server did not answer in time", checkAddress, errTimeout, true}, true
	case errors.Is(err, fs.ErrPermission):
		return Explanation{Remedy: "give the user of this process read and write access"}, true
	}
	return e, false
}

// explainTLS explains an error of TLS, such as one about the certificate of a server. authority is
// the URL parameter that names the certificate authority, and anyName the one that ignores the
// names of certificates.
func explainTLS(err error, authority, anyName string) (e Explanation, known bool) {
	if alert := tls.AlertError(0); errors.As(err, &alert) {
		return Explanation{"the server and this program found no common kind of TLS", "enable TLS 1.2 or later on the server", alert, false}, true
	}
	cause := (*tls.CertificateVerificationError)(nil)
	if !errors.As(err, &cause) {
		return e, false
	}
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &name) && len(name.Certificate.DNSNames)+len(name.Certificate.IPAddresses) == 0:
		return Explanation{"the certificate of the server contains no host name", "give the server a certificate with its name, or use " + anyName, cause, false}, true
	case errors.As(err, &name):
		return Explanation{"the certificate of the server has another host name", "use a name of the certificate in the URL, or " + anyName, cause, false}, true
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return Explanation{"the certificate of the server is not valid at this time", "renew it, or correct the clock of this machine", cause, false}, true
	}
	return Explanation{"the certificate of the server is not trusted", "name its authority with " + authority, cause, false}, true
}

// explainNoTLS explains that a server does not support TLS. remedy tells how to connect
// without TLS.
func explainNoTLS(remedy string) Explanation {
	return Explanation{"the server does not support TLS", "enable it on the server; on a network that you trust, " + remedy, errors.New("the URL asks for TLS"), false}
}

// Problems and remedies that several servers share.
const (
	wrongLogin      = "the server rejected the user or the password"
	checkLogin      = "check the user in the URL, and the password in VEDETTE_DB_PASSWORD or password-file"
	noPrivilege     = "the user lacks a privilege"
	grantPrivilege  = "grant it, or run `vedette migrate up` as the owner of the schema"
	noDatabase      = "the database does not exist"
	createDatabase  = "create it with CREATE DATABASE"
	serverDiskFull  = "the disk of the server is full"
	freeSpace       = "free space on it"
	tooMany         = "the server has too many connections"
	raiseMax        = "raise max_connections"
	readOnlyServer  = "the server is read-only"
	statementLimit  = "the server ended the statement at its time limit"
	passwordExpired = "the password of the user has expired"
	newPassword     = "set a new one with ALTER USER, and put it into VEDETTE_DB_PASSWORD or password-file"
	accountLocked   = "the account of the user is locked"
	unlockAccount   = "unlock it with ALTER USER … ACCOUNT UNLOCK"
	wayOfLogin      = "the server asks for a way of logging in that this program or the server does not have"
	otherWay        = "give the user another one with ALTER USER … IDENTIFIED"
	stopping        = "the server is shutting down, or has ended this connection"
	startAgain      = "wait until it has started again; its log names the reason"
	tableInUse      = "another transaction holds a lock for too long"
	waitForTable    = "try again when backups and long queries have ended"
)

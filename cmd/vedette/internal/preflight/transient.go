package preflight

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Transient reports whether the same start may succeed later, without a change of settings or
// rights: a cluster or the database does not answer or cannot serve the request now, or no recorder
// has made the schema yet.
func Transient(err error) bool {
	return !slices.ContainsFunc(explain.Flatten(err), func(one error) bool { return !transient(one) })
}

func transient(err error) bool {
	if errors.Is(err, sqldb.ErrAbsent) || errors.Is(err, sqldb.ErrNoSchema) {
		return true
	}
	if of := (*sqldb.Error)(nil); errors.As(err, &of) {
		return of.Transient
	}
	var (
		status      apierrors.APIStatus
		certificate *tls.CertificateVerificationError
		network     *net.OpError
		name        *net.DNSError
	)
	switch {
	case errcode.Is(err, errcode.Misconfigured), errcode.Is(err, errcode.Invalid), errors.As(err, &certificate):
		return false
	case errors.As(err, &status):
		code := status.Status().Code
		return code >= 500 || code == 429 // a fault of the server, or too many requests
	}
	return errors.As(err, &network) || errors.As(err, &name) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, context.DeadlineExceeded)
}

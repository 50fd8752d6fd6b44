package clusterid

import (
	"context"
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/reflector"
)

// Policy says how a Guard treats a replaced cluster.
type Policy uint8

const (
	// Relist is the policy of a reader that holds only the current state. Lists are
	// always allowed. A watch resumes only at the cluster that its version comes from;
	// otherwise the reflector lists from scratch. The Guard asks again only after a lost
	// connection. If the identity cannot be read, watches resume, unless the version
	// comes from a file.
	Relist Policy = iota
	// End is the policy of a reader that keeps the history of one cluster. The Guard asks
	// before each request and refuses all requests once another cluster has answered,
	// which ends the reflector. It also refuses a request if the identity cannot be read.
	End
)

// tolerates reports whether requests continue although the identity cannot be read.
func (p Policy) tolerates(err error) bool {
	return p == Relist && (errors.Is(err, errUnsupported) || unreadable(err))
}

// replaced returns the error for a cluster that has one UID and had another.
func (p Policy) replaced(is, was string) error {
	if p == End {
		return fmt.Errorf("%w: another cluster answers at the address; the UID of the namespace kube-system is %s and was %s", reflector.ErrSourceEnded, is, was)
	}
	return relist("the UID of the namespace kube-system is %s and was %s", is, was)
}

// relist returns the error for a watch that must not resume.
func relist(format string, args ...any) error {
	return fmt.Errorf("%w: %w, so everything is listed and compared", reflector.ErrReplaced, fmt.Errorf(format, args...))
}

// errUnsupported is the error for a cluster without an Identifier.
var errUnsupported = errors.New("the source cannot identify its cluster")

// unreadable reports whether an error means that the identity of a cluster is not
// available, though the server may answer other requests.
func unreadable(err error) bool {
	return apierrors.IsForbidden(err) || apierrors.IsNotFound(err) || errors.Is(err, context.DeadlineExceeded)
}

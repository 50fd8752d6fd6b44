package clusterid

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/vedette-io/vedette/reflector"
)

// Policy says how a Guard treats a replaced cluster.
type Policy uint8

const (
	// Relist is the policy of a reader that holds only the current state. Lists are
	// always allowed. A watch resumes only at the cluster that its version comes from;
	// otherwise the reflector lists from scratch. The Guard asks again only after a lost
	// connection. A question that is not answered within two seconds, or that fails, does
	// not hold up a watch, unless the version comes from a file: then the reflector lists.
	// The question is repeated every half minute, and a watch of another cluster ends.
	Relist Policy = iota
	// End is the policy of a reader that keeps the history of one cluster. The Guard asks
	// before each request and refuses all requests once another cluster has answered,
	// which ends the reflector. It also refuses a request if the identity may not be read,
	// and the first three requests if the question fails otherwise, or all requests of half
	// a minute if connections broke. Then requests continue, the question is repeated every
	// half minute, and a watch of another cluster ends.
	End
)

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

// final reports whether an error means that the identity cannot be read, and that asking
// again soon would not help.
func final(err error) bool {
	return errors.Is(err, errUnsupported) || apierrors.IsForbidden(err) || apierrors.IsNotFound(err)
}

// cut reports whether a connection ended before the answer to a question.
func cut(err error) bool {
	var op *net.OpError
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.As(err, &op) && !op.Timeout()
}

// unreachable reports whether a question did not reach a server.
func unreachable(err error) bool {
	var op *net.OpError
	return errors.Is(err, syscall.ECONNREFUSED) || errors.As(err, &op) && op.Op == "dial"
}

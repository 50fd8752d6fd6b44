package preflight

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vedette-io/vedette/cmd/vedette/internal/explain"
	"github.com/vedette-io/vedette/errcode"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// TestTransient checks which errors at the start are temporary, so that the program waits.
func TestTransient(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}
	for err, want := range map[error]bool{
		refused: true,
		&explain.ClusterError{Name: "a", Err: refused}:                                              true,
		&net.DNSError{Name: "nowhere"}:                                                              true,
		fmt.Errorf("discover types: %w", io.ErrUnexpectedEOF):                                       true,
		apierrors.NewInternalError(errors.New("etcd")):                                              true,
		apierrors.NewTooManyRequests("busy", 1):                                                     true,
		&sqldb.Error{Transient: true, Err: io.EOF}:                                                  true,
		fmt.Errorf("h.db: %w", sqldb.ErrNoSchema):                                                   true,
		&sqldb.Error{Problem: "a wrong password", Err: io.EOF}:                                      false,
		&fs.PathError{Op: "open", Path: "/nowhere", Err: syscall.ENOENT}:                            false,
		apierrors.NewUnauthorized("who"):                                                            false,
		apierrors.NewForbidden(schema.GroupResource{Resource: "pods"}, "", errors.New("no")):        false,
		&errcode.Error{Code: errcode.Misconfigured, Problem: "no context", Err: refused}:            false,
		errors.Join(refused, &errcode.Error{Code: errcode.Invalid, Problem: "no selector"}):         false,
		errors.Join(refused, &explain.ClusterError{Name: "b", Err: apierrors.NewUnauthorized("x")}): false,
	} {
		if got := Transient(err); got != want {
			t.Errorf("%v: got %v, want %v", err, got, want)
		}
	}
}

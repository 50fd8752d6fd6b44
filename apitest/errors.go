package apitest

import "errors"

// Errors of this package. Errors that a client gets as a Status (not found, conflict, invalid...) are returned by the
// methods of Server as the same errors of k8s.io/apimachinery/pkg/api/errors.
var (
	// ErrConfig is returned by New for an invalid field of Config.
	ErrConfig = errors.New("apitest: invalid configuration")
	// ErrType is returned by New and Register for a Type that is incomplete, invalid or already registered.
	ErrType = errors.New("apitest: invalid type")
	// ErrUnknownType is returned for an object, or to Unregister, whose type the server does not serve.
	ErrUnknownType = errors.New("apitest: type not registered")
	// ErrFault is returned by Inject for an invalid fault, and if too many faults are armed.
	ErrFault = errors.New("apitest: invalid fault")
	// ErrClosed is returned by Listen and Available after Close.
	ErrClosed = errors.New("apitest: server closed")
)

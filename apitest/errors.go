package apitest

import "errors"

// Errors of this package. What a client of the server would get as a Status (not found, conflict, invalid...) is the
// same error of k8s.io/apimachinery/pkg/api/errors when it comes from the methods of Server.
var (
	// ErrConfig is returned by New for a field of Config that makes no sense.
	ErrConfig = errors.New("apitest: illegal configuration")
	// ErrType is returned by New and Register for a Type that is incomplete, illegal, or registered already.
	ErrType = errors.New("apitest: illegal type")
	// ErrUnknownType is returned for an object, or to Unregister, whose type the server does not serve.
	ErrUnknownType = errors.New("apitest: type not registered")
	// ErrFault is returned by Inject for a fault that cannot happen.
	ErrFault = errors.New("apitest: illegal fault")
	// ErrClosed is returned by Listen and Available after Close.
	ErrClosed = errors.New("apitest: server closed")
)

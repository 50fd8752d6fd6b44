package controller

import (
	"errors"

	"github.com/vedette-io/vedette/informer"
)

var (
	// ErrRunTwice is returned by Run if it was called before.
	ErrRunTwice = errors.New("controller: Run was called twice; a controller runs once")
	// ErrStopping is the cause of a reconcile's context that ended because the controller
	// is stopping and the grace period is over.
	ErrStopping = errors.New("controller: stopping, and the grace period of the reconcile is over")
	// ErrNotOurs is the cause of a reconcile's context that ended because this replica has
	// lost the key, or may lose it soon, to another replica.
	ErrNotOurs = errors.New("controller: this replica no longer owns the key")
	// ErrTimeout is the cause of a reconcile's context that ended after Config.Timeout.
	ErrTimeout = errors.New("controller: the reconcile exceeded Config.Timeout")
	// ErrFenced is returned by Fence for an object that a later owner of the key has
	// written.
	ErrFenced = errors.New("controller: a later owner of the key has written the object")
	errEnded  = errors.New("it ended before the controller stopped")
	errGoexit = errors.New("controller: the reconcile called runtime.Goexit")
)

// PanicError is the error of a reconcile that panicked.
type PanicError = informer.PanicError

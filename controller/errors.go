package controller

import (
	"errors"

	"github.com/vedette-io/vedette/informer"
)

var (
	// ErrRunTwice is returned by Run if it was called before.
	ErrRunTwice = errors.New("controller: Run was called twice; a controller runs once")
	// ErrStopping is the cause of a reconcile's context that ended because the
	// controller stops, and its grace is over.
	ErrStopping = errors.New("controller: it is stopping")
	// ErrNotOurs is the cause of a reconcile's context that ended because another
	// replica has the key now, or may have it soon.
	ErrNotOurs = errors.New("controller: the key is not this replica's any more")
	// ErrTimeout is the cause of a reconcile's context that ended by
	// Config.Timeout.
	ErrTimeout = errors.New("controller: the reconcile took too long")
	// ErrFenced is returned by Fence for an object that a later owner of the key has
	// written.
	ErrFenced = errors.New("controller: a later owner of the key has written the object")
	errEnded  = errors.New("it has ended by itself, and the controller depends on it")
	errGoexit = errors.New("controller: the reconcile ended its goroutine")
)

// PanicError is the failure of a reconcile that has panicked.
type PanicError = informer.PanicError

package informer

import (
	"github.com/vedette-io/vedette/store"
)

// PanicPolicy determines what happens after a function of the program panics. Config.Panics
// is for Transform, Decode and index functions; HandlerConfig.Panics for a handler and its
// filters; and controller.Config.Panics for Reconcile. Under every policy but CrashOnPanic
// the panic is recovered, logged with its stack, and counted.
type PanicPolicy uint8

const (
	// RetryOnPanic treats the panic like an error that the function returned. It is the
	// default. A controller retries the key with backoff; a handler gets the event
	// again, as often as HandlerConfig.Retry says. An object or a change is not tried
	// again: see SkipOnPanic.
	RetryOnPanic PanicPolicy = iota
	// SkipOnPanic does not retry. A handler continues with the next event; a controller
	// reconciles the key again once a source reports a change of it; a change passes a
	// filter; the last known state of an object stays if Transform panics; and an object
	// has no value in an index.
	SkipOnPanic
	// StopOnPanic ends the handler, and Registration.Err returns the panic; or it ends
	// the controller or the informer, and its Run returns the panic.
	StopOnPanic
	// CrashOnPanic does not recover the panic, so it ends the program.
	CrashOnPanic
)

// PanicError reports that a function of the program panicked.
type PanicError = store.PanicError

// ofStore returns the policy for the functions that the store calls.
func (p PanicPolicy) ofStore() store.PanicPolicy {
	switch p {
	case StopOnPanic:
		return store.StopOnPanic
	case CrashOnPanic:
		return store.CrashOnPanic
	}
	return store.SkipOnPanic
}

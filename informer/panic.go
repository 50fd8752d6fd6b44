package informer

import (
	"fmt"
	"runtime/debug"
)

// PanicPolicy determines what happens after a function of the program panics: a handler
// of an informer, or the Reconcile of a controller. Under every policy but CrashOnPanic
// the panic is recovered, reported with its stack, and counted.
type PanicPolicy uint8

const (
	// RetryOnPanic treats the panic like an error that the function returned. It is the
	// default. A controller retries the key with backoff; a handler gets the event
	// again, as often as HandlerConfig.Retry says.
	RetryOnPanic PanicPolicy = iota
	// SkipOnPanic does not retry. A handler continues with the next event; a controller
	// reconciles the key again once a source reports a change of it.
	SkipOnPanic
	// StopOnPanic ends the handler, and Registration.Err returns the panic; or it ends
	// the controller, and its Run returns the panic.
	StopOnPanic
	// CrashOnPanic does not recover the panic, so it ends the program.
	CrashOnPanic
)

// PanicError reports that a function of the program panicked.
type PanicError struct {
	// Value is the argument of panic, and Stack is the stack at that point.
	Value any
	Stack []byte
}

// Error implements error. The text contains the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v\n%s", e.Value, e.Stack) }

// recovered calls f and turns a panic into an error.
func recovered(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{v, debug.Stack()}
		}
	}()
	return f()
}

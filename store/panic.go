package store

import (
	"fmt"
	"runtime/debug"

	"github.com/vedette-io/vedette/internal/stacktrace"
	"github.com/vedette-io/vedette/wire"
)

// PanicPolicy determines what a store does after Config.Transform, Config.Decode,
// Config.KeepObject or an index function panics.
type PanicPolicy uint8

const (
	// SkipOnPanic treats the panic of Transform or Decode like an error that the function
	// returned. After the panic of KeepObject, the store keeps the body, and after that of
	// an index function, the object has no value in that index. It is the default.
	SkipOnPanic PanicPolicy = iota
	// StopOnPanic does the same, and the current or the next call of Apply returns the
	// panic.
	StopOnPanic
	// CrashOnPanic does not recover the panic, so it ends the program.
	CrashOnPanic
)

// PanicError reports that a function of the program panicked.
type PanicError struct {
	// Key names the object for which the function was called. It is the zero Key if the
	// caller reports the object in another way.
	Key wire.Key
	// Value is the argument of panic, and Stack is the result of debug.Stack at that
	// point.
	Value any
	Stack []byte
}

// Error implements error. The text contains the innermost calls of the stack, on one line.
func (e *PanicError) Error() string {
	object := ""
	if e.Key != (wire.Key{}) {
		object = " for " + e.Key.String()
	}
	return fmt.Sprintf("panic%s: %v, in %s", object, e.Value, stacktrace.Line(e.Stack))
}

// panics applies a PanicPolicy.
type panics struct {
	policy PanicPolicy
	fatal  error // the first panic, if the policy is StopOnPanic
}

// recovered turns a panic into an error for an object, unless the policy is CrashOnPanic. A
// method that calls a function of the program for one object defers it.
func (p *panics) recovered(key wire.Key, err *error) {
	if p.policy == CrashOnPanic {
		return
	}
	if v := recover(); v != nil {
		*err = &PanicError{key, v, debug.Stack()}
		if p.policy == StopOnPanic && p.fatal == nil {
			p.fatal = *err
		}
	}
}

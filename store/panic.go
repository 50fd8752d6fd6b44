package store

import (
	"fmt"
	"runtime/debug"

	"github.com/vedette-io/vedette/internal/stacktrace"
	"github.com/vedette-io/vedette/wire"
)

// PanicPolicy determines what a store does after Config.Transform, Config.Decode or an
// index function panics.
type PanicPolicy uint8

const (
	// SkipOnPanic treats the panic of Transform or Decode like an error that the function
	// returned. After the panic of an index function, the object has no value in that
	// index. It is the default.
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

// catch calls f for an object and turns a panic into an error, unless the policy is
// CrashOnPanic.
func (p *panics) catch(key wire.Key, f func() error) (err error) {
	if p.policy == CrashOnPanic {
		return f()
	}
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{key, v, debug.Stack()}
			if p.policy == StopOnPanic && p.fatal == nil {
				p.fatal = err
			}
		}
	}()
	return f()
}

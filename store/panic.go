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

// catchPanic calls f for a record and turns a panic into an error, unless the policy is
// CrashOnPanic.
func catchPanic[T any](s *Store, f func(wire.Record) (T, error), rec *wire.Record) (result T, err error) {
	if s.cfg.Panics == CrashOnPanic {
		return f(*rec)
	}
	defer func() {
		if v := recover(); v != nil {
			err = s.panicked(rec, v)
		}
	}()
	return f(*rec)
}

// panicked returns the error for a panic, and notes it for Apply if the policy is
// StopOnPanic.
func (s *Store) panicked(rec *wire.Record, value any) error {
	err := &PanicError{rec.Key, value, debug.Stack()}
	if s.cfg.Panics == StopOnPanic && s.fatal == nil {
		s.fatal = err
	}
	return err
}

// report passes a fault of a record to Config.Report.
func (s *Store) report(err error) {
	if s.cfg.Report != nil {
		s.cfg.Report(err)
	}
}

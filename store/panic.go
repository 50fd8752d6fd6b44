package store

import (
	"fmt"
	"runtime/debug"

	"github.com/vedette-io/vedette/wire"
)

// PanicError reports that a function passed to the store panicked.
type PanicError struct {
	// Key names the object for which the function was called.
	Key wire.Key
	// Value is the argument of panic, and Stack is the stack at that point.
	Value any
	Stack []byte
}

// Error implements error. The text contains the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("panic for %s: %v\n%s", e.Key, e.Value, e.Stack)
}

// catchPanic calls f for a record and turns a panic into an error.
func catchPanic[T any](f func(wire.Record) (T, error), rec *wire.Record) (result T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{rec.Key, v, debug.Stack()}
		}
	}()
	return f(*rec)
}

package store

import (
	"fmt"
	"runtime/debug"

	"github.com/vedette-io/vedette/wire"
)

// PanicError says that a function which the store was given panicked.
type PanicError struct {
	// Key names the object that the function was called for.
	Key wire.Key
	// Value is what was passed to panic, Stack where that was.
	Value any
	Stack []byte
}

// Error implements error. It contains the stack.
func (e *PanicError) Error() string {
	return fmt.Sprintf("panic for %s: %v\n%s", e.Key, e.Value, e.Stack)
}

// guarded calls f for a record, and makes an error of a panic.
func guarded[T any](f func(wire.Record) (T, error), rec *wire.Record) (result T, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &PanicError{rec.Key, v, debug.Stack()}
		}
	}()
	return f(*rec)
}

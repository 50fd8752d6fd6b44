// Package guard calls functions of the program on goroutines of this module.
package guard

import (
	"runtime/debug"

	"github.com/vedette-io/vedette/store"
)

// Call calls f. It returns the panic of f as a *store.PanicError.
func Call(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &store.PanicError{Value: v, Stack: debug.Stack()}
		}
	}()
	return f()
}

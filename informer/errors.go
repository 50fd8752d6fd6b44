package informer

import (
	"fmt"

	"github.com/vedette-io/vedette/errcode"
)

// invalid returns the error for an invalid argument or configuration.
func invalid(remedy, format string, args ...any) error {
	return &errcode.Error{Code: errcode.Invalid, Problem: "informer: " + fmt.Sprintf(format, args...), Remedy: remedy}
}

// ErrRunTwice is returned by Run if it was called before.
var ErrRunTwice error = &errcode.Error{Code: errcode.FailedPrecondition, Problem: "informer: Run was called twice; an informer runs once"}

// ErrShared is returned by the Run of an informer that belongs to a factory. The factory
// runs the informer.
var ErrShared error = &errcode.Error{Code: errcode.FailedPrecondition, Problem: "informer: the informer belongs to a factory", Remedy: "call the Run of the factory"}

// ErrStopped is returned by methods that need an informer that has not stopped.
var ErrStopped error = &errcode.Error{Code: errcode.FailedPrecondition, Problem: "informer: the informer has been stopped"}

// ErrWaitInHandler is returned by WaitFor and WaitForWrite if the context is that of a
// handler of store.Lossless of the same informer. The informer waits for such a handler, so
// the handler cannot wait for the informer.
var ErrWaitInHandler error = &errcode.Error{
	Code:    errcode.FailedPrecondition,
	Problem: "informer: a Lossless handler cannot wait for its own informer",
	Remedy:  "wait in another goroutine, or use store.EveryChange",
}

package reflector

import (
	"fmt"
	"runtime/debug"

	"github.com/vedette-io/vedette/internal/stacktrace"
)

// recovered turns a panic of the Source or of one of its streams into an error, which is
// treated as an unreachable server. A function that calls the Source defers it.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("the source panicked: %v, in %s", v, stacktrace.Line(debug.Stack()))
	}
}

package informer

import (
	"fmt"

	"github.com/vedette-io/vedette/errcode"
)

// invalid returns the error for an invalid argument or configuration.
func invalid(remedy, format string, args ...any) error {
	return &errcode.Error{Code: errcode.Invalid, Problem: "informer: " + fmt.Sprintf(format, args...), Remedy: remedy}
}

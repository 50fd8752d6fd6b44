package errcode_test

import (
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/errcode"
)

// Programs read the code, and people the problem and the remedy.
func Example() {
	err := fmt.Errorf("start the informer: %w", &errcode.Error{
		Code: errcode.Invalid, Problem: `the label selector "a=(b" is not valid`, Remedy: "write it as for kubectl, such as a=b",
		Err: errors.New("unexpected '('"),
	})
	fmt.Println(errcode.Is(err, errcode.Invalid), errcode.Of(err))
	fmt.Println(errcode.RemedyOf(err))
	// Output:
	// true invalid
	// write it as for kubectl, such as a=b
}

package joblog_test

import (
	"fmt"

	"github.com/vedette-io/vedette/platform/logs/joblog"
)

// A redactor removes well-known secrets from lines before they are stored, and also the
// matches of your own patterns.
func ExampleNewRedactor() {
	r, err := joblog.NewRedactor([]string{`ticket=(?P<secret>\w+)`})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Text("epoch 3, ticket=A1B2C3, loss 0.4"))
	// Output: epoch 3, ticket=[redacted], loss 0.4
}

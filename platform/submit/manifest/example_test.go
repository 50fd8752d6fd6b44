package manifest_test

import (
	"context"
	"fmt"

	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// A mistake is reported with its line.
func ExampleParse() {
	_, err := manifest.Parse(context.Background(), "job.yaml", []byte("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a\n  name: b\n"))
	fmt.Println(err)
	// Output: job.yaml:5: the field "name" is in line 4 already
}

package template_test

import (
	"fmt"

	"github.com/vedette-io/vedette/platform/submit/template"
)

// The built-in template of a Job with an image, a command and GPUs.
func Example() {
	job, err := template.Builtin().Get(template.Default)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := job.Values([]string{"image=pytorch/pytorch", "gpus=2", "name=train"})
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := job.Render(values)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Object.GetKind(), m.Object.GetName())
	// Output: Job train
}

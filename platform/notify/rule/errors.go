package rule

import (
	"errors"
	"fmt"
)

var errTypeEmpty = errors.New("the type is empty")

func errType(text string) error {
	return fmt.Errorf("%q is not a type; write a plural name and its API group, such as jobs.batch, or *.kubeflow.org for all types of a group", text)
}

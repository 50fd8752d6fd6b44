package rule_test

import (
	"fmt"

	"github.com/vedette-io/vedette/platform/notify/rule"
)

// A condition is checked when it is parsed, not when a job fails at night.
func ExampleParseCondition() {
	_, err := rule.ParseCondition(`new.state == "Failed" && old.state == "Running"`)
	fmt.Println(err)
	_, err = rule.ParseCondition(`new.sate == "Failed"`)
	fmt.Println(err != nil)
	// Output:
	// <nil>
	// true
}

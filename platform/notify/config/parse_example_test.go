package config_test

import (
	"fmt"

	"github.com/vedette-io/vedette/platform/notify/config"
)

// All mistakes of a file of people, channels and rules are reported at once, with their lines.
func ExampleParse() {
	_, err := config.Parse("notify.yaml", []byte(`channels:
  terminal: {type: stdout}
rules:
- name: my failures
  enter: [Faild]
  to: [termnal]
`), config.Options{})
	fmt.Println(err)
	// Output:
	// notify.yaml:5: rule "my failures": there is no state "Faild"; the states are Submitted, Queued, Suspended, Starting, Running, Restarting, Succeeded, Failed, Aborted, Deleted
	// notify.yaml:6: to: there is no person or channel "termnal"; did you mean terminal?
}

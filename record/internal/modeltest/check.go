package modeltest

import (
	"flag"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// histories is the usual number of histories of a property. Each costs many transactions.
const histories = 10

// Check is [testinput.Check] for properties of databases: without VEDETTE_CASES, it tries
// fewer cases.
func Check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	checks := flag.Lookup("rapid.checks")
	if usual := checks.DefValue; checks.Value.String() == usual && testinput.Cases(t, 0) == 0 {
		set := func(n string) {
			t.Helper()
			if err := flag.Set(checks.Name, n); err != nil {
				t.Fatal(err)
			}
		}
		set(strconv.Itoa(histories))
		defer set(usual)
	}
	testinput.Check(t, property)
}

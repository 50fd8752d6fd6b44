package modeltest

import (
	"flag"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// Check is [testinput.Check] for properties of databases: without VEDETTE_CASES, it tries 10
// histories at the small size, because each costs many transactions.
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
		set(strconv.Itoa(testinput.Size(t, 10, 100)))
		defer set(usual)
	}
	testinput.Check(t, property)
}

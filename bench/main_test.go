package main

import (
	"errors"
	"flag"
	"testing"
)

func TestArguments(t *testing.T) {
	for _, args := range [][]string{{"-list"}, {"-list", "-full", "-run", "^sync$"}} {
		if err := run(args); err != nil {
			t.Errorf("%q: %v", args, err)
		}
	}
	for _, args := range [][]string{{"-run", "("}, {"-run", "no such scenario"}, {"dance"}, {"diff", "one"}, {"show", "-out"}, {"serve", "{"}, {"contest", "{}"}, {"-full=maybe"}} {
		if err := run(args); err == nil || errors.Is(err, flag.ErrHelp) {
			t.Errorf("%q was not refused: %v", args, err)
		}
	}
}

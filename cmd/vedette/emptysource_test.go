package main

import (
	"strings"
	"testing"
)

// TestEmptySource: an empty value of a flag that names a source is an error of every command that
// has the flag, instead of another source.
func TestEmptySource(t *testing.T) {
	for _, args := range []string{"jobs --db=", "jobs --server=", "history jobs --db=", "record jobs --db=", "record jobs --config=", "gaps --server=", "notify ls --db="} {
		name, _, _ := strings.Cut(args[strings.Index(args, "--"):], "=")
		if _, text := ended(t, 1, strings.Fields(args)...); text != "vedette: "+name+" is empty: give a value, or leave the flag out\n" {
			t.Errorf("%s: said %q", args, text)
		}
	}
}

package upstream

import (
	"slices"
	"testing"
)

// TestShaky: failures are excused only if all of them are failures of shaky tests.
func TestShaky(t *testing.T) {
	plain := Suite{Shaky: map[string]string{"Test[AB]": "why"}}
	specs := Suite{Specs: true, Shaky: map[string]string{"(a|some) spec": "why"}}
	for _, c := range []struct {
		name  string
		suite Suite
		fails []string
		want  []string
	}{
		{"nothing failed", plain, nil, nil},
		{"the package, and nothing else", plain, []string{""}, nil},
		{"shaky tests", plain, []string{"", "TestA", "TestB"}, []string{"TestA", "TestB"}},
		{"a test with a longer name", plain, []string{"", "TestAll"}, nil},
		{"another test too", plain, []string{"", "TestA", "TestC"}, nil},
		{"a spec, and the test that runs it", specs, []string{"", specs.specRunner(), "a spec"}, []string{"a spec"}},
		{"another spec too", specs, []string{"", specs.specRunner(), "a spec", "another"}, nil},
		{"failure of the spec runner without a failed spec", plain, []string{"", specs.specRunner()}, nil},
	} {
		failed := map[string]string{}
		for _, name := range c.fails {
			failed[name] = "output"
		}
		got := c.suite.shaky(failed)
		slices.Sort(got)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

package upstream

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Engine is an implementation under test. Package swap reads it from the environment.
type Engine string

// The engines.
const (
	Stock  Engine = "stock"  // client-go, unchanged
	Bridge Engine = "bridge" // client-go's informer on package bridge
	Ours   Engine = "ours"   // our informer on package bridge
)

// Suite is a package of tests of another project.
type Suite struct {
	// Name is the folder of the copy.
	Name string
	// Module and Package locate the tests: a module path, and a folder in it.
	Module, Package string
	// Inside selects the tests inside the tested package. Their copy imports its exported
	// names. Without Inside, the external tests are selected.
	Inside bool
	// Files has a row for every file with tests.
	Files []File
	// Casts maps hidden types to exported types that replace them in type assertions.
	Casts map[string]string
	// Swapped are functions that the copy takes from packages below swap.
	Swapped []Swap
	// Stubs are declarations that tests use and that the package does not export. The
	// copy has them in a separate file.
	Stubs string
	// Instead are bodies of functions of the tests, for our engine: helpers that access
	// client-go's implementation.
	Instead map[string]string
	// Specs means that Ginkgo runs most of the tests: the copy keeps all of them, and the
	// names in File are Go's.
	Specs bool
	// Runner is the test that runs the specs; default TestSource.
	Runner string
	// Skipped are specs that our engine deliberately does not pass, as regular
	// expressions of their whole text, with the reason.
	Skipped map[string]string
	// Shaky are tests and specs that sometimes fail with client-go, too, as regular
	// expressions of their whole text, with the reason.
	Shaky map[string]string
	// Without are files that are not copied, with the reason.
	Without map[string]string
	// Fakes means that informers of the tests have fake clients, which our adapters leave
	// to client-go's informer. Otherwise that is a failure.
	Fakes bool
	// Mirrors maps import paths to those that replace them for our engine.
	Mirrors map[string]string
}

// Swap names functions of an import path, and the package below swap that has functions
// of the same names.
type Swap struct {
	Path, Package string
	Names         []string
}

// File is a row of a table: the tests of one file. Every test is in exactly one of the
// fields.
type File struct {
	Name string
	// Run are the tests that must pass with every engine.
	Run []string
	// Internals are the tests that use unexported names of the package. Generate checks
	// it.
	Internals []string
	// Instead are the tests that run only with our engine, thanks to Suite.Instead.
	Instead []string
	// Deliberate are the tests that our engine deliberately does not pass, with the
	// reason. They run with the other engines.
	Deliberate map[string]string
	// Bridged are the tests that client-go's own informer does not pass on the bridge,
	// with the reason. They run with the other engines.
	Bridged map[string]string
	// Left are the tests that do not run at all, with the reason.
	Left map[string]string
}

// verdicts returns for each test of a file whether it runs with an engine.
//
// Errors: a test is in several fields.
func (f File) verdicts(e Engine) (map[string]bool, error) {
	all := map[string]bool{}
	add := func(tests []string, runs bool) error {
		for _, test := range tests {
			if _, twice := all[test]; twice {
				return fmt.Errorf("%s: %s is in the table twice", f.Name, test)
			}
			all[test] = runs
		}
		return nil
	}
	for _, field := range []struct {
		tests []string
		runs  bool
	}{
		{f.Run, true},
		{f.Internals, false},
		{f.Instead, e == Ours},
		{slices.Collect(maps.Keys(f.Deliberate)), e != Ours},
		{slices.Collect(maps.Keys(f.Bridged)), e != Bridge},
		{slices.Collect(maps.Keys(f.Left)), false},
	} {
		if err := add(field.tests, field.runs); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// Engines splits a comma-separated list of engines.
func Engines(list string) (all []Engine) {
	for name := range strings.SplitSeq(list, ",") {
		all = append(all, Engine(name))
	}
	return all
}

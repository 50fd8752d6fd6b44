package upstream_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/conformance/suites/upstream"
	"github.com/vedette-io/vedette/internal/testinput"
)

// TestWrongTables: a table that does not match the tests is an error.
func TestWrongTables(t *testing.T) {
	testinput.Uncached(t)
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	all := upstream.WorkQueue.Files[0].Run
	but := func(left string) []string {
		return slices.DeleteFunc(slices.Clone(all), func(test string) bool { return test == left })
	}
	for _, c := range []struct {
		name string
		file upstream.File
		want string
	}{
		{"a missing test", upstream.File{Run: but("TestLen")}, "has TestLen, which is not in the table"},
		{"a deleted test", upstream.File{Run: append(but(""), "TestGone")}, "the table has TestGone"},
		{"a duplicate test", upstream.File{Run: all, Internals: []string{"TestLen"}}, "TestLen is in the table twice"},
		{"a test without internals", upstream.File{Run: but("TestLen"), Internals: []string{"TestLen"}}, "TestLen uses no internals"},
	} {
		t.Run(c.name, func(t *testing.T) {
			suite := upstream.WorkQueue
			c.file.Name = "queue_test.go"
			suite.Name, suite.Files = "wrong", []upstream.File{c.file}
			if _, err := suite.Generate(root, upstream.Stock); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBreaks: each row changes a file of the tree, and there are files of all kinds.
func TestBreaks(t *testing.T) {
	faults, err := parse(table)
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]bool{}
	for _, f := range faults {
		text, err := os.ReadFile(filepath.Join("../..", f.file))
		if err != nil {
			t.Error(err)
			continue
		}
		if f.old == f.new || !strings.Contains(string(text), f.old) {
			t.Errorf("%s does not contain %q", f.file, f.old)
		}
		kinds[filepath.Ext(f.file)] = true
	}
	if len(faults) < 40 || len(kinds) < 10 {
		t.Errorf("%d breaks of %d kinds of files, want at least 40 of 10", len(faults), len(kinds))
	}
}

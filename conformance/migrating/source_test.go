package migrating_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

const (
	theirs = `"k8s.io/client-go/`
	ours   = `"github.com/vedette-io/vedette/compat/clientgo/`
)

// mirrored are the packages of client-go with a mirror package.
var mirrored = []string{"informers", "tools/cache", "dynamic/dynamicinformer", "util/workqueue"}

// same are the programs without informers, which need no change.
var same = []string{"clientsetlist", "restlist"}

// TestOnlyImportsDiffer compares the two texts of each program line by line.
func TestOnlyImportsDiffer(t *testing.T) {
	testinput.Uncached(t)
	names := programNames(t)
	if len(names) != len(scripts) {
		t.Fatalf("got programs %v, and %d scripts", names, len(scripts))
	}
	for _, name := range names {
		before, after := lines(t, name, "clientgo"), lines(t, name, "vedette")
		if len(before) != len(after) {
			t.Errorf("%s: %d lines with client-go, and %d with Vedette", name, len(before), len(after))
			continue
		}
		changed := 0
		for i, line := range before {
			if line == after[i] {
				continue
			}
			changed++
			path, imports := strings.CutPrefix(strings.TrimSpace(line), theirs)
			if !imports || !slices.Contains(mirrored, strings.TrimSuffix(path, `"`)) || strings.TrimSpace(after[i]) != ours+path {
				t.Errorf("%s, line %d: %q is now %q", name, i+1, line, after[i])
			}
		}
		if (changed == 0) != slices.Contains(same, name) {
			t.Errorf("%s: %d imports differ", name, changed)
		}
		for i, line := range after {
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), theirs); ok && slices.Contains(mirrored, strings.TrimSuffix(path, `"`)) {
				t.Errorf("%s, line %d: %s is still client-go's", name, i+1, path)
			}
		}
	}
}

const folder = "../../examples/migrating"

func programNames(t *testing.T) (names []string) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

func lines(t *testing.T, program, engine string) []string {
	text, err := os.ReadFile(filepath.Join(folder, program, engine, "main.go"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(text), "\n")
}

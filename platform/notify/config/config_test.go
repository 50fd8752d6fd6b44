package config

import (
	"flag"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the files with the expected results")

// environment returns a function that looks up variables in a table.
func environment(vars map[string]string) Options {
	return Options{LookupEnv: func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	}}
}

// TestMistakes: all mistakes of a file are reported at once, each with its line.
func TestMistakes(t *testing.T) {
	_, err := Load("testdata/broken.yaml", environment(nil))
	if err == nil {
		t.Fatal("the file is not refused")
	}
	const golden = "testdata/broken.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(err.Error()+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, readErr := os.ReadFile(golden)
	if readErr != nil {
		t.Fatal(readErr)
	}
	if diff := cmp.Diff(string(want), err.Error()+"\n"); diff != "" {
		t.Errorf("got a difference (-want +got):\n%s", diff)
	}
}

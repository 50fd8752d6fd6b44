package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMustBeRed: only a test that passed before with the same inputs, passed in all
// repetitions, was never set aside and has no open row is set aside.
func TestMustBeRed(t *testing.T) {
	for _, c := range []struct {
		name        string
		green       bool
		passed, ran int
		before      bool
		row         string
		want        string
	}{
		{"the first time", true, 50, 50, false, "", ""},
		{"changed inputs", false, 50, 50, false, "", "the change can affect it"},
		{"a repetition fails", true, 49, 50, false, "", "fails with inputs that passed"},
		{"few repetitions", true, 30, 30, false, "", "fails with inputs that passed"},
		{"the second time", true, 50, 50, true, "", "set aside before"},
		{"an open row", true, 50, 50, false, "| `p.TestX` | abc | 2026-11-29 | 1 | open |\n", "has an open row"},
		{"a closed row", true, 50, 50, false, "| `p.TestX` | abc | 2026-11-29 | 1 | the order of a map |\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := testWorkspace(t)
			write(t, filepath.Join(w.tree, "docs/flaky.md"), "| test | commit | date | seed | cause |\n|---|---|---|---|---|\n"+c.row)
			f := judged{failure{target: target{path: "p", key: "k"}, tests: []string{"TestX"}}, &step{name: "unit"}}
			if c.green {
				w.note("unit p", "k", 1)
			}
			var open []aside
			if c.before {
				open = []aside{{Test: "p.TestX"}}
			}
			if why := w.mustBeRed(f, "p.TestX", c.passed, c.ran, open); c.want == "" && why != "" || !strings.Contains(why, c.want) {
				t.Errorf("%q, want %q", why, c.want)
			}
		})
	}
}

// TestAsides: a test that was set aside is shown until a row with its cause is committed.
func TestAsides(t *testing.T) {
	w := testWorkspace(t)
	if err := w.memory.setAside(aside{Test: "p.TestX", Seed: "1"}); err != nil {
		t.Fatal(err)
	}
	for row, want := range map[string]int{"": 1, "| `p.TestX` | abc | 2026-11-29 | 1 | open |\n": 1, "| `p.TestX` | abc | 2026-11-29 | 1 | a map |\n": 0} {
		write(t, filepath.Join(w.tree, "docs/flaky.md"), row)
		if open, err := w.printAsides(); err != nil || len(open) != want {
			t.Errorf("with the row %q: %v %v", row, open, err)
		}
	}
	if err := os.WriteFile(filepath.Join(w.folder, "aside", "damaged.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := w.printAsides(); err == nil {
		t.Error("a damaged memory is not reported")
	}
}

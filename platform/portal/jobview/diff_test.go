package jobview_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/jobview"
)

// shown returns a difference as text.
func shown(d api.Diff) string {
	var out strings.Builder
	for _, l := range d.Lines {
		fmt.Fprintf(&out, "%s %d %d %s", l.Op, l.Left, l.Right, l.Text)
		if l.Count > 0 {
			fmt.Fprintf(&out, "x%d", l.Count)
		}
		for _, w := range l.Words {
			fmt.Fprintf(&out, " [%d,%d)", w.From, w.To)
		}
		if l.Bookkeeping {
			out.WriteString(" kept")
		}
		out.WriteString("\n")
	}
	return out.String()
}

func TestDiff(t *testing.T) {
	a := api.Body{Version: "1", YAML: "a\nb\nc\nd\ne\nimage: train:v1\ng\nuid: 1\n", Bookkeeping: []api.LineRange{{From: 8, To: 8}}}
	b := api.Body{Version: "2", YAML: "a\nb\nc\nd\ne\nimage: train:v2\nnew\ng\nuid: 2\n", Bookkeeping: []api.LineRange{{From: 9, To: 9}}}
	d := jobview.Diff(a, b, 3)
	want := "~ 1 1 x2\n= 3 3 c\n= 4 4 d\n= 5 5 e\n- 6 0 image: train:v1 [13,15)\n+ 0 6 image: train:v2 [13,15)\n+ 0 7 new\n= 7 8 g\n- 8 0 uid: 1 [5,6) kept\n+ 0 9 uid: 2 [5,6) kept\n"
	if got := shown(d); got != want || d.From != "1" || d.To != "2" || d.Differ != 5 {
		t.Errorf("got versions %s and %s, %d lines that differ, and\n%s\nwant 1, 2, 5 and\n%s", d.From, d.To, d.Differ, got, want)
	}
	if got := shown(jobview.Diff(a, a, 3)); got != "~ 1 1 x8\n" {
		t.Errorf("diff of equal bodies: got %s, want 8 lines left out", got)
	}
	// Offsets count UTF-16 units, as browsers do.
	if got := shown(jobview.Diff(api.Body{YAML: "n: 🚀 x\n"}, api.Body{YAML: "n: 🚀 y\n"}, 0)); got != "- 1 0 n: 🚀 x [6,7)\n+ 0 1 n: 🚀 y [6,7)\n" {
		t.Errorf("got\n%s\nwant\n%s", got, "- 1 0 n: 🚀 x [6,7)\n+ 0 1 n: 🚀 y [6,7)\n")
	}
}

// TestDiffModel: a difference reproduces both texts with their line numbers, folds cover only equal
// lines outside of the context, and exactly the different words are marked.
func TestDiffModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a", "b", "c: 1", "c: 2", "c: 12 é", "  d: x-y", "  d: x-z", "🚀 up", "🚀 down", ""})
		draw := func(what string) []string { return rapid.SliceOfN(line, 1, 40).Draw(t, what) }
		left, right := draw("left"), draw("right")
		if rapid.Bool().Draw(t, "alike") {
			right = append([]string{}, left...)
			for range rapid.IntRange(1, 2).Draw(t, "changes") {
				right[rapid.IntRange(0, len(right)-1).Draw(t, "at")] = line.Draw(t, "line")
			}
		}
		context := rapid.IntRange(0, 4).Draw(t, "context")
		d := jobview.Diff(api.Body{YAML: strings.Join(left, "\n") + "\n"}, api.Body{YAML: strings.Join(right, "\n") + "\n"}, context)
		var gotLeft, gotRight []string
		differ := 0
		for i, l := range d.Lines {
			if l.Op != "+" && l.Left != len(gotLeft)+1 || l.Op != "-" && l.Right != len(gotRight)+1 {
				t.Fatalf("line %d has the numbers %d and %d", i, l.Left, l.Right)
			}
			switch l.Op {
			case "~":
				gotLeft, gotRight = append(gotLeft, left[l.Left-1:l.Left-1+l.Count]...), append(gotRight, right[l.Right-1:l.Right-1+l.Count]...)
			case "=":
				gotLeft, gotRight = append(gotLeft, l.Text), append(gotRight, l.Text)
			case "-":
				gotLeft, differ = append(gotLeft, l.Text), differ+1
			case "+":
				gotRight, differ = append(gotRight, l.Text), differ+1
			}
			checkWords(t, l)
		}
		if strings.Join(gotLeft, "\n") != strings.Join(left, "\n") || strings.Join(gotRight, "\n") != strings.Join(right, "\n") || differ != d.Differ {
			t.Fatalf("%q and %q became\n%s", left, right, shown(d))
		}
		for i, l := range d.Lines {
			for j := max(0, i-context); j <= min(len(d.Lines)-1, i+context); j++ {
				if (l.Op == "-" || l.Op == "+") && d.Lines[j].Op == "~" {
					t.Fatalf("a fold %d lines from a difference:\n%s", j-i, shown(d))
				}
			}
		}
	})
}

func checkWords(t *rapid.T, l api.DiffLine) {
	units, last := len(utf16.Encode([]rune(l.Text))), 0
	for _, w := range l.Words {
		if l.Op != "-" && l.Op != "+" || w.From < last || w.To <= w.From || w.To > units {
			t.Fatalf("words %v of %q", l.Words, l.Text)
		}
		last = w.To
	}
}

// TestHostileDiff: lines without a common word cost a bounded number of comparisons. Ordinary lines
// before them have marks, and lines after them differ as a whole.
func TestHostileDiff(t *testing.T) {
	a := "image: train:7\n" + strings.Repeat(strings.Repeat(".,;:", 300)+"\n", 30) + "tries: 1\n"
	b := "image: train:8\n" + strings.Repeat(strings.Repeat("!?-+", 300)+"\n", 30) + "tries: 2\n"
	d := jobview.Diff(api.Body{YAML: a}, api.Body{YAML: b}, 3)
	if len(d.Lines) != 64 || len(d.Lines[0].Words) != 1 || len(d.Lines[32].Words) != 1 || d.Lines[31].Words != nil || d.Lines[63].Words != nil {
		t.Errorf("got %d lines, the first %+v, the last %+v; want 64, with words only in the short lines", len(d.Lines), d.Lines[0], d.Lines[len(d.Lines)-1])
	}
}

// TestLargeDiff: two bodies with hundreds of thousands of different lines give a bounded answer
// with the number of omitted lines.
func TestLargeDiff(t *testing.T) {
	const n = 300_000
	left, right := api.Body{YAML: strings.Repeat("- a\n", n)}, api.Body{YAML: strings.Repeat("- b\n", n/2)}
	for _, c := range []struct {
		name        string
		a, b        api.Body
		context     int
		differ, cut int
	}{
		{"replaced", left, right, 3, n + n/2, n + n/2 - 10_000},
		{"added", api.Body{}, right, 3, n/2 + 1, n/2 + 1 - 10_000},
		{"unchanged", api.Body{YAML: "x\n" + left.YAML}, api.Body{YAML: "y\n" + left.YAML}, n, 2, n + 2 - 10_000},
		{"folded", api.Body{YAML: "x\n" + left.YAML}, api.Body{YAML: right.YAML + left.YAML + right.YAML}, 3, 0, -1},
	} {
		d := jobview.Diff(c.a, c.b, c.context)
		if len(d.Lines) > 10_000 || c.cut >= 0 && (d.Cut != c.cut || d.Differ != c.differ) {
			t.Errorf("%s: %d lines, %d cut, %d differ", c.name, len(d.Lines), d.Cut, d.Differ)
		}
		signs := map[string]int{}
		for _, l := range d.Lines {
			signs[l.Op]++
		}
		if c.name == "replaced" && (signs["-"] != 5000 || signs["+"] != 5000) {
			t.Errorf("%s: got %v, want 5000 lines of each sign", c.name, signs)
		}
	}
}

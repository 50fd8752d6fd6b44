package linediff

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

func TestUnified(t *testing.T) {
	for _, c := range []struct{ name, a, b, want string }{
		{"equal", "x\n", "x\n", ""},
		{"a line", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n", "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		{"from nothing", "", "x\n", "@@ -0,0 +1 @@\n+x\n"},
		{"to nothing", "x\n", "", "@@ -1 +0,0 @@\n-x\n"},
		{"no end of line", "x\ny", "x\ny\n", "@@ -1,2 +1,2 @@\n x\n-y\n\\ No newline at end of file\n+y\n"},
		{"two that are close", "1\n2\n3\n4\n5\n", "0\n1\n2\n3\n4\n", "@@ -1,5 +1,5 @@\n+0\n 1\n 2\n 3\n 4\n-5\n"},
	} {
		want := c.want
		if want != "" {
			want = "--- a\n+++ b\n" + want
		}
		if got := Unified(c.a, c.b, "a", "b"); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, want)
		}
	}
}

// TestAgainstModel: applying the hunks converts one text to the other, and no shorter
// script does.
func TestAgainstModel(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "d\n"}), 0, 30).Draw(t, "lines"), "")
	})
	testinput.Check(t, func(t *rapid.T) {
		a, b := text.Draw(t, "a"), text.Draw(t, "b")
		diff := Unified(a, b, "a", "b")
		d := differ{a: split(a), b: split(b)}
		d.gone, d.new = make([]bool, len(d.a)), make([]bool, len(d.b))
		d.compare(0, len(d.a), 0, len(d.b))
		changes := 0
		for line := range strings.Lines(diff) {
			if (line[0] == '-' || line[0] == '+') && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "+++") {
				changes++
			}
		}
		if want := len(d.a) + len(d.b) - 2*common(d.a, d.b); changes != want {
			t.Fatalf("%d lines are changed, %d would do:\n%s", changes, want, diff)
		}
		if got := apply(d.a, diff); got != b {
			t.Fatalf("applied it gives\n%s\nwant\n%s\nthe diff:\n%s", got, b, diff)
		}
	})
}

// apply applies a diff.
func apply(a []string, diff string) string {
	var out strings.Builder
	i := 0
	for line := range strings.Lines(diff) {
		switch {
		case strings.HasPrefix(line, "---"), strings.HasPrefix(line, "+++"):
		case line[0] == '@':
			start, rest, _ := strings.Cut(strings.Fields(line)[1][1:], ",")
			n := 0
			for _, r := range start {
				n = 10*n + int(r-'0')
			}
			if rest != "0" {
				n--
			}
			for ; i < n; i++ {
				out.WriteString(a[i])
			}
		case line[0] == ' ':
			out.WriteString(line[1:])
			i++
		case line[0] == '-':
			i++
		case line[0] == '+':
			out.WriteString(line[1:])
		}
	}
	return out.String() + strings.Join(a[i:], "")
}

// common is the length of the longest common subsequence of lines.
func common(a, b []string) int {
	table := make([][]int, len(a)+1)
	table[0] = make([]int, len(b)+1)
	for i := range a {
		table[i+1] = make([]int, len(b)+1)
		for j := range b {
			if table[i+1][j+1] = max(table[i][j+1], table[i+1][j]); a[i] == b[j] {
				table[i+1][j+1] = table[i][j] + 1
			}
		}
	}
	return table[len(a)][len(b)]
}

// TestStrangers: the search for common lines gives up in texts that have none.
func TestStrangers(t *testing.T) {
	var a, b strings.Builder
	for i := range 40_000 {
		a.WriteString(strings.Repeat("a", i%9) + "a\n")
		b.WriteString(strings.Repeat("b", i%7) + "b\n")
	}
	d := differ{a: split(a.String()), b: split(b.String())}
	if x, y, found := d.middle(0, len(d.a), 0, len(d.b)); found {
		t.Errorf("the search continued to %d and %d", x, y)
	}
	if Unified(a.String(), b.String(), "a", "b") == "" {
		t.Error("no difference")
	}
}

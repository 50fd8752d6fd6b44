package glob

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/vedette-io/vedette/internal/testinput"
)

// TestGlobAgainstModel compares with a regular expression.
func TestGlobAgainstModel(t *testing.T) {
	testinput.Check(t, func(t *rapid.T) {
		// Few letters, so that the parts of a pattern occur in a name, often several
		// times.
		letters := rapid.SampledFrom([]string{"a", "ab", "a中", "ab中/["}).Draw(t, "letters")
		pattern := rapid.StringOfN(rapid.RuneFrom([]rune(letters+"**?")), 0, 8, -1).Draw(t, "pattern")
		name := rapid.StringOfN(rapid.RuneFrom([]rune(letters)), 0, 8, -1).Draw(t, "name")
		model := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
		want := regexp.MustCompile("(?s)^" + model + "$").MatchString(name)
		if got := Pattern(pattern).Match(name); got != want {
			t.Fatalf("%q matches %q: %v, want %v", pattern, name, got, want)
		}
	})
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		glob Pattern
		name string
		want bool
	}{
		{"team-*", "team-ml", true},
		{"team-*", "team-", true},
		{"team-*", "a-team-ml", false},
		{"*ab", "aab", true},
		{"*-gpu-*", "a-gp-gpu-b", true},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"*", "", true},
		{"", "", true},
		{"", "a", false},
		{"??", "中文", true},
		{"*", "arn:aws:eks/prod", true},
	} {
		if got := c.glob.Match(c.name); got != c.want {
			t.Errorf("%s matches %q: got %v, want %v", c.glob, c.name, got, c.want)
		}
	}
}

func TestGlobIsLinear(t *testing.T) {
	// A matcher that tries all combinations would not finish.
	if Pattern(strings.Repeat("a*", 100) + "b").Match(strings.Repeat("a", 10_000)) {
		t.Error("it matches")
	}
}

package ui

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/job"
)

// TestStates: the pages have the states and the sets of package job.
func TestStates(t *testing.T) {
	text, err := os.ReadFile("src/core/state.ts")
	if err != nil {
		t.Fatal(err)
	}
	final := slices.DeleteFunc(job.States(), func(s job.State) bool { return !s.Final() })
	for name, want := range map[string][]job.State{"states": job.States(), "waiting": job.WaitingStates(), "final": final} {
		list := regexp.MustCompile(`const ` + name + `\b[^\n]*?\[([^\]]*)\]`).FindSubmatch(text)
		if list == nil {
			t.Errorf("src/core/state.ts has no list %s", name)
			continue
		}
		var got []job.State
		for word := range strings.SplitSeq(string(list[1]), ",") {
			got = append(got, job.State(strings.Trim(word, ` "`)))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s of src/core/state.ts is %q, want %q", name, got, want)
		}
	}
	for _, s := range job.States() { // holds has the rest
		if want := !s.Final() && !s.Waits() && s != job.Suspended; want == (s.Final() || s.BeforeStart()) {
			t.Errorf("%s: the rule of holds is not that of package job", s)
		}
	}
}

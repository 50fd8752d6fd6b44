package policy

import (
	"strings"
	"testing"
)

func TestProse(t *testing.T) {
	found, err := checkProse(root)
	report(t, overBudget(found, unclear), err)
}

func TestHabitsThatAreFound(t *testing.T) {
	for _, c := range []struct {
		text string
		want string // a part of the finding
	}{
		{"It can not fail.", "cannot"},
		{"Everything begins anew.", "from scratch"},
		{"It waits for ever.", "forever"},
		{"The list is sorted so as to find it.", "so that"},
		{"There was no replica to be had.", "available"},
		{"It is looked at whether a dictionary saves.", "checks"},
		{"The lock of who writes it.", "whoever"},
		{"It ends. Who dies before writes some again.", "a noun"},
		{"What others differ from is removed after them.", "a noun"},
		{"It has two. One that was never asked may choose a worse.", "a noun"},
		{"It is kept. That of servers is used again.", "a noun"},
		{"The job does not exist any more.", "no longer"},
		{"There are no more jobs, nor any more pods.", ""},
		{"A reader that fails goes on with the next page.", "continue"},
		{"All of it but for the status.", "except"},
		{"Expired by the own clock.", "its own"},
		{"The caller says what he needs.", "they"},
		{"The handler is told of each change.", "receives"},
		{"looks whether a row is there", "checks whether"},
		{"ready says whether the database answers", "reports whether"},
		{"It returns a copy of what it has.", "a noun"},
		{"The rest is compared with what there is.", "the current state"},
		{"TestBudget: what is left is shared.", "a noun"},
		{"what is left, for the next one", "a noun"},
		{"It is replaced by one that is empty.", "a noun"},
		{"A job that is none.", "is not a"},
		{"It is no error.", "is not a"},
		{"There is no error, and it is no longer kept.", ""},
		{"The rows that are there, and those that are gone.", "exists"},
		{"It returns nil if there is none.", ""},
		{"A crash before this point\n// replays some batches; replay is idempotent.", ""},
		{"What is this?", ""},
		{"It asks who answers, and says what failed.", ""},
		{"Whoever holds the lease writes.", ""},
	} {
		found := findHabits(c.text)
		if c.want == "" && len(found) > 0 || c.want != "" && (len(found) == 0 || !strings.Contains(strings.Join(found, "\n"), c.want)) {
			t.Errorf("%q: found %q, want %q", c.text, found, c.want)
		}
	}
}

func TestLongSentencesThatAreFound(t *testing.T) {
	words := func(n int) string { return strings.TrimSpace(strings.Repeat("word ", n)) }
	for _, c := range []struct {
		doc  string
		want int
	}{
		{words(35) + ".", 0},
		{words(36) + ".", 1},
		{words(20) + ". " + words(20) + ".", 0},
		{words(20) + "\n" + words(20) + ".", 1},
		{words(20) + "\n\n" + words(20), 0},
		{"# " + words(40), 0},
		{"\t" + words(40), 0},
		{"1. " + words(20) + "\n2. " + words(20), 0},
		{words(20) + ": " + words(20), 0},
	} {
		if found := longSentences(c.doc); len(found) != c.want {
			t.Errorf("%q: found %q, want %d", c.doc, found, c.want)
		}
	}
}

func TestProseIsRead(t *testing.T) {
	tree := plant(map[string]string{
		"a/a.go":      "package a\n\n// f says that it can not.\nfunc f() string { return \"not anew\" }\n",
		"a/a_test.go": "package a\n\n// It can not.\n",
		"m/go.mod":    "module m",
		"m/m.go":      "package m\n\n// It can not.\n",
		"ui/a.ts":     "// It can\n// not.\nconst a = 'can not' // nor this anew\n/** A wait\n * for ever. */\nconst u = 'http://can not'\n",
		"docs/a.md":   "A line that\ncan\nnot.\n\n```\ncan not\n```\n| a | it can not |\n- item\n- it can not\n",
	})
	found, err := checkProse(tree)
	if err != nil {
		t.Fatal(err)
	}
	if got := found["a"]; len(got) != 3 || !strings.HasPrefix(got[0], "a.go:3:") || !strings.HasPrefix(got[1], "a.go:4:") || !strings.HasPrefix(got[2], "a_test.go:3:") {
		t.Errorf("in the package: %q", got)
	}
	if got := found["m"]; len(got) != 1 {
		t.Errorf("in another module: %q", got)
	}
	if got := found["ui"]; len(got) != 3 || !strings.HasPrefix(got[0], "a.ts:1:") || !strings.HasPrefix(got[1], "a.ts:3:") || !strings.HasPrefix(got[2], "a.ts:4:") {
		t.Errorf("in TypeScript: got %q, want lines 1, 3 and 4 of a.ts", got)
	}
	if got := found["docs/a.md"]; len(got) != 3 {
		t.Errorf("in the document: %q", got)
	}
}

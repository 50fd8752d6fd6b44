package jobview_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/vedette-io/vedette/job"
)

// TestChineseExitCodes checks that the Chinese pages translate the exit code in the texts
// of rows and attempts.
func TestChineseExitCodes(t *testing.T) {
	const path = "../ui/src/words/zh.ts"
	words, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`said: \(text\) => text\.replace\(/(.*?)/,`).FindSubmatch(words)
	if found == nil {
		t.Fatalf("%s: got no pattern in said, want one that finds exit codes", path)
	}
	pattern := regexp.MustCompile(string(found[1]))
	for _, text := range []string{job.ExitCodeMessage(7), "worker-2, " + job.ExitCodeMessage(7)} {
		if got := pattern.FindStringSubmatch(text); len(got) != 2 || got[1] != "7" {
			t.Errorf("%s: the pattern %s finds %q in %q, want the exit code 7", path, pattern, got, text)
		}
	}
}

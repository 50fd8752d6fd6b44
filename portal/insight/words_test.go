package insight_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/portal/insight"
)

// TestWords: both languages have the same sentences with the same placeholders, and each
// sentence that the code names exists.
func TestWords(t *testing.T) {
	placeholder := regexp.MustCompile(`\{[^}]*\}?`)
	for key, english := range insight.English {
		chinese, ok := insight.Chinese[key]
		if !ok {
			t.Errorf("%s: there is no Chinese sentence", key)
			continue
		}
		want, got := placeholder.FindAllString(english, -1), placeholder.FindAllString(chinese, -1)
		want = slices.DeleteFunc(want, func(p string) bool { return p == "{suffix}" }) // Chinese has none
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: placeholders %v, in English %v", key, got, want)
		}
		if strings.HasSuffix(english, ".") != strings.HasSuffix(chinese, "。") {
			t.Errorf("%s: one language ends with a period: %q, %q", key, english, chinese)
		}
	}
	for key := range insight.Chinese {
		if _, ok := insight.English[key]; !ok {
			t.Errorf("%s: there is no English sentence", key)
		}
	}
	used := map[string]bool{}
	for key := range named(t) {
		used[key] = true
		if _, ok := insight.English[key]; !ok {
			t.Errorf("the code names %q, and there is no such sentence", key)
		}
	}
	for key := range insight.English {
		base, _, _ := strings.Cut(key, ".one")
		base, _, _ = strings.Cut(base, ".many")
		if !used[key] && !used[base] && !strings.HasPrefix(key, "unknown.what.") && key != "comma" {
			t.Errorf("no code names %q", key)
		}
	}
}

// named returns the texts in the sources that look like keys of sentences.
func named(t *testing.T) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	call := regexp.MustCompile(`\b(?:say|miss|count)\("([^"]+)"`)
	quoted := regexp.MustCompile(`"((?:fail|kueue|volcano|node|unknown|place|check|index|retry|like|scheduler)\.[a-zA-Z.]+)"`)
	for _, e := range entries {
		if name := e.Name(); strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && !strings.HasPrefix(name, "words_") {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range call.FindAllStringSubmatch(string(text), -1) {
				if _, plural := insight.English[m[1]+".one"]; plural {
					all[m[1]+".one"], all[m[1]+".many"] = true, true
				} else {
					all[m[1]] = true
				}
			}
			for _, m := range quoted.FindAllStringSubmatch(string(text), -1) {
				all[m[1]] = true
			}
		}
	}
	for _, not := range []string{"index.older", "unknown.what."} { // plural, and the beginning of a key
		delete(all, not)
	}
	return all
}

// TestSay: values are inserted as they are.
func TestSay(t *testing.T) {
	for _, c := range [][]string{
		{insight.Say("en", "kueue.waits", "queue", "{left}"), "It waits for quota of queue {left}."},
		{insight.Say("xx", "kueue.waits", "queue", "a}{"), "It waits for quota of queue a}{."},
		{insight.Say("zh", "kueue.waits", "queue", "a"), "正在等待队列 a 的配额。"},
		{insight.Say("en", "kueue.waits"), "It waits for quota of queue ."},
		{insight.Nth("en", 1), "1st"},
		{insight.Nth("en", 12), "12th"},
		{insight.Nth("en", 22), "22nd"},
		{insight.Nth("en", 1013), "1,013th"},
		{insight.Nth("zh", 7), "第 7"},
	} {
		if c[0] != c[1] {
			t.Errorf("got %q, want %q", c[0], c[1])
		}
	}
}

package words_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/platform/portal/insight/words"
)

// TestWords: both languages have the same sentences with the same placeholders, and each
// key in the code exists.
func TestWords(t *testing.T) {
	placeholder := regexp.MustCompile(`\{[^}]*\}?`)
	for key, english := range words.English {
		chinese, ok := words.Chinese[key]
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
	for key := range words.Chinese {
		if _, ok := words.English[key]; !ok {
			t.Errorf("%s: there is no English sentence", key)
		}
	}
	used := map[string]bool{}
	for key := range named(t) {
		used[key] = true
		if _, ok := words.English[key]; !ok {
			t.Errorf("the code names %q, and there is no such sentence", key)
		}
	}
	for key := range words.English {
		base, _, _ := strings.Cut(key, ".one")
		base, _, _ = strings.Cut(base, ".many")
		if !used[key] && !used[base] && !strings.HasPrefix(key, "unknown.what.") && key != "comma" {
			t.Errorf("no code names %q", key)
		}
	}
}

// named returns the texts in the sources that look like keys.
func named(t *testing.T) map[string]bool {
	t.Helper()
	sources, err := filepath.Glob("../*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	call := regexp.MustCompile(`\b(?:[Ss]ay|miss|Count)\("([^"]+)"`)
	quoted := regexp.MustCompile(`"((?:fail|kueue|volcano|node|unknown|place|check|index|retry|like|scheduler)\.[a-zA-Z.]+)"`)
	for _, name := range append(sources, "speaker.go") {
		if !strings.HasSuffix(name, "_test.go") {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range call.FindAllStringSubmatch(string(text), -1) {
				if _, plural := words.English[m[1]+".one"]; plural {
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

// TestSay: values are inserted unchanged.
func TestSay(t *testing.T) {
	for _, c := range [][]string{
		{words.Of("en").Say("kueue.waits", "queue", "{left}"), "It waits for quota of queue {left}."},
		{words.Of("xx").Say("kueue.waits", "queue", "a}{"), "It waits for quota of queue a}{."},
		{words.Of("zh").Say("kueue.waits", "queue", "a"), "正在等待队列 a 的配额。"},
		{words.Of("en").Say("kueue.waits"), "It waits for quota of queue ."},
		{words.Of("en").Nth(1), "1st"},
		{words.Of("en").Nth(12), "12th"},
		{words.Of("en").Nth(22), "22nd"},
		{words.Of("en").Nth(1013), "1,013th"},
		{words.Of("zh").Nth(7), "第 7"},
	} {
		if c[0] != c[1] {
			t.Errorf("got %q, want %q", c[0], c[1])
		}
	}
}

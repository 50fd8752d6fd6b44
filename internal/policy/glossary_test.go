package policy

import (
	"path"
	"strings"
	"testing"
)

func TestGlossary(t *testing.T) {
	found, err := checkGlossary(root)
	report(t, overBudget(found, unglossed), err)
}

func TestRetiredWordsThatAreFound(t *testing.T) {
	glossary := "| scan | Reading a list. *Not* walk. |\n| scope | A part. *Not* place, collection, lane. |\n| late | *Not* fill in. |\n"
	for _, c := range []struct{ name, file, text, want string }{
		{"a file", "record/walk.go", "package record", "record/walk.go is named"},
		{"a type", "record/a.go", "package record\ntype place int", "declares place"},
		{"a method", "record/sqldb/a.go", "package sqldb\ntype t int\nfunc (t) Walk() {}", "declares Walk"},
		{"a longer word", "record/a.go", "package record\nfunc replace() {}", ""},
		{"a variable", "record/a.go", "package record\nfunc f() { walk := 1; _ = walk }", ""},
		{"a field", "record/a.go", "package record\ntype t struct{ walk int }", ""},
		{"a word with a meaning of its own", "platform/notify/delivery/lane.go", "package delivery", ""},
		{"a constant", "record/a.go", "package record\nconst Walk = 1", "declares Walk"},
		{"two words", "record/a.go", "package record\nfunc fillIn() {}", "declares fillIn"},
		{"another package", "store/walk.go", "package store", "store/walk.go is named"},
	} {
		t.Run(c.name, func(t *testing.T) {
			found, err := checkGlossary(plant(map[string]string{"docs/glossary.md": glossary, c.file: c.text}))
			finds(t, found[path.Dir(c.file)], err, c.want)
		})
	}
	if words := retiredWords(glossary); len(words) != 5 || !words["fillin"] {
		t.Errorf("the retired words are %v", strings.Join(keys(words), ", "))
	}
}

func keys(of map[string]bool) (all []string) {
	for k := range of {
		all = append(all, k)
	}
	return all
}

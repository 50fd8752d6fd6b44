package policy

import (
	"strings"
	"testing"
)

func TestGlossary(t *testing.T) {
	broken, err := checkGlossary(root, glossed)
	report(t, broken, err)
}

func TestRetiredWordsThatAreFound(t *testing.T) {
	glossary := "| scan | Reading a list. *Not* walk. |\n| scope | A part. *Not* place, collection. |\n| late | *Not* fill in. |\n"
	for _, c := range []struct{ name, file, text, want string }{
		{"a file", "record/walk.go", "package record", "record/walk.go is named"},
		{"a type", "record/a.go", "package record\ntype place int", "declares place"},
		{"a method", "record/sqldb/a.go", "package sqldb\ntype t int\nfunc (t) Walk() {}", "declares Walk"},
		{"a longer word", "record/a.go", "package record\nfunc replace() {}", ""},
		{"a variable", "record/a.go", "package record\nfunc f() { walk := 1; _ = walk }", ""},
		{"another package", "store/walk.go", "package store", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken, err := checkGlossary(plant(map[string]string{"docs/glossary.md": glossary, c.file: c.text}), []string{"record"})
			finds(t, broken, err, c.want)
		})
	}
	if words := retiredWords(glossary); len(words) != 3 || words["fill in"] {
		t.Errorf("the retired words are %v", strings.Join(keys(words), ", "))
	}
}

func keys(of map[string]bool) (all []string) {
	for k := range of {
		all = append(all, k)
	}
	return all
}

package policy

import (
	"io/fs"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// root is the tree of the repository.
var root = os.DirFS("../..")

func TestImports(t *testing.T) {
	rows, err := parseTable(Table)
	if err != nil {
		t.Fatal(err)
	}
	broken, err := checkImports(root, rows)
	report(t, broken, err)
}

func TestSource(t *testing.T) {
	broken, err := checkSource(root)
	report(t, broken, err)
}

func TestDocs(t *testing.T) {
	broken, err := checkDocs(root)
	report(t, broken, err)
}

func report(t *testing.T, broken []string, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range broken {
		t.Error(b)
	}
}

// TestTableForPeople compares the table of docs/architecture.md with Table.
func TestTableForPeople(t *testing.T) {
	rows, err := parseTable(Table)
	if err != nil {
		t.Fatal(err)
	}
	text, err := fs.ReadFile(root, "docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Import table\n")
	if !found {
		t.Fatal("docs/architecture.md has no section \"Import table\"")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	line := regexp.MustCompile("(?m)^\\| `([^`]+)`( \\(planned\\))? \\|[^|]*\\| ([^|]*) \\|$")
	var got []row
	for _, m := range line.FindAllStringSubmatch(section, -1) {
		r := row{name: m[1], planned: m[2] != ""}
		if m[3] != "-" {
			r.may = strings.Fields(strings.ReplaceAll(m[3], ",", ""))
		}
		got = append(got, r)
	}
	same := func(a, b row) bool { return a.name == b.name && a.planned == b.planned && slices.Equal(a.may, b.may) }
	if !slices.EqualFunc(got, rows, same) {
		t.Errorf("docs/architecture.md says\n%v\nthe code says\n%v", got, rows)
	}
}

func TestGoMod(t *testing.T) {
	text, err := fs.ReadFile(root, "go.mod")
	if err != nil {
		t.Fatal(err)
	}
	for _, unwanted := range []string{"\nreplace ", "stretchr/testify", "gorm.io", "spf13/viper"} {
		if strings.Contains(string(text), unwanted) {
			t.Errorf("go.mod holds %q", strings.TrimSpace(unwanted))
		}
	}
}

// The tests below create violations, and check that they are found.

func plant(files map[string]string) fs.FS {
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

func TestImportsThatAreFound(t *testing.T) {
	table := "a:\nb: a\nc: planned a\n"
	good := map[string]string{"a/a.go": "package a", "b/b.go": "package b\nimport _ \"" + module + "/a\""}
	for _, c := range []struct{ name, file, text, want string }{
		{"a package that is not listed", "d/d.go", "package d", "d is not in the table"},
		{"an upward import", "a/up.go", "package a\nimport _ \"" + module + "/b\"", "a/up.go imports b"},
		{"a planned package that exists", "c/c.go", "package c", "c exists"},
		{"a forbidden package", "a/http.go", "package a\nimport _ \"k8s.io/client-go/tools/cache\"", "is forbidden there"},
		{"nothing", "a/more_test.go", "package a\nimport _ \"" + module + "/b\"", ""},
		{"another module", "other/x/x.go", "package x", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := parseTable(table)
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{c.file: c.text, "other/go.mod": "module other"}
			maps.Copy(files, good)
			broken, err := checkImports(plant(files), rows)
			finds(t, broken, err, c.want)
		})
	}
	if _, err := parseTable("a: b\nb:\n"); err == nil {
		t.Error("a table that runs upward is not refused")
	}
	if broken, _ := checkImports(plant(nil), []row{{name: "gone"}}); len(broken) != 1 {
		t.Errorf("a package that is gone: %q", broken)
	}
}

func TestSourceThatIsFound(t *testing.T) {
	lines := func(n int) string { return strings.Repeat("\n", n) }
	for _, c := range []struct{ name, file, text, want string }{
		{"a long file", "a/a.go", "package a" + lines(maxFile+1), "lines, more than 500"},
		{"a long test", "a/a_test.go", "package a" + lines(maxTestFile+1), "lines, more than 800"},
		{"a long function", "a/a.go", "package a\nfunc f() {" + lines(maxFunction) + "}\n", "f has 71 lines"},
		{"a bad name", "a/util.go", "package a", "is named after nothing"},
		{"a sleep", "a/a_test.go", "package a\nvar _ = time.Sleep" + "(1)", "sleeps"},
		{"a promise", "a/a.go", "package a // TO" + "DO: all of it", "promise"},
		{"a skipped test", "a/a_test.go", "package a\nfunc f() { t.Skip" + "() }", "skips"},
		{"a panic", "a/a.go", "package a\nfunc f() { panic" + "(1) }", "panics"},
		{"a panic in a test", "a/a_test.go", "package a\nfunc f() { panic" + "(1) }", ""},
		{"nothing", "a/a.go", "package a\nfunc f() {" + lines(maxFunction-1) + "}\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken, err := checkSource(plant(map[string]string{c.file: c.text}))
			finds(t, broken, err, c.want)
		})
	}
}

func TestDocsThatAreFound(t *testing.T) {
	doc := "// Package a is.\n//\n// # Data flow\n//\n// # Ownership\n//\n// # Guarantees\n//\n// # Limits\n//\n// # Errors\n//\n// None.\npackage a\n"
	for _, c := range []struct{ name, dir, text, want string }{
		{"no comment", "a", "package a", "0 package comments"},
		{"no headings", "a", "// Package a is.\npackage a", "lacks"},
		{"no headings in a program", "cmd/a", "// Command a is.\npackage main", ""},
		{"a function", "a", doc + "func F() {}", "F has no documentation"},
		{"a method", "a", doc + "// T is.\ntype T int\nfunc (t *T) M() {}", "M has no documentation"},
		{"a method of what is not exported", "a", doc + "type t int\nfunc (t t) M() {}", ""},
		{"a type", "a", doc + "type T int", "T has no documentation"},
		{"a constant", "a", doc + "const C = 1", "C has no documentation"},
		{"nothing", "a", doc + "// F is.\nfunc F() {}", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken, err := checkDocs(plant(map[string]string{c.dir + "/a.go": c.text}))
			finds(t, broken, err, c.want)
		})
	}
}

func finds(t *testing.T, broken []string, err error, want string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if want == "" && len(broken) > 0 || want != "" && (len(broken) != 1 || !strings.Contains(broken[0], want)) {
		t.Errorf("found %q, want %q", broken, want)
	}
}

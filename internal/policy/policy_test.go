package policy

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// root is the tree of the repository.
var root = os.DirFS("../..")

func TestImports(t *testing.T) {
	broken, err := checkImports(root, parseFloors(Floors))
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

// TestFloorsForPeople compares the list of docs/architecture.md with Floors.
func TestFloorsForPeople(t *testing.T) {
	text, err := fs.ReadFile(root, "docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Folders\n")
	if !found {
		t.Fatal("docs/architecture.md has no section \"Folders\"")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var got, want []string
	for _, m := range regexp.MustCompile("(?m)^\\| ([a-z-]+) \\| `([^`]+)` \\|").FindAllStringSubmatch(section, -1) {
		got = append(got, m[1]+" "+m[2])
	}
	for _, f := range parseFloors(Floors) {
		want = append(want, f.floor+" "+f.name)
	}
	if !slices.Equal(got, want) {
		t.Errorf("docs/architecture.md says\n%q\nthe code says\n%q", got, want)
	}
}

// TestHouse checks the size of the house: the number of folders at the top, and the number of
// layers, which is the longest chain of imports between them.
func TestHouse(t *testing.T) {
	uses, err := topImports(root)
	if err != nil {
		t.Fatal(err)
	}
	layers := map[string]int{}
	var layer func(name string) int
	layer = func(name string) int {
		if layers[name] == 0 {
			layers[name] = 1
			for _, used := range uses[name] {
				layers[name] = max(layers[name], layer(used)+1)
			}
		}
		return layers[name]
	}
	highest := 0
	for name := range uses {
		highest = max(highest, layer(name))
	}
	if n := len(uses); n > 21 || highest > 8 {
		t.Errorf("got %d folders at the top in %d layers, want at most 21 in 8: %v", n, highest, layers)
	}
	t.Logf("%d folders in %d layers", len(uses), highest)
}

// TestGoMod: no module of go.work replaces a module or requires an unwanted one. Each of them
// requires the others by one version, which go.work replaces with their folders, and the root
// requires none of them.
func TestGoMod(t *testing.T) {
	modules, err := workModules(root)
	if err != nil {
		t.Fatal(err)
	}
	ours := regexp.MustCompile(`\s` + regexp.QuoteMeta(module) + `(\S*) (v\S+)`)
	versions := map[string]bool{}
	for _, dir := range append(modules, ".") {
		text, err := fs.ReadFile(root, path.Join(dir, "go.mod"))
		if err != nil {
			t.Fatal(err)
		}
		for _, unwanted := range []string{"\nreplace ", "stretchr/testify", "gorm.io", "spf13/viper"} {
			if strings.Contains(string(text), unwanted) {
				t.Errorf("the go.mod of %s holds %q", dir, strings.TrimSpace(unwanted))
			}
		}
		for _, m := range ours.FindAllStringSubmatch(string(text), -1) {
			versions[m[2]] = true
			if dir == "." {
				t.Errorf("the root requires %s%s", module, m[1])
			}
		}
	}
	work, err := fs.ReadFile(root, "go.work")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range ours.FindAllStringSubmatch(string(work), -1) {
		versions[m[2]] = true
	}
	if len(versions) != 1 {
		t.Errorf("go.work and the modules in it require each other by %d versions, want 1: %v", len(versions), slices.Sorted(maps.Keys(versions)))
	}
}

// The tests below create violations, and check that they are found.

func plant(files map[string]string) fs.FS {
	tree := fstest.MapFS{"go.work": {Data: []byte("use .\n")}}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return tree
}

func TestImportsThatAreFound(t *testing.T) {
	floors := parseFloors("library: a b\njob: job\nplatform: platform/x platform/y\n")
	good := map[string]string{
		"a/a.go": "package a", "b/b.go": "package b\nimport _ \"" + module + "/a\"", "job/job.go": "package job",
		"platform/x/x.go": "package x\nimport _ \"" + module + "/job\"", "platform/y/deep/y.go": "package deep\nimport _ \"" + module + "/platform/x\"",
	}
	for _, c := range []struct{ name, file, text, want string }{
		{"a package in no folder", "d/d.go", "package d", "d is in no folder"},
		{"an upward import", "a/up.go", "package a\nimport _ \"" + module + "/b\"", "a/up.go imports b, which stands above it"},
		{"an upward import within a floor", "platform/x/up.go", "package x\nimport _ \"" + module + "/platform/y/deep\"", "which stands above it"},
		{"the library knows jobs", "b/job.go", "package b\nimport _ \"" + module + "/job\"", "which is on the floor job"},
		{"package job is not pure", "job/a.go", "package job\nimport _ \"" + module + "/a\"", "job needs nothing of this module"},
		{"a forbidden package", "a/http.go", "package a\nimport _ \"k8s.io/client-go/tools/cache\"", "is forbidden there"},
		{"nothing", "a/more_test.go", "package a\nimport _ \"" + module + "/b\"", ""},
		{"another module", "other/x/x.go", "package x", ""},
		{"a module of go.work", "work/x/x.go", "package x", "work/x is in no folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{c.file: c.text, "other/go.mod": "module other", "work/go.mod": "module work", "go.work": "use (\n\t.\n\t./work\n)\n"}
			maps.Copy(files, good)
			broken, err := checkImports(plant(files), floors)
			finds(t, broken, err, c.want)
		})
	}
	if broken, _ := checkImports(plant(nil), []folder{{"library", "absent"}}); len(broken) != 1 {
		t.Errorf("a folder that is absent: %q", broken)
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

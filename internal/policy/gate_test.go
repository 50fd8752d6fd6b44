package policy

import (
	"io/fs"
	"testing"
)

// TestWaits: tests wait with internal/patience, and their random inputs have a printed seed.
func TestWaits(t *testing.T) {
	broken, err := checkWaits(root)
	report(t, broken, err)
}

// TestPrograms: the go command stores no results of tests that start programs.
func TestPrograms(t *testing.T) {
	broken, err := checkPrograms(root)
	report(t, broken, err)
}

// TestOutside: the go command stores no results of tests that read files outside of their
// module.
func TestOutside(t *testing.T) {
	broken, err := checkOutside(root)
	report(t, broken, err)
}

// TestSQLPackages: the gate tests each package with SQL on each kind of database.
func TestSQLPackages(t *testing.T) {
	list, err := fs.ReadFile(root, "tools/gate/needs.go")
	if err != nil {
		t.Fatal(err)
	}
	broken, err := checkSQL(root, string(list))
	report(t, broken, err)
}

func TestWaitsThatAreFound(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"a limit", "package a\nfunc f() { <-time." + "After(1) }", "wait with internal/patience"},
		{"a context with a limit", "package a\nfunc f() { context." + "WithTimeout(ctx, 1) }", "wait with internal/patience"},
		{"a deadline", "package a\nfunc f() { for time." + "Now().Before(end) {} }", "wait with internal/patience"},
		{"a measured time", "package a\nfunc f() { if time." + "Since(start) > 1 {} }", "wait with internal/patience"},
		{"an input", "package a\nvar t = time." + "NewTicker(1) " + excuse + "the pace of a writer", ""},
		{"fake time", "package a\nimport \"testing/synctest\"\nfunc f() { <-time." + "After(1) }", ""},
		{"a seed of rapid", "package a\nfunc f() { rapid." + "Check(t, g) }", "take random inputs"},
		{"a seed by chance", "package a\nimport \"math/rand/v2\"\nvar n = rand." + "IntN(3)", "take random inputs"},
		{"a seed of testinput", "package a\nvar n = testinput.Rand(t).IntN(3)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken, err := checkWaits(plant(map[string]string{"a/a_test.go": c.text}))
			finds(t, broken, err, c.want)
		})
	}
}

func TestProgramsThatAreFound(t *testing.T) {
	const exec = "import \"os/exec\"\n"
	for _, c := range []struct{ name, file, text, want string }{
		{"a test that starts a program", "a/a_test.go", "package a\n" + exec, "a imports os/exec"},
		{"a test that excludes itself", "a/a_test.go", "package a\n" + exec + "func f() { testinput." + "Uncached(t) }", ""},
		{"a test with a package that starts one", "b/b_test.go", "package b\nimport _ \"" + module + "/starter\"", "b tests with starter"},
		{"a test with a package that excludes it", "b/b_test.go", "package b\nimport _ \"" + module + "/excluder\"", ""},
		{"a package without tests", "c/c.go", "package c\n" + exec, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken, err := checkPrograms(plant(map[string]string{
				c.file: c.text, "starter/s.go": "package starter\n" + exec, "excluder/e.go": "package excluder\n" + exec + "func f() { testinput." + "Uncached(t) }",
			}))
			finds(t, broken, err, c.want)
		})
	}
}

func TestOutsideThatIsFound(t *testing.T) {
	for _, c := range []struct{ name, file, text, want string }{
		{"a page", "m/a/a_test.go", "package a\nconst p = \"../../docs/page.md\"", "m/a: its tests name ../../docs/page.md, which is outside of module m"},
		{"a pattern", "m/a/a_test.go", "package a\nconst p = \"../../docs/*.md\"", "outside of module m"},
		{"the tree", "m/a/a_test.go", "package a\nconst p = \"../..\"", "outside of module m"},
		{"a test that excludes itself", "m/a/a_test.go", "package a\nconst p = \"../../docs/page.md\"\nfunc f() { testinput." + "Uncached(t) }", ""},
		{"a file of the module", "m/a/a_test.go", "package a\nconst p = \"../go.mod\"", ""},
		{"a text", "m/a/a_test.go", "package a\nconst p = \"../../etc/passwd\"", ""},
		{"no test", "m/a/a.go", "package a\nconst p = \"../../docs/page.md\"", ""},
		{"the root", "a/a_test.go", "package a\nconst p = \"../docs/page.md\"", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			broken, err := checkOutside(plant(map[string]string{c.file: c.text, "go.work": "use (\n\t.\n\t./m\n)\n", "m/go.mod": "module m", "docs/page.md": ""}))
			finds(t, broken, err, c.want)
		})
	}
}

func TestSQLThatIsFound(t *testing.T) {
	tree := plant(map[string]string{"a/a.go": "package a\nconst q = `\nSELECT 1`", "b/b.go": "package b\nconst q = \"the SELECT statement\""})
	broken, err := checkSQL(tree, "var sqlPackages = []string{\n\t\"c\",\n}")
	finds(t, broken, err, "a contains SQL (a.go: SELECT)")
	broken, err = checkSQL(tree, "var sqlPackages = []string{\n\t\"a\",\n}")
	finds(t, broken, err, "")
}

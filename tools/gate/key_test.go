package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestKey: the key of a package changes with each file that its tests are built from or read,
// with settings, and with nothing else.
func TestKey(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=mod")
	from := clone(t, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.24\n", "a/a.go": "package a\n\nconst A = 1\n", "b/b.go": "package b\n\nimport _ \"example.com/m/a\"\n",
		"b/b_test.go":  "package b\n\nimport (\n\t\"testing\"\n\n\t_ \"example.com/m/c\"\n)\n\nfunc TestB(t *testing.T) {}\n",
		"b/testdata/x": "1", "c/c.go": "package c\n\nimport _ \"embed\"\n\n//go:embed page.html\nvar Page string\n", "c/page.html": "page", "c/c_test.go": "package c\n",
		"d/d.go": "package d\n", "docs/page.md": "1", "b/sub/sub.go": "package sub\n",
	})
	old := modules
	modules = []string{"."}
	defer func() { modules = old }()
	w := testWorkspace(t)
	w.clone, w.tree = from, filepath.Join(t.TempDir(), "tree")
	key := func() string {
		t.Helper()
		if err := copyTree(t.Context(), w.clone, w.tree); err != nil {
			t.Fatal(err)
		}
		p, err := newPlanner(t.Context(), w)
		if err != nil {
			t.Fatal(err)
		}
		q := p.g.folderOf("b")
		if q == nil {
			t.Fatalf("no package b in %v", p.g.packages)
		}
		k, err := p.k.inputs().pkg(q).needs("docs", "run:go-that-does-not-exist").key()
		if err != nil {
			t.Fatal(err)
		}
		return k
	}
	last := key()
	if again := key(); again != last {
		t.Fatalf("the same tree has the keys %s and %s", last, again)
	}
	for _, c := range []struct {
		file, text string
		changes    bool
	}{
		{"a/a.go", "package a\n\nconst A = 2\n", true},
		{"b/b_test.go", "package b\n", true},
		{"b/testdata/x", "2", true},
		{"b/testdata/new", "", true},
		{"docs/page.md", "2", true},
		{"d/d.go", "package d\n\nconst D = 1\n", false},
		{"c/page.html", "page 2", false}, // its test no longer imports c
		{"c/c_test.go", "package c\n\nconst C = 1\n", false},
		{"b/sub/sub.go", "package sub\n\nconst S = 1\n", false},
		{"b/b.go", "package b\n\nimport _ \"example.com/m/c\"\n", true},
		{"c/page.html", "page 3", true},
		{"c/c_test.go", "package c\n\nconst C = 2\n", false},
	} {
		write(t, filepath.Join(from, c.file), c.text)
		now := key()
		if (now != last) != c.changes {
			t.Errorf("%s: the key changes: %v, want %v", c.file, now != last, c.changes)
		}
		last = now
	}
	t.Setenv("VEDETTE_SEED", "3")
	if key() == last {
		t.Error("the key does not depend on the seed")
	}
}

// TestDeclared: each declared input exists, so that a row cannot name a file that moved.
func TestDeclared(t *testing.T) {
	top, err := output(t.Context(), ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		t.Fatal(err)
	}
	for dir, needs := range declared {
		for _, need := range append([]string{dir}, needs...) {
			name := strings.TrimPrefix(need, "go:")
			if strings.HasPrefix(need, "run:") {
				continue
			}
			if _, err := filepath.EvalSymlinks(filepath.Join(top, name)); err != nil {
				t.Errorf("inputs of %s: %v", dir, err)
			}
		}
	}
}

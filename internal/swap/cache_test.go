package swap

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestFolderAppearsWhole(t *testing.T) {
	root := t.TempDir()
	source := filepath.Join(t.TempDir(), "a.go")
	if err := os.WriteFile(source, []byte("package a"), 0o444); err != nil {
		t.Fatal(err)
	}
	f := func(text string) *folder {
		return &folder{name: "x", files: map[string]string{"a/a.go": source, "b.go": source}, texts: map[string][]byte{"b.go": []byte(text)}}
	}
	var wg sync.WaitGroup
	var paths [8]string
	for i := range paths {
		wg.Go(func() {
			var err error
			if paths[i], err = f("package b").put(root); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	other, err := f("package c").put(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if path != paths[0] || path == other {
			t.Errorf("equal folders are at %s and %s, and another at %s", paths[0], path, other)
		}
	}
	for path, want := range map[string]string{paths[0] + "/b.go": "package b", paths[0] + "/a/a.go": "package a", other + "/b.go": "package c"} {
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: got %q and error %v, want %q", path, got, err, want)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(root, ".new-*")); len(left) > 0 {
		t.Errorf("unfinished folders are left: %q", left)
	}
}

// TestHalfFolder: a file that cannot be read leaves nothing in the cache.
func TestHalfFolder(t *testing.T) {
	root := t.TempDir()
	f := &folder{name: "x", files: map[string]string{"a": filepath.Join(root, "none")}, texts: map[string][]byte{"b": nil}}
	if _, err := f.put(filepath.Join(root, "cache")); err == nil {
		t.Fatal("a file that is not there was copied")
	}
	if left, _ := os.ReadDir(filepath.Join(root, "cache")); len(left) > 0 {
		t.Errorf("%v is left, want nothing", left)
	}
}

func TestEngineHasItsPackagesOnly(t *testing.T) {
	e, err := loadEngine(t.Context(), "../..", tagOf("v0.37.2"))
	if err != nil {
		t.Fatal(err)
	}
	for path := range keys(e.folder.files, e.folder.texts) {
		if strings.HasPrefix(path, "record/") || strings.HasPrefix(path, "portal/") || strings.HasSuffix(path, "_test.go") {
			t.Errorf("the engine has %s", path)
		}
	}
	for _, path := range []string{"compat/clientgo/adopt.go", "wire/doc.go", "compat/clientgo/swapped/swapped.go", "compat/clientgo/tools/cache/names_037.go"} {
		if e.folder.texts[path] == nil {
			t.Errorf("the engine lacks %s", path)
		}
	}
	if len(e.require) != 1 || !strings.HasPrefix(e.require[0], "github.com/klauspost/compress@") || len(e.sums) != 2 {
		t.Errorf("the engine needs %q with the sums %q: a swap raises the versions of the user's modules to them", e.require, e.sums)
	}
	old, err := loadEngine(t.Context(), "../..", tagOf("v0.36.6"))
	if err != nil {
		t.Fatal(err)
	}
	if old.folder.texts["compat/clientgo/tools/cache/names_037.go"] != nil {
		t.Error("the engine for client-go 0.36 has names of 0.37")
	}
}

package main

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// repository returns the root of the repository, which has go.work.
func repository(t *testing.T) string {
	t.Helper()
	testinput.Uncached(t)
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.work")); err == nil {
			return dir
		}
		above := filepath.Dir(dir)
		if above == dir {
			t.Fatal("no folder above the test has a go.work")
		}
		dir = above
	}
}

// modulePath returns the import path of the root module, with which those of the others begin.
func modulePath(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(repository(t), "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimPrefix(strings.TrimSpace(first), "module ")
}

// folderOf returns the folder of the package that declares a type.
func folderOf[T any](t *testing.T) string {
	t.Helper()
	path := reflect.TypeFor[T]().PkgPath()
	inside, ours := strings.CutPrefix(path, modulePath(t)+"/")
	if !ours {
		t.Fatalf("the package %s is not in this repository", path)
	}
	return filepath.Join(repository(t), filepath.FromSlash(inside))
}

// goSources returns the Go files of a folder by name, without tests.
func goSources(t *testing.T, dir string) map[string]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = string(text)
	}
	if len(all) == 0 {
		t.Fatalf("%s has no Go files", dir)
	}
	return all
}

// eachSource calls f with the Go files of all packages that the program consists of.
func eachSource(t *testing.T, f func(text string)) {
	t.Helper()
	readSources.Do(func() { sources = programSources(t) })
	for _, text := range sources {
		f(text)
	}
}

var (
	readSources sync.Once
	sources     []string // what programSources returned
)

// identifier finds names of annotations, labels and headers.
var identifier = regexp.MustCompile(`"((?:[a-z-]+\.)?vedette\.io/[\w-]+|X-Vedette-[\w-]+)"`)

// identifierSurface has the annotations and labels of objects, and the headers of requests.
func identifierSurface(t *testing.T) surface {
	s := surface{}
	eachSource(t, func(text string) {
		for _, m := range identifier.FindAllStringSubmatch(text, -1) {
			s.add(t, m[1], "")
		}
	})
	return s
}

// programSources returns the Go files of all packages that the program consists of.
func programSources(t *testing.T) (texts []string) {
	t.Helper()
	root, module := repository(t), modulePath(t)+"/"
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{here: true}
	for next := []string{here}; len(next) > 0; next = next[1:] {
		for name, text := range goSources(t, next[0]) {
			texts = append(texts, text)
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range file.Imports {
				path, err := strconv.Unquote(i.Path.Value)
				if err != nil {
					t.Fatal(err)
				}
				inside, ours := strings.CutPrefix(path, module)
				dir := filepath.Join(root, filepath.FromSlash(inside))
				if ours && !seen[dir] {
					seen[dir] = true
					next = append(next, dir)
				}
			}
		}
	}
	return texts
}

// Package gobuild builds programs of this repository for tests that start them.
package gobuild

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/vedette-io/vedette/internal/testinput"
)

// Vedette is the package of the program vedette.
const Vedette = "./cmd/vedette"

// Program builds a package of the repository, such as [Vedette], with flags for go build. It
// returns the path of the program, which exists until the test ends.
func Program(t testing.TB, pkg string, flags ...string) string {
	t.Helper()
	testinput.Uncached(t) // the go command does not know the sources of the program as inputs
	dir := t.TempDir()
	if err := Into(t.Context(), dir, slices.Concat(flags, []string{pkg})...); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, filepath.Base(pkg))
}

// once has the programs that Once has built.
var once struct {
	sync.Mutex
	dir   string
	paths map[string]string
}

// Once is [Program] for test binaries with many tests: it builds each package once. Their
// TestMain calls [Clean].
func Once(t testing.TB, pkg string) string {
	t.Helper()
	testinput.Uncached(t)
	once.Lock()
	defer once.Unlock()
	if path, built := once.paths[pkg]; built {
		return path
	}
	if once.dir == "" {
		dir, err := os.MkdirTemp("", "vedette-programs-")
		if err != nil {
			t.Fatal(err)
		}
		once.dir, once.paths = dir, map[string]string{}
	}
	if err := Into(t.Context(), once.dir, pkg); err != nil {
		t.Fatal(err)
	}
	once.paths[pkg] = filepath.Join(once.dir, filepath.Base(pkg))
	return once.paths[pkg]
}

// Clean removes what Once has built.
func Clean() {
	once.Lock()
	defer once.Unlock()
	if once.dir != "" {
		_ = os.RemoveAll(once.dir)
	}
}

// Into builds packages of the repository into a folder. args are flags and packages for go
// build. A test that calls it also calls [testinput.Uncached].
//
// Errors: those of the compiler, with its output; the cause of ctx.
func Into(ctx context.Context, dir string, args ...string) error {
	root, err := Root()
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-o", dir + string(filepath.Separator)}, args)...)
	cmd.Dir = root
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %v: %w\n%s", args, err, out)
	}
	return nil
}

// Root returns the root of the repository: the closest parent of the current folder with the
// program vedette.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, Vedette)); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", errors.New("no parent of the current folder has " + Vedette)
		}
	}
}

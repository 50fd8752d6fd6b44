// Package gobuild builds programs of this repository for tests that start them.
package gobuild

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/filelock"
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

// Into builds a package of the repository into a folder. args are flags and the package for
// go build. A test that calls it also calls [testinput.Uncached].
//
// The go command links a program again unless it finds it at its path, and linking vedette
// takes ten seconds. So test binaries share the programs in the user's cache folder.
//
// Errors: those of the compiler, with its output; the cause of ctx; those of the file system.
func Into(ctx context.Context, dir string, args ...string) error {
	root, err := Root()
	if err != nil {
		return err
	}
	if slices.Contains(args, "-overlay") { // its path differs in each test
		return build(ctx, root, dir, args)
	}
	shared, unlock, err := share(ctx, root, args)
	if err != nil {
		return err
	}
	defer func() { _ = unlock() }()
	if err := build(ctx, root, shared, args); err != nil {
		return err
	}
	name := filepath.Base(args[len(args)-1])
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	return keep(ctx, filepath.Join(shared, name), filepath.Join(dir, name))
}

func build(ctx context.Context, root, dir string, args []string) error {
	cmd := exec.CommandContext(ctx, "go", slices.Concat([]string{"build", "-o", dir + string(filepath.Separator)}, args)...)
	cmd.Dir, cmd.Env = root, append(os.Environ(), "GOWORK=auto") // tests run without go.work
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %v: %w\n%s", args, err, out)
	}
	return nil
}

// unused is the time after which a program that nobody builds is removed.
const unused = 3 * 24 * time.Hour

// share locks the folder in the user's cache for a program of this clone, and removes those
// that are no longer built.
func share(ctx context.Context, root string, args []string) (dir string, unlock func() error, err error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", nil, err
	}
	all := filepath.Join(cache, "vedette", "programs")
	key := sha256.Sum256([]byte(strings.Join(append([]string{root}, args...), "\x00")))
	dir = filepath.Join(all, hex.EncodeToString(key[:8]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", nil, err
	}
	now := time.Now()
	if err := os.Chtimes(dir, now, now); err != nil {
		return "", nil, err
	}
	if unlock, err = filelock.Wait(ctx, dir+".lock", func() {}); err != nil {
		return "", nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	others, _ := os.ReadDir(all) // old programs that stay do no harm
	for _, o := range others {
		if info, err := o.Info(); err == nil && now.Sub(info.ModTime()) > unused && o.IsDir() {
			_ = os.RemoveAll(filepath.Join(all, o.Name()))
		}
	}
	return dir, unlock, nil
}

// keep gives a program a second name, because a later build replaces the first one. Where the
// file system cannot, cp copies: a process that writes a program and starts others must not start
// it (golang/go#22315).
func keep(ctx context.Context, from, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	if out, err := exec.CommandContext(ctx, "cp", from, to).CombinedOutput(); err != nil {
		return fmt.Errorf("copy %s: %w\n%s", from, err, out)
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

package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// treeVariable has the copy for programs that the gate starts.
const treeVariable = "VEDETTE_GATE_TREE"

// workspace is the clone that is checked, its copy, and the memory of earlier runs.
type workspace struct {
	clone   string // the root of the clone
	folder  string // in the user's cache
	tree    string // the copy, in folder
	lock    *os.File
	out     io.Writer // for people
	memory  *memory
	builder *builder // of the control plane; nil before a tier runs
}

// open finds the clone around the current folder, waits until no other run uses the copy,
// and brings the copy up to date.
func open(ctx context.Context) (*workspace, error) {
	clone, err := output(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(cache, "vedette", "gate")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	w := &workspace{clone: clone, folder: folder, tree: filepath.Join(folder, "tree"), out: os.Stdout}
	// A part of the nightly run may call the gate again. The outer run has made the copy.
	inside := os.Getenv(treeVariable) == w.tree
	if !inside {
		if err := w.acquire(); err != nil {
			return nil, err
		}
	}
	if w.memory, err = openMemory(filepath.Join(folder, "memory")); err != nil {
		w.close()
		return nil, err
	}
	if inside {
		return w, nil
	}
	if err := copyTree(ctx, w.clone, w.tree); err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// acquire locks the copy for this run.
func (w *workspace) acquire() error {
	name := filepath.Join(w.folder, "lock")
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return err
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		fmt.Fprintf(w.out, "gate: another run uses %s; this run begins when that one has ended\n", w.tree)
		if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
			f.Close()
			return fmt.Errorf("lock %s: %w", name, err)
		}
	}
	w.lock = f
	return nil
}

// close lets the next run begin.
func (w *workspace) close() {
	if w.lock != nil {
		w.lock.Close()
	}
}

// environment is the environment of all steps. Without the path of the clone in them,
// compiled packages serve clones and copies alike. Lint vets all packages with all checks,
// so `go test` need not repeat some of them. extra has the setting of goWork.
func (w *workspace) environment(extra ...string) []string {
	env := os.Environ()
	goflags := strings.TrimSpace(os.Getenv("GOFLAGS"))
	for _, flag := range []string{"-trimpath", "-vet=off", "-buildvcs=false"} {
		if !strings.Contains(" "+goflags+" ", " "+flag+" ") {
			goflags = strings.TrimSpace(goflags + " " + flag)
		}
	}
	return append(append(env, "GOFLAGS="+goflags, "GIT_OPTIONAL_LOCKS=0", treeVariable+"="+w.tree), extra...)
}

// output returns the standard output of a program without the last line end.
func output(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return strings.TrimRight(string(out), "\n"), nil
}

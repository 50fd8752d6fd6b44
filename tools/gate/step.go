package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

// step is a part of a tier: a program that runs once, or `go test` over packages.
type step struct {
	name     string
	setup    []string // arguments of tools/setup.sh
	dir      string   // below the root
	args     []string
	env      []string
	key      string                      // of the inputs; "" for a step that always runs
	prepare  func(context.Context) error // before the program, if it runs
	packages []target                    // of a step of tests: those to run
	together []target                    // packages that a step of one program checks, each with its own key
	skipped  int                         // packages that were green with the same inputs
	minutes  bool                        // the step may take minutes, so each of its lines is shown
}

// target is a package of a step, with the key of its inputs.
type target struct {
	path, key string
	// uncached: the go command does not store the result, so the key alone decides.
	uncached bool
}

// result is the end of a step.
type result struct {
	step    *step
	seconds float64
	passed  []string // packages, or the step itself
	took    map[string]float64
	cached  int
	failed  []failure
}

// failure is a failed package with its failed tests, or a failed step.
type failure struct {
	target target
	tests  []string // top-level tests; none if the package did not compile or crashed
	log    []string // last lines
}

// run runs a step in the copy. Lines go to the output while they come.
func (w *workspace) run(ctx context.Context, s *step) (*result, error) {
	r := &result{step: s, took: map[string]float64{}}
	start := time.Now()
	defer func() { r.seconds = time.Since(start).Seconds() }()
	if s.prepare != nil {
		if err := s.prepare(ctx); err != nil {
			return nil, fmt.Errorf("prepare %s: %w", s.name, err)
		}
	}
	args := slices.Clone(s.args)
	for _, t := range s.packages {
		args = append(args, t.path)
	}
	cmd := w.command(ctx, s.dir, s.env, args[0], args[1:]...)
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.follow(r, reader)
	}()
	err := cmd.Run()
	writer.Close()
	<-done
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, err
	}
	return r, w.conclude(r, err != nil, time.Since(start).Seconds())
}

// command is a program that ends with the context: first it may clean up.
func (w *workspace) command(ctx context.Context, dir string, env []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = filepath.Join(w.tree, dir), w.environment(append([]string{goWork(moduleOf(dir))}, env...)...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	return cmd
}

// Lines of `go test`.
var (
	lineEnd  = regexp.MustCompile(`^(ok  |FAIL)\t(\S+)(?:\t| \[)(\S+)`)
	lineFail = regexp.MustCompile(`^--- FAIL: (\w+)`)
)

const keptLines = 60

// follow reads the output of a step to its end.
func (w *workspace) follow(r *result, output io.Reader) {
	byPath := map[string]target{}
	for _, t := range r.step.packages {
		byPath[t.path] = t
	}
	var log, tests []string
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		if line = strings.TrimRight(line, "\n"); line != "" || err == nil {
			fmt.Fprintln(w.out, line)
			if log = append(log, line); len(log) > keptLines {
				log = log[1:]
			}
			if m := lineFail.FindStringSubmatch(line); m != nil {
				tests = append(tests, m[1])
			}
			if m := lineEnd.FindStringSubmatch(line); m != nil {
				w.packageEnded(r, byPath[m[2]], m, tests, log)
				log, tests = nil, nil
			}
		}
		if err != nil {
			if len(r.step.packages) == 0 {
				r.failed = []failure{{log: log}} // conclude decides whether it failed
			}
			return
		}
	}
}

// packageEnded notes a package at once, so that a run that is killed has not lost it.
func (w *workspace) packageEnded(r *result, t target, m, tests, log []string) {
	if t.path == "" {
		return // a line that only looks like one of go test
	}
	if m[1] == "FAIL" {
		// A package that failed once may pass when its race detector crashed: the last line counts.
		r.passed = slices.DeleteFunc(r.passed, func(p string) bool { return p == t.path })
		r.failed = append(r.failed, failure{target: t, tests: tests, log: slices.Clone(log)})
		return
	}
	r.failed = slices.DeleteFunc(r.failed, func(f failure) bool { return f.target.path == t.path })
	r.passed = append(r.passed, t.path)
	seconds := 0.0
	if m[3] == "(cached)" {
		r.cached++
	} else if d, err := time.ParseDuration(m[3]); err == nil {
		seconds = d.Seconds()
		r.took[t.path] = seconds
		w.memory.took(r.step.name+" "+t.path, seconds)
	}
	w.note(r.step.name+" "+t.path, t.key, seconds)
}

// conclude decides what a step that ran to its end has shown.
func (w *workspace) conclude(r *result, failed bool, seconds float64) error {
	s := r.step
	if len(s.packages) == 0 {
		if !failed {
			r.failed, r.passed = nil, []string{s.name}
			w.note(s.name, s.key, seconds)
			for _, t := range s.together {
				w.note(s.name+" "+t.path, t.key, 0)
			}
		}
		r.took[s.name] = seconds
		w.memory.took(s.name, seconds)
	} else if failed && len(r.failed) == 0 {
		r.failed = []failure{{log: []string{"the program failed, although each package that it printed passed"}}}
	} else if missing := len(s.packages) - len(r.passed) - len(r.failed); !failed && missing > 0 {
		return fmt.Errorf("%s: the program printed no result for %d of %d packages", s.name, missing, len(s.packages))
	}
	return w.memory.saveSeconds()
}

// note remembers that a step was green.
func (w *workspace) note(name, key string, seconds float64) {
	if key == "" {
		return
	}
	commit, err := output(context.Background(), w.clone, "git", "rev-parse", "--short=10", "HEAD")
	if err != nil {
		commit = "unknown"
	}
	if err := w.memory.setGreen(green{Step: name, Key: key, Commit: commit, Date: time.Now().UTC(), Seconds: seconds}); err != nil {
		fmt.Fprintf(os.Stderr, "gate: the result of %s cannot be kept, so it will run again: %v\n", name, err)
	}
}

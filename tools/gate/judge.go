package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A failed test is repeated to learn what it is. The repetitions never make a change green:
// only a test whose inputs passed before may be set aside, once.
const (
	repetitions = 50
	repeatFor   = 5 * time.Minute
	// repeatVariable is 0 for a run without repetitions, in which no test is set aside.
	repeatVariable = "VEDETTE_GATE_REPEAT"
)

// verdict is what the gate says about a failure, in its last lines.
type verdict struct {
	red  bool
	text string
}

// judge repeats the tests of a failed package alone, under load, and decides.
func (w *workspace) judge(ctx context.Context, f judged, open []aside) (verdict, error) {
	name := f.step.name
	if f.target.path != "" {
		name = f.target.path
	}
	log := filepath.Join(w.folder, "failed-"+strings.NewReplacer("/", "-", " ", "-").Replace(name)+".log")
	if err := os.WriteFile(log, []byte(strings.Join(f.log, "\n")+"\n"), 0o644); err != nil {
		return verdict{}, err
	}
	if len(f.tests) == 0 {
		return verdict{true, fmt.Sprintf("RED %s: seed %s, log %s", name, seed(), log)}, nil
	}
	var texts []string
	red := false
	for _, test := range f.tests {
		passed, ran := w.repeat(ctx, f, test)
		text := fmt.Sprintf("%s.%s: alone under load, %d of %d repetitions passed; seed %s, log %s", name, test, passed, ran, seed(), log)
		if why := w.mustBeRed(f, name+"."+test, passed, ran, open); why != "" {
			red = true
			texts = append(texts, "RED "+text+": "+why)
			continue
		}
		if err := w.memory.setAside(aside{Test: name + "." + test, Seed: seed(), Date: time.Now().UTC(), Log: strings.Join(f.log, "\n")}); err != nil {
			red = true
			texts = append(texts, "RED "+text+": this machine cannot remember it: "+err.Error())
			continue
		}
		texts = append(texts, "SET ASIDE, REPAIR IT FIRST: "+strings.ToUpper(name+"."+test)+" ("+text+")")
	}
	return verdict{red, strings.Join(texts, "\n")}, nil
}

// mustBeRed returns why a failed test cannot be set aside, or "".
func (w *workspace) mustBeRed(f judged, test string, passed, ran int, open []aside) string {
	_, before := w.memory.wasGreen(f.step.name+" "+f.target.path, f.target.key)
	switch {
	case !before:
		return "the change can affect it"
	case passed < ran || ran < repetitions:
		return "it fails with inputs that passed before"
	case slices.ContainsFunc(open, func(a aside) bool { return a.Test == test }):
		return "it was set aside before"
	case slices.Contains(w.openRows(), test):
		return "docs/flaky.md has an open row for it"
	}
	return ""
}

// repeat runs a test of a package again and again, and returns how many runs passed.
func (w *workspace) repeat(ctx context.Context, f judged, test string) (passed, ran int) {
	fmt.Fprintf(w.out, "\n== repeating %s of %s, %d times under load\n", test, f.target.path, repetitions)
	program, err := w.compileTest(ctx, f.step.dir, f.target.path, filepath.Join(w.folder, "repeated.test"), slices.Contains(f.step.args, filepath.Join(w.tree, racetest)))
	if err != nil {
		fmt.Fprintln(w.out, err)
		return 0, 0
	}
	defer os.Remove(program)
	most := repetitions
	if os.Getenv(repeatVariable) == "0" {
		most = 0 // gateproof only asks whether the gate is red
	}
	until := time.Now().Add(repeatFor)
	err = beside(ctx, func() error {
		for ran < most && time.Now().Before(until) && ctx.Err() == nil {
			ran++
			if w.runTest(ctx, program, f.target.path, append(slices.Clone(f.step.env), "GOMAXPROCS=2"), "-test.run=^"+regexp.QuoteMeta(test)+"$", "-test.timeout=5m") == nil {
				passed++
			}
		}
		return nil
	})
	if err != nil {
		fmt.Fprintln(w.out, err)
	}
	return passed, ran
}

// compileTest compiles the tests of a package into a program.
func (w *workspace) compileTest(ctx context.Context, dir, path, program string, race bool) (string, error) {
	args := []string{"test", "-c", "-o", program}
	if race {
		args = append(args, "-race", "-gcflags=modernc.org/...=-race=false")
	}
	cmd := w.command(ctx, dir, nil, "go", append(args, path)...)
	if out, err := quiet(cmd).CombinedOutput(); err != nil {
		return "", fmt.Errorf("compile the tests of %s: %w\n%s", path, err, out)
	}
	return program, nil
}

// runTest runs a compiled test in the folder of its package. Its output is in the error.
func (w *workspace) runTest(ctx context.Context, program, path string, env []string, args ...string) error {
	dir := strings.TrimPrefix(strings.TrimPrefix(path, root), "/")
	out, err := quiet(w.command(ctx, dir, env, program, args...)).CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return fmt.Errorf("%w\n%s", err, tail(string(out), keptLines))
	}
	return err
}

// root is the path of the root module. The paths of our packages are their folders below it.
const root = "github.com/vedette-io/vedette"

// quiet takes the output of a program from the output of the gate.
func quiet(cmd *exec.Cmd) *exec.Cmd {
	cmd.Stdout, cmd.Stderr = nil, nil
	return cmd
}

func tail(text string, n int) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// flakyRow is a row of docs/flaky.md: test, commit that added it, date, seed, cause.
var flakyRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|([^|]*)\\|([^|]*)\\|([^|]*)\\| *([^|]*?) *\\|$")

// openRows returns the tests whose row of docs/flaky.md has no cause yet.
func (w *workspace) openRows() []string { return w.flakyRows(true) }

func (w *workspace) flakyRows(open bool) (tests []string) {
	text, err := os.ReadFile(filepath.Join(w.tree, "docs", "flaky.md"))
	if err != nil {
		return nil
	}
	for _, m := range flakyRow.FindAllStringSubmatch(string(text), -1) {
		if (m[5] == "" || m[5] == "open") == open {
			tests = append(tests, m[1])
		}
	}
	return tests
}

// printAsides prints the tests that this machine has set aside, until a committed row of
// docs/flaky.md has their cause.
func (w *workspace) printAsides() ([]aside, error) {
	all, err := w.memory.asides()
	if err != nil {
		return nil, err
	}
	closed := w.flakyRows(false)
	var open []aside
	for _, a := range all {
		if slices.Contains(closed, a.Test) {
			continue
		}
		open = append(open, a)
		fmt.Fprintf(w.out, "SET ASIDE ON %s, REPAIR IT FIRST: %s (seed %s); close it by a row of docs/flaky.md with its cause\n", a.Date.Format(time.DateOnly), strings.ToUpper(a.Test), a.Seed)
	}
	return open, nil
}

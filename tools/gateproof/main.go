// Command gateproof proves that the gate is honest: after a green run, it breaks one file at
// a time in a scratch clone, and the gate must be red each time.
//
// A break is a row of breaks.txt: a file, a text in it, and the text that replaces it,
// separated by tabs. An empty replacement removes the text. With -mutants, operators of
// recently changed code are replaced instead.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

//go:embed breaks.txt
var table string

func main() {
	only := flag.String("only", "", "regular expression for the files to break")
	dry := flag.Bool("dry", false, "only check that each row applies")
	count := flag.Int("mutants", 0, "try so many mutants of the last 50 commits instead of the rows")
	seed := flag.Uint64("seed", 1, "seed of the mutants")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := prove(ctx, *only, *dry, *count, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "gateproof:", err)
		os.Exit(1)
	}
}

type fault struct{ file, old, new string }

func prove(ctx context.Context, only string, dry bool, count int, seed uint64) error {
	pattern, err := regexp.Compile(only)
	if err != nil {
		return err
	}
	faults, err := parse(table)
	if err != nil {
		return err
	}
	top, err := exec.CommandContext(ctx, "git", "rev-parse", "--show-toplevel").Output()
	if err != nil {
		return fmt.Errorf("find the clone: %w", err)
	}
	scratch, err := os.MkdirTemp("", "gateproof")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if out, err := exec.CommandContext(ctx, "git", "clone", "-q", "--local", strings.TrimSpace(string(top)), scratch).CombinedOutput(); err != nil {
		return fmt.Errorf("clone: %w: %s", err, out)
	}
	if !dry {
		fmt.Println("a green run first")
		if log, err := gate(ctx, scratch); err != nil {
			return fmt.Errorf("the unchanged tree is not green: %w\n%s", err, log)
		}
	}
	if count > 0 {
		return proveMutants(ctx, scratch, count, seed)
	}
	hidden := 0
	for _, f := range faults {
		if !pattern.MatchString(f.file) {
			continue
		}
		red, seconds, err := f.try(ctx, scratch, dry)
		if err != nil {
			return err
		}
		mark := "red"
		if !red {
			mark, hidden = "GREEN", hidden+1
		}
		fmt.Printf("%s\t%s\t%.0f s\n", mark, f.file, seconds)
	}
	if hidden > 0 && !dry {
		return fmt.Errorf("the gate is green with %d broken files", hidden)
	}
	return nil
}

func parse(table string) (faults []fault, err error) {
	unquote := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	for line := range strings.Lines(table) {
		line = strings.TrimRight(line, "\n")
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := strings.Split(line, "\t")
		if len(cells) != 3 {
			return nil, fmt.Errorf("breaks.txt: %q has %d cells, want 3", line, len(cells))
		}
		faults = append(faults, fault{cells[0], unquote.Replace(cells[1]), unquote.Replace(cells[2])})
	}
	return faults, nil
}

// try breaks a file, runs the gate, and restores the file.
func (f fault) try(ctx context.Context, dir string, dry bool) (red bool, seconds float64, err error) {
	file := filepath.Join(dir, f.file)
	text, err := os.ReadFile(file)
	if err != nil {
		return false, 0, err
	}
	broken := strings.Replace(string(text), f.old, f.new, 1)
	if broken == string(text) {
		return false, 0, fmt.Errorf("%s does not contain %q", f.file, f.old)
	}
	if dry {
		return false, 0, nil
	}
	return tried(ctx, dir, f.file, text, []byte(broken))
}

// tried runs the gate with a broken file, and restores it.
func tried(ctx context.Context, dir, name string, text, broken []byte) (red bool, seconds float64, err error) {
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, broken, 0o644); err != nil {
		return false, 0, err
	}
	start := time.Now()
	_, err = gate(ctx, dir)
	var exit *exec.ExitError
	if err != nil && (!errors.As(err, &exit) || ctx.Err() != nil) {
		return false, 0, err
	}
	return err != nil, time.Since(start).Seconds(), os.WriteFile(file, text, 0o644)
}

// proveMutants prints which mutants the gate finds. A missed mutant may be
// equivalent, or only tests outside of the gate find it.
func proveMutants(ctx context.Context, dir string, n int, seed uint64) error {
	all, err := mutants(ctx, dir, n, seed, 50)
	if err != nil {
		return err
	}
	for _, m := range all {
		red, seconds, err := m.try(ctx, dir)
		if err != nil {
			return err
		}
		mark := "found"
		if !red {
			mark = "MISSED"
		}
		fmt.Printf("%s\t%s:%d: %s -> %s\t%.0f s\n", mark, m.file, m.line, m.old, m.new, seconds)
	}
	return nil
}

func gate(ctx context.Context, dir string) (log []byte, err error) {
	cmd := exec.CommandContext(ctx, "bash", ".ci/run")
	cmd.Dir = dir
	// A red gate repeats failed tests fifty times; here it only has to be red.
	cmd.Env = append(os.Environ(), "VEDETTE_GATE_REPEAT=0")
	return cmd.CombinedOutput()
}

// Command gatecost measures how long the gate takes for three hours of commits, which is the
// unit in which this repository lands changes.
//
// It chooses windows of three hours from the history by a seed. Old commits had other tests,
// so it does not check them out: in a scratch clone of HEAD, it changes the files that the
// window changed and that still exist, in a way that alters the compiled packages and breaks
// nothing. Some windows run whole; the others are computed by `gate plan` from the minutes
// that packages took on this machine. The windows that ran show the error of the computation.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// length is the length of a window.
const length = 3 * time.Hour

func main() {
	seed := flag.Uint64("seed", 1, "seed of the windows")
	windows := flag.Int("windows", 30, "number of windows")
	whole := flag.Int("whole", 8, "number of windows that run whole; the others are computed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := measure(ctx, *seed, *windows, *whole); err != nil {
		fmt.Fprintln(os.Stderr, "gatecost:", err)
		os.Exit(1)
	}
}

// window is the work of three hours.
type window struct {
	first, last string // commits
	commits     int
	files       []string // changed, and still there
	computed    time.Duration
	measured    time.Duration // 0 if it did not run
}

func measure(ctx context.Context, seed uint64, windows, whole int) error {
	scratch, err := os.MkdirTemp("", "gatecost")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if _, err := run(ctx, ".", "git", "clone", "-q", "--local", mustRoot(ctx), scratch); err != nil {
		return err
	}
	all, err := choose(ctx, scratch, seed, windows)
	if err != nil {
		return err
	}
	fmt.Printf("seed %d, %d windows of %v, %d of them whole; a green run of HEAD first\n", seed, len(all), length, whole)
	if err := gate(ctx, scratch); err != nil {
		return fmt.Errorf("HEAD is not green: %w", err)
	}
	for i := range all {
		w := &all[i]
		if err := w.apply(scratch); err != nil {
			return err
		}
		if w.computed, err = compute(ctx, scratch); err != nil {
			return err
		}
		if i < whole {
			start := time.Now()
			if err := gate(ctx, scratch); err != nil {
				return fmt.Errorf("window %s..%s: %w", w.first, w.last, err)
			}
			w.measured = time.Since(start)
		}
		fmt.Printf("window %d: %s..%s, %d commits, %d files, computed %.1f min, measured %.1f min\n", i+1, w.first, w.last, w.commits, len(w.files), w.computed.Minutes(), w.measured.Minutes())
		if _, err := run(ctx, scratch, "git", "checkout", "-q", "--", "."); err != nil {
			return err
		}
	}
	report(all)
	return nil
}

func mustRoot(ctx context.Context) string {
	out, err := run(ctx, ".", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return "."
	}
	return strings.TrimSpace(out)
}

// choose returns windows that begin with commits chosen by the seed.
func choose(ctx context.Context, dir string, seed uint64, n int) ([]window, error) {
	out, err := run(ctx, dir, "git", "log", "--reverse", "--first-parent", "--format=%H %ct")
	if err != nil {
		return nil, err
	}
	var hashes []string
	var times []int64
	for line := range strings.Lines(out) {
		hash, at, _ := strings.Cut(strings.TrimSpace(line), " ")
		seconds, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return nil, err
		}
		hashes, times = append(hashes, hash), append(times, seconds)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	var all []window
	for _, i := range random.Perm(len(hashes) - 1) {
		if len(all) == n {
			break
		}
		first := i + 1 // the first commit has no parent to compare with
		last := first
		for last+1 < len(hashes) && times[last+1] < times[first]+int64(length.Seconds()) {
			last++
		}
		changed, err := run(ctx, dir, "git", "diff", "--name-only", "--no-renames", hashes[first]+"^", hashes[last])
		if err != nil {
			return nil, err
		}
		w := window{first: hashes[first][:10], last: hashes[last][:10], commits: last - first + 1}
		for name := range strings.Lines(changed) {
			name = strings.TrimSpace(name)
			if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Mode().IsRegular() && neutral(name) != "" {
				w.files = append(w.files, name)
			}
		}
		all = append(all, w)
	}
	return all, nil
}

// neutral returns text that changes a file when it is appended, and breaks nothing; "" for
// kinds of files in which each change is a fault, such as golden files. A comment would
// not change a compiled Go package, and the go command would use the old result.
func neutral(name string) string {
	if strings.Contains(name, "testdata/") || strings.Contains(name, "/dist/") {
		return ""
	}
	switch filepath.Ext(name) {
	case ".go":
		return "\nfunc init() {}\n"
	case ".ts", ".tsx":
		return "\n// gatecost\n"
	case ".sh":
		return "\n# gatecost\n"
	case ".md":
		return "\n"
	}
	if filepath.Base(name) == "Makefile" {
		return "\n# gatecost\n"
	}
	return ""
}

func (w *window) apply(dir string) error {
	for _, name := range w.files {
		file := filepath.Join(dir, name)
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, append(text, neutral(name)...), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// gate runs the gate in a clone.
func gate(ctx context.Context, dir string) error {
	cmd := exec.CommandContext(ctx, "bash", ".ci/run")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stderr, os.Stderr
	return cmd.Run()
}

var estimate = regexp.MustCompile(`(?m)^estimate: (\d+):(\d\d)`)

// compute adds up the estimates of the gate for a changed clone.
func compute(ctx context.Context, dir string) (sum time.Duration, err error) {
	for _, tier := range []string{"source", "test"} {
		out, err := run(ctx, dir, "go", "run", "-C", "tools", "./gate", "plan", tier)
		if err != nil {
			return 0, err
		}
		m := estimate.FindStringSubmatch(out)
		if m == nil {
			return 0, fmt.Errorf("gate plan %s printed no estimate", tier)
		}
		minutes, err := strconv.Atoi(m[1])
		if err != nil {
			return 0, err
		}
		seconds, err := strconv.Atoi(m[2])
		if err != nil {
			return 0, err
		}
		sum += time.Duration(minutes)*time.Minute + time.Duration(seconds)*time.Second
	}
	return sum, nil
}

// report prints the median and the 90th percentile, and the error of the computation.
func report(all []window) {
	var minutes, errors []float64
	for _, w := range all {
		if w.measured > 0 {
			minutes = append(minutes, w.measured.Minutes())
			errors = append(errors, w.computed.Minutes()-w.measured.Minutes())
		} else {
			minutes = append(minutes, w.computed.Minutes())
		}
	}
	slices.Sort(minutes)
	fmt.Printf("median %.1f min, p90 %.1f min\n", minutes[len(minutes)/2], minutes[len(minutes)*9/10])
	for i, e := range errors {
		fmt.Printf("window %d: the computation is off by %+.1f min\n", i+1, e)
	}
}

func run(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, stderr.String())
	}
	return string(out), nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const defaultStress = 10 * time.Minute

// processors are the values of GOMAXPROCS in a round.
var processors = []int{1, 2, 8}

// stressed is the memory of rounds of a package with the same inputs.
type stressed struct {
	Package string    `json:"package"`
	Rounds  int       `json:"rounds"`
	Failed  []string  `json:"failed"` // last lines of each failed run
	Date    time.Time `json:"date"`
}

// stress runs rounds of tests of packages, with the race detector, beside a loaded processor
// and a loaded disk. A round runs all tests with each number of processors. Packages with
// the fewest rounds come first, and rounds with the same inputs add up over runs.
func (w *workspace) stress(ctx context.Context, length time.Duration, names []string) error {
	p, err := newPlanner(ctx, w)
	if err != nil {
		return err
	}
	packages, err := p.named(names)
	if err != nil {
		return err
	}
	all := make([]*stressState, len(packages))
	for i, q := range packages {
		if all[i], err = p.stressState(q); err != nil {
			return err
		}
	}
	until := time.Now().Add(length)
	err = beside(ctx, func() error {
		for time.Now().Before(until) {
			least := all[0]
			for _, s := range all {
				if s.past.Rounds < least.past.Rounds {
					least = s
				}
			}
			if err := w.round(ctx, least); err != nil {
				return err
			}
		}
		return nil
	})
	failed := 0
	for _, s := range all {
		fmt.Fprintf(w.out, "%s\t%d rounds, %d failed runs\n", s.pkg.path, s.past.Rounds, len(s.past.Failed))
		failed += len(s.past.Failed)
		for _, log := range s.past.Failed {
			fmt.Fprintln(w.out, log)
		}
	}
	if err == nil && failed > 0 {
		err = errRed
	}
	return err
}

type stressState struct {
	pkg  *pkg
	file string
	past stressed
}

func (p *planner) stressState(q *pkg) (*stressState, error) {
	key, err := p.k.inputs().pkg(q).needs(needsOf(q)...).key()
	if err != nil {
		return nil, err
	}
	s := &stressState{pkg: q, file: p.w.memory.file("stress", q.path, key), past: stressed{Package: q.path}}
	_, err = p.w.memory.read(s.file, &s.past)
	return s, err
}

// round runs the tests of a package with each number of processors.
func (w *workspace) round(ctx context.Context, s *stressState) error {
	program, err := w.compileTest(ctx, s.pkg.module, s.pkg.path, filepath.Join(w.folder, "stress.test"), true)
	if err != nil {
		return err
	}
	defer os.Remove(program)
	for _, n := range processors {
		start := time.Now()
		err := w.runTest(ctx, program, s.pkg.path, []string{fmt.Sprintf("GOMAXPROCS=%d", n)}, "-test.timeout=20m")
		if ctx.Err() != nil {
			return errors.Join(context.Cause(ctx), err)
		}
		mark := "ok"
		if err != nil {
			mark = "FAIL"
			s.past.Failed = append(s.past.Failed, fmt.Sprintf("GOMAXPROCS=%d: %v", n, err))
		}
		fmt.Fprintf(w.out, "%s\t%s\tround %d, GOMAXPROCS=%d, %.1f s\n", mark, s.pkg.path, s.past.Rounds+1, n, time.Since(start).Seconds())
	}
	s.past.Rounds++
	s.past.Date = time.Now().UTC()
	return w.memory.write(s.file, s.past)
}

// named returns packages by their folders below the root, or all packages with tests of
// unitModules for none. A folder with /... names those below it.
func (p *planner) named(names []string) (found []*pkg, err error) {
	if len(names) == 0 {
		return p.g.in(unitModules...), nil
	}
	for _, name := range names {
		n := len(found)
		dir := filepath.ToSlash(filepath.Clean(name))
		for _, q := range p.g.packages {
			if q.hasTests && matches(dir, q.dir) {
				found = append(found, q)
			}
		}
		if len(found) == n {
			return nil, fmt.Errorf("%s is no package with tests", name)
		}
	}
	return found, nil
}

func matches(pattern, dir string) bool {
	if parent, ok := strings.CutSuffix(pattern, "/..."); ok {
		return dir == parent || strings.HasPrefix(dir, parent+"/")
	}
	return pattern == dir
}

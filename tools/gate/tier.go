package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sort"
	"time"
)

// runTier prints the plan of a tier, runs its steps in order until one is red, and prints
// the slowest packages and the sum.
func (w *workspace) runTier(ctx context.Context, tier, part string) error {
	start := time.Now()
	if tier == "nightly" {
		return w.nightly(ctx, part)
	}
	open, err := w.printAsides()
	if err != nil {
		return err
	}
	p, err := newPlanner(ctx, w)
	if err != nil {
		return err
	}
	steps, err := p.steps(tier)
	if err != nil {
		return err
	}
	w.plan(tier, steps)
	if err := w.setUp(ctx, steps); err != nil {
		return err
	}
	builder := w.buildControlPlane(ctx, steps)
	defer builder.stop()
	s := &sum{start: start}
	for i, step := range steps {
		if step.args == nil {
			s.skipped += step.skipped
			continue
		}
		fmt.Fprintf(w.out, "\n== [%d/%d] %s (%s)\n", i+1, len(steps), step.name, time.Now().Format(time.TimeOnly))
		r, err := w.run(ctx, step)
		if err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		s.add(r)
		fmt.Fprintf(w.out, "== [%d/%d] %s took %s\n", i+1, len(steps), step.name, span(r.seconds))
		if len(r.failed) > 0 {
			break
		}
	}
	return w.end(ctx, tier, s, open)
}

// setUp installs the programs that the steps need, and no others, or lists what is missing
// before anything runs.
func (w *workspace) setUp(ctx context.Context, steps []*step) error {
	groups := []string{"compiler"}
	for _, s := range steps {
		if s.args != nil {
			groups = append(groups, s.setup...)
		}
	}
	slices.Sort(groups)
	if err := w.command(ctx, ".", nil, "tools/setup.sh", slices.Compact(groups)...).Run(); err != nil {
		return fmt.Errorf("set up this machine: %w", err)
	}
	return nil
}

// sum is the outcome of a tier.
type sum struct {
	start           time.Time
	passed, skipped int
	cached          int
	failed          []judged
	slow            []slow
}

// judged is a failure in the step in which it came.
type judged struct {
	failure
	step *step
}

type slow struct {
	name    string
	seconds float64
}

func (s *sum) add(r *result) {
	s.passed += len(r.passed)
	s.cached += r.cached
	s.skipped += r.step.skipped
	for _, f := range r.failed {
		s.failed = append(s.failed, judged{f, r.step})
	}
	for name, seconds := range r.took {
		s.slow = append(s.slow, slow{name, seconds})
	}
}

// plan prints what a tier will run, with an estimate from earlier runs on this machine.
func (w *workspace) plan(tier string, steps []*step) {
	fmt.Fprintf(w.out, "gate %s in %s, seed %s:\n", tier, w.tree, seed())
	total, unknown := 0.0, 0
	for _, s := range steps {
		if s.args == nil {
			fmt.Fprintf(w.out, "  %-28s green with the same inputs\n", s.name)
			continue
		}
		seconds, missing := w.estimate(s)
		total += seconds
		unknown += missing
		line := fmt.Sprintf("  %-28s", s.name)
		if n := len(s.packages) + len(s.together); n > 0 {
			line += " " + title(n, "package")
		}
		if s.skipped > 0 {
			line += fmt.Sprintf(", %d green with the same inputs", s.skipped)
		}
		fmt.Fprintf(w.out, "%s (%s)\n", line, span(seconds))
	}
	fmt.Fprintf(w.out, "estimate: %s", span(total))
	if unknown > 0 {
		fmt.Fprintf(w.out, ", without %s that never ran here", title(unknown, "package or step"))
	}
	fmt.Fprintln(w.out)
}

// estimate returns how long a step will take, from its earlier runs. The go command runs two
// packages at a time on two cores.
func (w *workspace) estimate(s *step) (seconds float64, unknown int) {
	if len(s.packages) == 0 {
		seconds, ok := w.memory.seconds[s.name]
		if !ok {
			return 0, 1
		}
		return seconds, 0
	}
	for _, t := range s.packages {
		if _, ok := w.memory.wasGreen(s.name+" "+t.path, t.key); ok && !t.uncached {
			continue // the go command has the result
		}
		if took, ok := w.memory.seconds[s.name+" "+t.path]; ok {
			seconds += took / 2
		} else {
			unknown++
		}
	}
	return seconds, unknown
}

func seed() string {
	if s := os.Getenv("VEDETTE_SEED"); s != "" {
		return s
	}
	return "1 (VEDETTE_SEED)"
}

// end prints the outcome. The last lines are those that a person needs.
func (w *workspace) end(ctx context.Context, tier string, s *sum, open []aside) error {
	var reds, asides []string
	for _, f := range s.failed {
		verdict, err := w.judge(ctx, f, open)
		if err != nil {
			return err
		}
		if verdict.red {
			reds = append(reds, verdict.text)
		} else {
			asides = append(asides, verdict.text)
		}
	}
	sort.Slice(s.slow, func(i, k int) bool { return s.slow[i].seconds > s.slow[k].seconds })
	fmt.Fprintln(w.out, "\nslowest:")
	for _, one := range s.slow[:min(10, len(s.slow))] {
		fmt.Fprintf(w.out, "  %7.1f s  %s\n", one.seconds, one.name)
	}
	fmt.Fprintf(w.out, "%s in %s; %d of the passed results are earlier ones with the same inputs\n", tier, span(time.Since(s.start).Seconds()), s.cached+s.skipped)
	for _, text := range reds {
		fmt.Fprintln(w.out, text)
	}
	fmt.Fprintf(w.out, "%d passed, %d failed\n", s.passed+s.skipped+len(asides), len(reds))
	for _, text := range asides {
		fmt.Fprintln(w.out, text)
	}
	if len(reds) > 0 {
		return errRed
	}
	return nil
}

// span prints seconds as minutes and seconds.
func span(seconds float64) string {
	n := int(seconds + 0.5)
	return fmt.Sprintf("%d:%02d", n/60, n%60)
}

// printPlan prints the plan of a tier.
func (w *workspace) printPlan(ctx context.Context, tier string) error {
	p, err := newPlanner(ctx, w)
	if err != nil {
		return err
	}
	steps, err := p.steps(tier)
	if err != nil {
		return err
	}
	w.plan(tier, steps)
	for _, s := range steps {
		for _, t := range slices.Concat(s.packages, s.together) {
			fmt.Fprintf(w.out, "%s\t%s\n", s.name, t.path)
		}
	}
	return nil
}

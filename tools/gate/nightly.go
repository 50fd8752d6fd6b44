package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"
)

// nightlyTable is the committed table of results.
const nightlyTable = "docs/nightly.md"

// row is a result of a part: of which commit, when, how long, and with which inputs.
type row struct {
	part, commit, date string
	minutes            float64
	result, inputs     string
}

var rowPattern = regexp.MustCompile("(?m)^\\| ([a-z0-9-]+) \\| `?([0-9a-f]+)`? \\| ([0-9-]+) \\| ([0-9.]+) \\| (green|red) \\| `?([0-9a-f]+)`? \\|$")

// nightly runs the parts that are not green with the same inputs, in order, and writes the
// table after each. It continues after a red part, and may be stopped at any time.
func (w *workspace) nightly(ctx context.Context, only string) error {
	p, err := newPlanner(ctx, w)
	if err != nil {
		return err
	}
	rows, err := w.readRows()
	if err != nil {
		return err
	}
	type planned struct {
		step *step
		key  string
	}
	var todo []planned
	fmt.Fprintf(w.out, "gate nightly in %s, seed %s:\n", w.tree, seed())
	for _, part := range parts {
		if only != "" && part.name != only {
			continue
		}
		s, err := p.part(part)
		if err != nil {
			return err
		}
		if r := rows[part.name]; r.result == "green" && r.inputs == s.key {
			fmt.Fprintf(w.out, "  %-16s green at %s (%s), %.0f minutes\n", part.name, r.commit, r.date, r.minutes)
			continue
		}
		seconds, unknown := w.estimate(s)
		if unknown > 0 {
			fmt.Fprintf(w.out, "  %-16s never ran here\n", part.name)
		} else {
			fmt.Fprintf(w.out, "  %-16s %s\n", part.name, span(seconds))
		}
		todo = append(todo, planned{s, s.key})
	}
	if only != "" && len(todo) == 0 && !slices.ContainsFunc(parts, func(p part) bool { return p.name == only }) {
		return fmt.Errorf("there is no part %q of the nightly run", only)
	}
	red := 0
	for i, t := range todo {
		fmt.Fprintf(w.out, "\n== [%d/%d] %s (%s)\n", i+1, len(todo), t.step.name, time.Now().Format(time.TimeOnly))
		r, err := w.run(ctx, t.step)
		if err != nil {
			return fmt.Errorf("%s: %w", t.step.name, err)
		}
		if len(r.failed) > 0 {
			red++
		}
		if err := w.writeRow(ctx, rows, t.step.name, t.key, r); err != nil {
			return err
		}
		fmt.Fprintf(w.out, "== [%d/%d] %s took %s\n", i+1, len(todo), t.step.name, span(r.seconds))
	}
	fmt.Fprintf(w.out, "%d passed, %d failed\n", len(todo)-red, red)
	if red > 0 {
		return errRed
	}
	return nil
}

// part makes the step of a part.
func (p *planner) part(one part) (*step, error) {
	in := p.k.inputs().tree("Makefile", "tools/racetest.sh").text(one.target...)
	for _, module := range one.modules {
		for _, q := range p.everything(module) {
			in.pkg(q)
		}
	}
	key, err := in.needs(one.needs...).key()
	if err != nil {
		return nil, err
	}
	return &step{name: one.name, key: key, args: append([]string{"make", "--no-print-directory"}, one.target...)}, nil
}

func (w *workspace) readRows() (map[string]row, error) {
	text, err := os.ReadFile(filepath.Join(w.tree, nightlyTable))
	if err != nil {
		return nil, err
	}
	rows := map[string]row{}
	for _, m := range rowPattern.FindAllStringSubmatch(string(text), -1) {
		minutes, err := strconv.ParseFloat(m[4], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", nightlyTable, err)
		}
		rows[m[1]] = row{part: m[1], commit: m[2], date: m[3], minutes: minutes, result: m[5], inputs: m[6]}
	}
	return rows, nil
}

// writeRow replaces the row of a part in the table of the clone.
func (w *workspace) writeRow(ctx context.Context, rows map[string]row, name, key string, r *result) error {
	commit, err := output(ctx, w.clone, "git", "rev-parse", "--short=10", "HEAD")
	if err != nil {
		return err
	}
	latest := row{part: name, commit: commit, date: time.Now().UTC().Format(time.DateOnly), minutes: r.seconds / 60, result: "green", inputs: key}
	if len(r.failed) > 0 {
		latest.result = "red"
	}
	rows[name] = latest
	file := filepath.Join(w.clone, nightlyTable)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	head, _, found := strings.Cut(string(text), "| part |")
	if !found {
		return fmt.Errorf("%s has no table", nightlyTable)
	}
	var b strings.Builder
	b.WriteString(head + "| part | commit | date | minutes | result | inputs |\n|---|---|---|---:|---|---|\n")
	names := make([]string, 0, len(rows))
	for n := range rows {
		names = append(names, n)
	}
	order := func(n string) int { return slices.IndexFunc(parts, func(p part) bool { return p.name == n }) }
	sort.Slice(names, func(i, k int) bool { return order(names[i]) < order(names[k]) })
	for _, n := range names {
		if r := rows[n]; order(n) >= 0 {
			fmt.Fprintf(&b, "| %s | %s | %s | %.1f | %s | %s |\n", r.part, r.commit, r.date, r.minutes, r.result, r.inputs)
		}
	}
	return os.WriteFile(file, []byte(b.String()), 0o644)
}

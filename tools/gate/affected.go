package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// printAffected prints the packages that the changes since a commit can affect: packages
// that are built from a changed file, or whose tests read one. The tests of a package that
// declares no inputs depend on the whole tree.
func (w *workspace) printAffected(ctx context.Context, since string) error {
	changed, err := w.changedSince(ctx, since)
	if err != nil {
		return err
	}
	p, err := newPlanner(ctx, w)
	if err != nil {
		return err
	}
	for _, path := range p.affected(changed) {
		fmt.Fprintln(w.out, path)
	}
	return nil
}

// changedSince returns the files that differ between a commit and the clone.
func (w *workspace) changedSince(ctx context.Context, since string) ([]string, error) {
	out, err := output(ctx, w.clone, "git", "diff", "--name-only", "--no-renames", "-z", since)
	if err != nil {
		return nil, err
	}
	untracked, err := listFiles(ctx, w.clone, "-o")
	if err != nil {
		return nil, err
	}
	return append(strings.FieldsFunc(out, func(r rune) bool { return r == 0 }), untracked...), nil
}

// affected returns the import paths of packages with tests that depend on files.
func (p *planner) affected(changed []string) (paths []string) {
	isolated := p.uncached()
	for _, q := range p.g.packages {
		if !q.hasTests {
			continue
		}
		in := p.k.inputs().pkg(q)
		folders := map[string]bool{} // a file that was deleted is in none of the lists
		for f := range in.files {
			folders[filepath.Dir(f)] = true
		}
		if isolated[q.path] || !slices.Contains(unitModules, q.module) {
			in.needs(needsOf(q)...)
		}
		if slices.ContainsFunc(changed, func(f string) bool {
			return in.files[f] || filepath.Ext(f) == ".go" && folders[filepath.Dir(f)] || slices.Contains(goFiles(q.module), f)
		}) {
			paths = append(paths, q.path)
		}
	}
	slices.Sort(paths)
	return paths
}

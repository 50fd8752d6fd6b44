package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// planner makes the steps of the tiers.
type planner struct {
	w *workspace
	g *graph
	k *keys
}

func newPlanner(ctx context.Context, w *workspace) (*planner, error) {
	g, err := loadGraph(ctx, w)
	if err != nil {
		return nil, err
	}
	k, err := newKeys(ctx, g)
	if err != nil {
		return nil, err
	}
	return &planner{w: w, g: g, k: k}, nil
}

// steps returns the steps of a tier that have something to run.
func (p *planner) steps(tier string) (steps []*step, err error) {
	tiers := map[string][]func() ([]*step, error){
		"check":  {p.format, p.lint, p.unit},
		"source": {p.build, p.format, p.lint, p.platform, p.policy, p.tidy, p.pages},
		"test":   {p.unit, p.nested, p.databases, p.smoke, p.conformance},
	}
	makers, ok := tiers[tier]
	if !ok {
		return nil, fmt.Errorf("there is no tier %q", tier)
	}
	for _, make := range makers {
		more, err := make()
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// command makes a step of one program, or none if it was green with the same inputs.
func (p *planner) command(name string, in *inputs, s step) ([]*step, error) {
	s.name = name
	if in != nil {
		key, err := in.text(s.args...).text(s.env...).key()
		if err != nil {
			return nil, err
		}
		if _, ok := p.w.memory.wasGreen(name, key); ok {
			return []*step{{name: name, skipped: 1}}, nil
		}
		s.key = key
	}
	return []*step{&s}, nil
}

// tests makes a step of `go test` over packages. A package that the go command cannot judge is
// left out if it was green with the same inputs.
func (p *planner) tests(s step, packages []*pkg, uncached func(*pkg) bool) ([]*step, error) {
	for _, q := range packages {
		in := p.k.inputs().pkg(q).text(s.args...).text(s.env...)
		unknown := uncached(q)
		if unknown {
			in.needs(needsOf(q)...)
		}
		key, err := in.key()
		if err != nil {
			return nil, err
		}
		if _, ok := p.w.memory.wasGreen(s.name+" "+q.path, key); ok && unknown {
			s.skipped++
			continue
		}
		s.packages = append(s.packages, target{path: q.path, key: key, uncached: unknown})
	}
	if len(s.packages) == 0 {
		return []*step{{name: s.name, skipped: s.skipped}}, nil
	}
	return []*step{&s}, nil
}

// racetest runs tests with the race detector.
const racetest = "tools/racetest.sh"

// unitModules are the root and the modules of go.work. The go command decides which of their
// tests run again, except those that call testinput.Uncached.
var unitModules = append([]string{"."}, workModules...)

// unit is the tests of unitModules that need no server. The root requires the oldest client-go,
// so one test that compares with the newest one runs with the versions of go.work.
func (p *planner) unit() (steps []*step, err error) {
	isolated := p.uncached()
	for _, module := range unitModules {
		packages := slices.DeleteFunc(p.g.in(module), func(q *pkg) bool { return q.dir == "internal/policy" })
		more, err := p.tests(step{
			name: "unit " + module, dir: module, setup: []string{"compiler"}, minutes: true,
			args: []string{filepath.Join(p.g.tree, racetest), "-timeout=20m", "--"},
		}, packages, func(q *pkg) bool { return isolated[q.path] })
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	newest, err := p.tests(step{
		name: "built-in types of the newest client-go", dir: ".", setup: []string{"compiler"}, env: []string{withWork},
		args: []string{"go", "test", "-race", "-run=^TestBuiltinTypesMatchClientGo$", "-timeout=20m"},
	}, slices.DeleteFunc(p.g.in("."), func(q *pkg) bool { return q.dir != "kube" }), func(*pkg) bool { return false })
	return append(steps, newest...), err
}

var callsUncached = regexp.MustCompile(`\btestinput\.Uncached\(`)

// uncached returns the packages of unitModules whose tests exclude themselves from the cache
// of the go command.
func (p *planner) uncached() map[string]bool {
	found := map[string]bool{}
	for _, q := range p.g.in(unitModules...) {
		for _, f := range q.testFiles {
			// A file that cannot be read breaks the key, which reports it.
			text, _ := os.ReadFile(filepath.Join(p.g.tree, f))
			if callsUncached.Match(text) && q.dir != "internal/testinput" {
				found[q.path] = true
			}
		}
	}
	return found
}

func always(*pkg) bool { return true }

// nested is the tests of the modules that are not in go.work, except conformance. They read files
// outside of their module, which the go command does not see.
func (p *planner) nested() (steps []*step, err error) {
	for _, module := range []string{"compat/controllerruntime", "examples/controllers", "bench", "tools"} {
		args := []string{"go", "test", "-count=1", "-timeout=20m"}
		if module == "compat/controllerruntime" {
			args = append(slices.Clone(args[:2]), "-race", "-count=1", "-timeout=20m")
		}
		more, err := p.tests(step{name: "tests of " + module, dir: module, args: args, setup: []string{"compiler"}}, p.g.in(module), always)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// databases is the packages that contain SQL, on the servers. Unit tests them on SQLite.
func (p *planner) databases() (steps []*step, err error) {
	for _, kind := range []string{"postgres", "mariadb"} {
		var packages []*pkg
		for _, q := range p.g.in("platform") {
			if slices.Contains(sqlPackages, q.dir) {
				packages = append(packages, q)
			}
		}
		program := map[string]string{"postgres": "postgres", "mariadb": "mariadbd"}[kind]
		more, err := p.tests(step{
			name: "databases on " + kind, dir: "platform", setup: []string{"databases"}, minutes: true,
			args: []string{"go", "test", "-count=1", "-timeout=20m"},
			env:  []string{"VEDETTE_TEST_DATABASES=" + kind, "VERSION=" + p.k.version(program)},
		}, packages, always)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// smoke is one way through all parts in one process, to a page in a browser.
func (p *planner) smoke() ([]*step, error) {
	return p.conformanceStep("smoke", []string{"compiler", "pages", "browser"}, nil, func(q *pkg) bool { return q.dir == smokeDir })
}

// conformance is the packages on a real control plane that the change affects, at their
// small size: with one database. The nightly run has the others.
func (p *planner) conformance() (steps []*step, err error) {
	steps, err = p.conformanceStep("conformance", []string{"databases", "linux", "mail", "pages", "browser", "prometheus"}, p.w.readyControlPlane,
		func(q *pkg) bool { return q.dir != smokeDir && !nightlyOnly(q) })
	if err != nil {
		return nil, err
	}
	for _, module := range []string{"conformance/suites", "conformance/export"} {
		more, err := p.tests(step{
			name: module, dir: module, setup: []string{"linux"}, minutes: true, prepare: p.w.readyControlPlane,
			args: []string{"go", "test", "-count=1", "-timeout=20m"},
		}, p.g.in(module), always)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

func (p *planner) conformanceStep(name string, setup []string, prepare func(context.Context) error, in func(*pkg) bool) ([]*step, error) {
	packages := slices.DeleteFunc(p.g.in("conformance"), func(q *pkg) bool { return !in(q) })
	// The slowest first: two packages run at a time.
	slices.SortStableFunc(packages, func(a, b *pkg) int {
		return int(p.w.memory.seconds[name+" "+b.path] - p.w.memory.seconds[name+" "+a.path])
	})
	return p.tests(step{
		name: name, dir: "conformance", setup: setup, minutes: true,
		// Most packages wait for processes most of the time, so four run at a time.
		args: []string{"go", "test", "-count=1", "-p=4", "-timeout=45m"},
		env:  []string{"VEDETTE_TEST_DATABASES=sqlite"},
		prepare: func(ctx context.Context) error {
			if err := p.w.installPages(ctx); err != nil || prepare == nil {
				return err
			}
			return prepare(ctx)
		},
	}, packages, always)
}

// installPages installs the libraries of the portal's pages in the copy, unless the
// installed ones are those of the lock file.
func (w *workspace) installPages(ctx context.Context) error {
	locked, err := os.ReadFile(filepath.Join(w.tree, "platform/portal/ui/package-lock.json"))
	if err != nil {
		return err
	}
	marker := filepath.Join(w.tree, "platform/portal/ui/node_modules/.locked")
	if have, err := os.ReadFile(marker); err == nil && string(have) == string(locked) {
		return nil
	}
	if err := w.command(ctx, ".", nil, "npm", "ci", "--prefix", "platform/portal/ui", "--no-audit", "--no-fund").Run(); err != nil {
		return fmt.Errorf("npm ci: %w", err)
	}
	return os.WriteFile(marker, locked, 0o644)
}

// importPaths returns the lines of imports of a module, which decide together with go.mod
// whether it is tidy.
func (p *planner) importPaths(module string) (lines []string) {
	for _, q := range p.g.packages {
		if q.module == module {
			for _, path := range append(slices.Clone(q.imports), q.testImports...) {
				lines = append(lines, "import "+path)
			}
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

func title(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, strings.TrimSuffix(one, "s"))
}

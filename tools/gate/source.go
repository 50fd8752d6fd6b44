package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// everything returns the packages of a module, with and without tests.
func (p *planner) everything(module string) (found []*pkg) {
	for _, q := range p.g.packages {
		if q.module == module {
			found = append(found, q)
		}
	}
	slices.SortFunc(found, func(a, b *pkg) int { return strings.Compare(a.path, b.path) })
	return found
}

// module adds all packages of a module to inputs, with its go.mod.
func (p *planner) module(module string) *inputs {
	in := p.k.inputs().tree(filepath.ToSlash(filepath.Join(module, "go.mod")), filepath.ToSlash(filepath.Join(module, "go.sum")))
	for _, q := range p.everything(module) {
		in.pkg(q)
	}
	return in
}

// build compiles all modules.
func (p *planner) build() (steps []*step, err error) {
	for _, module := range modules {
		args := []string{"go", "build", "./..."}
		if module == "conformance/export" {
			args[1] = "vet" // linking DuckDB is the work of its test
		}
		more, err := p.command("build "+module, p.module(module), step{dir: module, args: args, setup: []string{"compiler"}})
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// goTool runs a program of the module tools.
func (p *planner) goTool(args ...string) []string {
	return append([]string{"go", "tool", "-modfile=" + filepath.Join(p.g.tree, "tools", "go.mod")}, args...)
}

// format finds Go files that gofumpt would write in another way.
func (p *planner) format() ([]*step, error) {
	in := p.k.inputs().tree("tools/go.mod")
	var files []string
	for _, f := range p.k.files {
		if _, err := os.Lstat(filepath.Join(p.g.tree, f)); err == nil && strings.HasSuffix(f, ".go") {
			files = append(files, f)
		}
	}
	script := `found=$(git ls-files -co --exclude-standard '*.go' | while read -r f; do [ ! -e "$f" ] || echo "$f"; done | xargs ` +
		strings.Join(p.goTool("gofumpt", "-l"), " ") + `) && test -z "$found" || { echo "not formatted (go tool -modfile=tools/go.mod gofumpt -w .):"; echo "$found"; exit 1; }`
	return p.command("format", in.tree(files...), step{args: []string{"bash", "-c", script}})
}

// lint vets packages, looks for old forms of code, and runs staticcheck, package by package.
func (p *planner) lint() (steps []*step, err error) {
	for _, module := range modules {
		s := step{name: "lint " + module, dir: module, setup: []string{"compiler"}}
		script := `go vet "$@" && go fix -diff "$@" && ` + strings.Join(p.goTool("staticcheck"), " ") + ` "$@"`
		s.args = []string{"bash", "-c", script, "lint"}
		skipped := 0
		var targets []target
		for _, q := range p.everything(module) {
			key, err := p.k.inputs().pkg(q).tree("tools/go.mod", ".staticcheck.conf").text(s.args...).key()
			if err != nil {
				return nil, err
			}
			if _, ok := p.w.memory.wasGreen(s.name+" "+q.path, key); ok {
				skipped++
				continue
			}
			targets = append(targets, target{path: q.path, key: key})
		}
		if len(targets) == 0 {
			steps = append(steps, &step{name: s.name, skipped: skipped})
			continue
		}
		s.skipped, s.together = skipped, targets
		for _, t := range targets {
			s.args = append(s.args, t.path)
		}
		steps = append(steps, &s)
	}
	return steps, nil
}

// platform type-checks and vets the program for the platform that differs most from this
// one. The nightly run builds it for all.
func (p *planner) platform() ([]*step, error) {
	script := `go build -C tools -o ../bin/crossvet ./crossvet && found=$(bin/crossvet ./... 2>&1) || { echo "$found" | grep -v -e 'analysis skipped' -e 'failed prerequisites'; exit 1; }`
	script = strings.Replace(script, "bin/crossvet ./...", "CGO_ENABLED=0 GOOS=windows GOARCH=amd64 bin/crossvet ./...", 1)
	return p.command("vet for windows/amd64", p.module(".").tree("tools"), step{args: []string{"bash", "-c", script}})
}

// policy is the rules of internal/policy, which reads the whole tree.
func (p *planner) policy() ([]*step, error) {
	q := p.g.folderOf("internal/policy")
	return p.tests(step{name: "policy", args: []string{"go", "test", "-count=1", "-timeout=20m"}}, []*pkg{q}, always)
}

// tidyModules are the modules whose go.mod must be tidy. `make controllers` checks those with
// the dependencies of other projects.
var tidyModules = append(slices.Clone(modules), "conformance/kubernetes", "conformance/build/etcd", "conformance/build/kubernetes", "conformance/build/kwok")

func (p *planner) tidy() (steps []*step, err error) {
	for _, module := range tidyModules {
		in := p.k.inputs().text(p.importPaths(module)...).tree(filepath.ToSlash(filepath.Join(module, "go.mod")), filepath.ToSlash(filepath.Join(module, "go.sum")))
		if !slices.Contains(modules, module) {
			in.tree(module)
		}
		more, err := p.command("tidy "+module, in, step{dir: module, args: []string{"go", "mod", "tidy", "-diff"}})
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// pages builds the pages of the portal from their sources, tests them, and compares them
// with those that are committed.
func (p *planner) pages() ([]*step, error) {
	in := p.k.inputs().tree("platform/portal/ui").needs("go:platform/portal/ui/build", "run:node", "run:npm")
	if q := p.g.folderOf("platform/portal/api"); q != nil {
		in.pkg(q)
	}
	script := `set -e; old=$(mktemp -d); trap 'rm -rf "$old"' EXIT
cp -r platform/portal/ui/dist platform/portal/ui/src/api.ts "$old"
npm run --prefix platform/portal/ui check; go run ./platform/portal/ui/build -test; go run ./platform/portal/ui/build
diff -r "$old/dist" platform/portal/ui/dist && diff "$old/api.ts" platform/portal/ui/src/api.ts ||
{ echo "platform/portal/ui/dist or src/api.ts is not what the sources give (go run ./platform/portal/ui/build)"; exit 1; }`
	return p.command("pages", in, step{args: []string{"bash", "-c", script}, setup: []string{"pages"}, prepare: p.w.installPages})
}

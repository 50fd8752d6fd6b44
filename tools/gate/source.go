package main

import (
	"os"
	"path"
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
	in := p.k.inputs().tree(goFiles(module)...)
	for _, q := range p.everything(module) {
		in.pkg(q)
	}
	return in
}

// goFiles returns the files that decide which versions a module is built with.
func goFiles(module string) []string {
	files := []string{path.Join(module, "go.mod"), path.Join(module, "go.sum")}
	if !slices.Contains(workModules, module) {
		return files
	}
	files = append(files, "go.mod", "go.sum", "go.work", "go.work.sum")
	for _, m := range workModules {
		files = append(files, path.Join(m, "go.mod"), path.Join(m, "go.sum"))
	}
	return files
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

// goTool prints the path of a program of the module tools, for a shell. The program runs with
// the settings of the module that it checks.
func (p *planner) goTool(name string) string {
	return "$(" + withoutWork + " go tool -modfile=" + filepath.Join(p.g.tree, "tools", "go.mod") + " -n " + name + ")"
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
		p.goTool("gofumpt") + ` -l) && test -z "$found" || { echo "not formatted (GOWORK=off go tool -modfile=tools/go.mod gofumpt -w .):"; echo "$found"; exit 1; }`
	return p.command("format", in.tree(files...), step{args: []string{"bash", "-c", script}})
}

// lint vets packages, looks for old forms of code, and runs staticcheck, package by package.
func (p *planner) lint() (steps []*step, err error) {
	for _, module := range modules {
		s := step{name: "lint " + module, dir: module, setup: []string{"compiler"}}
		script := `go vet "$@" && go fix -diff "$@" && ` + p.goTool("staticcheck") + ` "$@"`
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

// platform type-checks and vets the library and the program for the platform that differs most
// from this one. The nightly run builds them for all.
func (p *planner) platform() (steps []*step, err error) {
	crossvet := filepath.Join(p.g.tree, "bin", "crossvet")
	script := withoutWork + ` go build -C "$1" -o "$2" ./crossvet && found=$(CGO_ENABLED=0 GOOS=windows GOARCH=amd64 "$2" ./... 2>&1) || ` +
		`{ echo "$found" | grep -v -e 'analysis skipped' -e 'failed prerequisites'; exit 1; }`
	for _, module := range unitModules {
		more, err := p.command("vet for windows/amd64 "+module, p.module(module).tree("tools"), step{dir: module, args: []string{"bash", "-c", script, "platform", filepath.Join(p.g.tree, "tools"), crossvet}})
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	return steps, nil
}

// policy is the rules of internal/policy, which reads the whole tree.
func (p *planner) policy() ([]*step, error) {
	q := p.g.folderOf("internal/policy")
	return p.tests(step{name: "policy", args: []string{"go", "test", "-count=1", "-timeout=20m"}}, []*pkg{q}, always)
}

// tidyModules are the modules whose go.mod must be tidy. `make controllers` checks those with
// the dependencies of other projects.
var tidyModules = append(slices.Clone(modules), "conformance/kubernetes", "conformance/build/etcd", "conformance/build/kubernetes", "conformance/build/kwok")

// worktidy tidies modules of go.work.
const worktidy = "tools/worktidy.sh"

func (p *planner) tidy() (steps []*step, err error) {
	for _, module := range tidyModules {
		in := p.k.inputs().text(p.importPaths(module)...).tree(goFiles(module)...)
		args := []string{"go", "mod", "tidy", "-diff"}
		if slices.Contains(workModules, module) {
			args = []string{filepath.Join(p.g.tree, worktidy), "-diff", module}
			in.tree(worktidy)
		}
		if !slices.Contains(modules, module) {
			in.tree(module)
		}
		more, err := p.command("tidy "+module, in, step{dir: module, args: args})
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
	in := p.k.inputs().tree("platform/portal/ui").tree("platform/logs/logtext/testdata").needs("go:platform/portal/ui/build", "run:node", "run:npm")
	if q := p.g.folderOf("platform/portal/api"); q != nil {
		in.pkg(q)
	}
	script := `set -e; old=$(mktemp -d); trap 'rm -rf "$old"' EXIT
cp -r platform/portal/ui/dist platform/portal/ui/src/api.ts "$old"
npm run --prefix platform/portal/ui check; go run ./platform/portal/ui/build -test; go run ./platform/portal/ui/build
diff -r "$old/dist" platform/portal/ui/dist && diff "$old/api.ts" platform/portal/ui/src/api.ts ||
{ echo "platform/portal/ui/dist or src/api.ts is not what the sources give (go run ./platform/portal/ui/build)"; exit 1; }`
	return p.command("pages", in, step{args: []string{"bash", "-c", script}, setup: []string{"pages"}, env: []string{withWork}, prepare: p.w.installPages})
}

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// modules are the folders of the modules whose packages the gate tests, in the order of
// their dependencies.
var modules = []string{".", "platform", "cmd/vedette", "examples", "compat/controllerruntime", "examples/controllers", "bench", "conformance", "conformance/suites", "conformance/export", "tools"}

// workModules are those of modules, besides the root, that are in go.work: only with it the
// go command finds the versions of each other that they require. All other modules, and the
// root, are built and tested as their go.mod alone says.
var workModules = []string{"platform", "cmd/vedette", "examples"}

// Settings of the go command for modules of go.work, and for all others.
const (
	withWork    = "GOWORK=auto"
	withoutWork = "GOWORK=off"
)

// goWork returns the setting for a module.
func goWork(module string) string {
	if slices.Contains(workModules, module) {
		return withWork
	}
	return withoutWork
}

// pkg is a package of one of our modules.
type pkg struct {
	path   string
	dir    string // below the root of the tree
	module string // its folder, one of modules
	// imports of the package, and those that its tests add. They include foreign packages.
	imports, testImports []string
	files, testFiles     []string // below the root of the tree; with embedded files
	hasTests             bool
}

// graph has all packages of our modules, and the versions of foreign ones.
type graph struct {
	tree     string
	packages map[string]*pkg
	foreign  map[string]string // import path of a foreign package -> module and version
	sums     map[string]string // file below the root -> hash of its content
	version  string            // of Go, with the platform
}

// listed is the output of `go list -json`.
type listed struct {
	Dir, ImportPath, ForTest                                      string
	Standard                                                      bool
	Module                                                        *struct{ Path, Version, Dir string }
	GoFiles, CgoFiles, CFiles, HFiles, SFiles, OtherFiles         []string
	IgnoredGoFiles, EmbedFiles, TestEmbedFiles, XTestEmbedFiles   []string
	TestGoFiles, XTestGoFiles, Imports, TestImports, XTestImports []string
	Error                                                         *struct{ Err string }
}

const fields = "Dir,ImportPath,ForTest,Standard,Module,GoFiles,CgoFiles,CFiles,HFiles,SFiles,OtherFiles,IgnoredGoFiles," +
	"EmbedFiles,TestEmbedFiles,XTestEmbedFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,Error"

// loadGraph lists the packages of all modules.
func loadGraph(ctx context.Context, w *workspace) (*graph, error) {
	g := &graph{tree: w.tree, packages: map[string]*pkg{}, foreign: map[string]string{}, sums: map[string]string{}}
	var err error
	if g.version, err = output(ctx, w.tree, "go", "version"); err != nil {
		return nil, err
	}
	for _, module := range modules {
		if err := g.loadModule(ctx, w, module); err != nil {
			return nil, fmt.Errorf("list the packages of module %s: %w", module, err)
		}
	}
	return g, nil
}

func (g *graph) loadModule(ctx context.Context, w *workspace, module string) error {
	cmd := exec.CommandContext(ctx, "go", "list", "-e", "-deps", "-test", "-json="+fields, "./...")
	cmd.Dir, cmd.Env = filepath.Join(w.tree, module), w.environment(goWork(module))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	decoder := json.NewDecoder(out)
	for {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			cmd.Wait()
			return err
		}
		g.add(module, &l)
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("go list: %w: %s", err, stderr.String())
	}
	return nil
}

// add stores a package. Test variants of a package name the same files, so only the package
// itself counts.
func (g *graph) add(module string, l *listed) {
	if l.ForTest != "" || strings.HasSuffix(l.ImportPath, ".test") || l.Standard {
		return
	}
	rel, err := filepath.Rel(g.tree, l.Dir)
	if err != nil || strings.HasPrefix(rel, "..") || l.Dir == "" {
		version := ""
		if l.Module != nil {
			version = l.Module.Path + "@" + l.Module.Version
		}
		// Modules may choose different versions of a dependency: all of them count.
		if old := g.foreign[l.ImportPath]; !strings.Contains(old, version) {
			g.foreign[l.ImportPath] = old + " " + module + ":" + version
		}
		return
	}
	p := g.packages[l.ImportPath]
	if p == nil {
		p = &pkg{path: l.ImportPath, dir: rel, module: moduleOf(rel)}
		g.packages[l.ImportPath] = p
	}
	p.imports, p.testImports = l.Imports, append(slices.Clone(l.TestImports), l.XTestImports...)
	p.hasTests = len(l.TestGoFiles)+len(l.XTestGoFiles) > 0
	p.files = below(rel, l.GoFiles, l.CgoFiles, l.CFiles, l.HFiles, l.SFiles, l.OtherFiles, l.IgnoredGoFiles, l.EmbedFiles)
	p.testFiles = below(rel, l.TestGoFiles, l.XTestGoFiles, l.TestEmbedFiles, l.XTestEmbedFiles)
}

func below(dir string, lists ...[]string) (files []string) {
	for _, list := range lists {
		for _, name := range list {
			files = append(files, filepath.ToSlash(filepath.Join(dir, name)))
		}
	}
	return files
}

// moduleOf returns the folder of the module that has a folder.
func moduleOf(dir string) string {
	best := "."
	for _, m := range modules {
		if (dir == m || strings.HasPrefix(dir, m+"/")) && len(m) > len(best) {
			best = m
		}
	}
	return best
}

// in returns the packages with tests of modules, in the order of their paths.
func (g *graph) in(modules ...string) (found []*pkg) {
	for _, p := range g.packages {
		if slices.Contains(modules, p.module) && p.hasTests {
			found = append(found, p)
		}
	}
	sort.Slice(found, func(i, k int) bool { return found[i].path < found[k].path })
	return found
}

// closure returns the files that a package is built from: its own and those of all packages
// that it imports. With tests, it adds those of its tests, and every file below its folder
// that belongs to no other package, such as testdata. It also returns the versions of
// foreign packages.
func (g *graph) closure(p *pkg, tests bool) (files, foreign []string) {
	seen := map[string]bool{}
	var visit func(paths []string)
	visit = func(paths []string) {
		for _, path := range paths {
			if seen[path] {
				continue
			}
			seen[path] = true
			if q := g.packages[path]; q != nil {
				files = append(files, q.files...)
				visit(q.imports)
			} else if v := g.foreign[path]; v != "" {
				foreign = append(foreign, path+" "+v)
			}
		}
	}
	visit([]string{p.path})
	if tests {
		files = append(files, p.testFiles...)
		files = append(files, g.besides(p)...)
		visit(p.testImports)
	}
	slices.Sort(files)
	slices.Sort(foreign)
	return slices.Compact(files), slices.Compact(foreign)
}

// besides returns the files below the folder of a package that belong to no other package.
func (g *graph) besides(p *pkg) (files []string) {
	folders := map[string]bool{}
	for _, q := range g.packages {
		if q != p {
			folders[q.dir] = true
		}
	}
	root := filepath.Join(g.tree, p.dir)
	// A folder that vanishes meanwhile has no files.
	_ = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		rel, _ := filepath.Rel(g.tree, name)
		if d.IsDir() {
			if name != root && (folders[rel] || d.Name() == "node_modules" || isModule(name)) {
				return fs.SkipDir
			}
			return nil
		}
		if d.Name() != ".uncached" {
			files = append(files, filepath.ToSlash(rel))
		}
		return nil
	})
	return files
}

func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// folderOf returns the package in a folder below the root.
func (g *graph) folderOf(dir string) *pkg {
	for _, p := range g.packages {
		if p.dir == dir {
			return p
		}
	}
	return nil
}

package swap

import (
	"context"
	"encoding/json"
	"fmt"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/internal/gotool"
)

// engineRoots are the packages that the generated package imports.
var engineRoots = []string{"compat/clientgo", "compat/clientgo/tools/cache", "informer"}

// goModFile is the output of `go mod edit -json`.
type goModFile struct {
	Module  struct{ Path string }
	Go      string
	Require []struct{ Path, Version string }
	Replace []struct {
		Old, New struct{ Path, Version string }
	}
}

// engine is the part of Vedette that a swapped program contains.
type engine struct {
	folder  *folder
	require []string // modules with versions, other than those that client-go requires
	sums    []string // their lines of go.sum
}

// loadEngine returns the packages of the engine in a source of Vedette. tag is
// the build tag of the program's version of client-go. A program gets only these packages and the modules that they import, not
// all modules of Vedette, so the modules of the program keep their versions.
//
// Errors: a folder that is not the source of Vedette.
func loadEngine(ctx context.Context, dir, tag string) (*engine, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	mod, err := readGoMod(ctx, filepath.Join(dir, "go.mod"))
	if err != nil || mod.Module.Path != vedette {
		return nil, fmt.Errorf("%s is not the source of Vedette: it has no go.mod of module %s", dir, vedette)
	}
	e := &engine{folder: &folder{name: "vedette", files: map[string]string{}, texts: map[string][]byte{}}}
	external := map[string]bool{}
	seen := map[string]bool{}
	for queue := append([]string{}, engineRoots...); len(queue) > 0; {
		pkg := queue[0]
		queue = queue[1:]
		if seen[pkg] {
			continue
		}
		seen[pkg] = true
		imports, err := e.addPackage(dir, pkg, tag)
		if err != nil {
			return nil, fmt.Errorf("read the source of Vedette: %w", err)
		}
		for _, imp := range imports {
			if own, ok := strings.CutPrefix(imp, vedette+"/"); ok {
				queue = append(queue, own)
			} else {
				external[imp] = true
			}
		}
	}
	e.addModules(mod, external)
	if sums, err := os.ReadFile(filepath.Join(dir, "go.sum")); err == nil {
		e.addSums(string(sums))
	}
	e.folder.texts["compat/clientgo/swapped/swapped.go"] = template("engine.go")
	var text strings.Builder
	text.WriteString(fmt.Sprintf("module %s\n\ngo %s\n", vedette, mod.Go))
	for _, r := range e.require {
		text.WriteString("\nrequire " + strings.Replace(r, "@", " ", 1) + "\n")
	}
	e.folder.texts["go.mod"] = []byte(text.String())
	return e, nil
}

// addPackage adds the files of one package, and returns its imports.
func (e *engine) addPackage(dir, pkg, tag string) (imports []string, err error) {
	entries, err := os.ReadDir(filepath.Join(dir, filepath.FromSlash(pkg)))
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name := entry.Name()
		if !entry.Type().IsRegular() || strings.HasSuffix(name, "_test.go") {
			continue
		}
		file := filepath.Join(dir, filepath.FromSlash(pkg), name)
		if !strings.HasSuffix(name, ".go") {
			e.folder.files[path.Join(pkg, name)] = file
			continue
		}
		source, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		source, ok := forVersion(source, tag)
		if !ok {
			continue
		}
		e.folder.texts[path.Join(pkg, name)] = source
		parsed, err := parser.ParseFile(token.NewFileSet(), file, source, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, imp := range parsed.Imports {
			if p, err := strconv.Unquote(imp.Path.Value); err == nil {
				imports = append(imports, p)
			}
		}
	}
	return imports, nil
}

// forVersion returns a source without the build constraint that selects the version of
// client-go. ok is false for a file of a later version than that of tag.
func forVersion(source []byte, tag string) (_ []byte, ok bool) {
	for line := range strings.Lines(string(source)) {
		if !strings.HasPrefix(line, "//go:build clientgo") {
			continue
		}
		expr, err := constraint.Parse(strings.TrimSpace(line))
		if err != nil {
			return source, true // the compiler reports it
		}
		return []byte(strings.Replace(string(source), line, "", 1)), expr.Eval(func(t string) bool { return t == tag })
	}
	return source, true
}

// tagOf returns the build tag of a version of client-go: clientgo037 for v0.37.2.
func tagOf(version string) string {
	minor, _, _ := strings.Cut(strings.TrimPrefix(version, "v0."), ".")
	return "clientgo0" + minor
}

// addModules adds the modules of imported packages. Modules of Kubernetes are already in
// the build, in the versions that client-go requires.
func (e *engine) addModules(mod *goModFile, external map[string]bool) {
	for _, r := range mod.Require {
		if strings.HasPrefix(r.Path, "k8s.io/") || strings.HasPrefix(r.Path, "sigs.k8s.io/") {
			continue
		}
		for imp := range external {
			if imp == r.Path || strings.HasPrefix(imp, r.Path+"/") {
				e.require = append(e.require, r.Path+"@"+r.Version)
				break
			}
		}
	}
}

func (e *engine) addSums(sums string) {
	for line := range strings.Lines(sums) {
		for _, r := range e.require {
			module, version, _ := strings.Cut(r, "@")
			if fields := strings.Fields(line); len(fields) == 3 && fields[0] == module && strings.TrimSuffix(fields[1], "/go.mod") == version {
				e.sums = append(e.sums, strings.TrimSpace(line))
			}
		}
	}
}

// readGoMod reads a go.mod. It changes nothing.
//
// Errors: the file does not exist or has errors.
func readGoMod(ctx context.Context, file string) (*goModFile, error) {
	out, err := gotool.Tool{Dir: os.TempDir(), Env: plainEnv()}.Run(ctx, "mod", "edit", "-json", file)
	if err != nil {
		return nil, err
	}
	mod := new(goModFile)
	if err := json.Unmarshal(out, mod); err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	return mod, nil
}

// plainEnv returns the environment without settings of a module or workspace.
func plainEnv() []string { return append(os.Environ(), "GOFLAGS=", "GOWORK=off") }

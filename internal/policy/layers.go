package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tangled are the packages whose files do not form layers yet, with the number of
// references on circles. The list only shrinks: no number grows, and a package that
// reaches 0 leaves the list. In all other packages no two files refer to each other,
// directly or around a circle, so a reader can read them from the bottom up.
var tangled = map[string]int{
	"kube": 64, "reflector": 17, "workqueue": 42, "apitest": 18, "platform/sqldb/dbtest": 2, "examples/trainjob": 2,
}

// listed is a package in the output of `go list`.
type listed struct {
	ImportPath, Dir, Export string
	GoFiles                 []string
}

// listPackages returns packages and all their imports, with the files of compiled
// declarations.
func listPackages(root string, packages []string) (map[string]listed, error) {
	args := []string{"list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles"}
	for _, p := range packages {
		args = append(args, "./"+p)
	}
	list := exec.Command("go", args...)
	list.Dir, list.Stderr = root, os.Stderr
	list.Env = append(os.Environ(), "GOWORK=auto") // the packages are of several modules
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	all := map[string]listed{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
}

// references are the uses of declarations of other files in the package: from file to
// file, with the names.
type references map[string]map[string][]string

// referencesOf returns the references between the files of a package. exports opens the
// compiled declarations of an imported package.
func referencesOf(files map[string]string, exports func(path string) (io.ReadCloser, error)) (references, error) {
	set := token.NewFileSet()
	var parsed []*ast.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		file, err := parser.ParseFile(set, name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, file)
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: importer.ForCompiler(set, "gc", exports)}
	pkg, err := config.Check("checked", set, parsed, info)
	if err != nil {
		return nil, err
	}
	found := references{}
	for used, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		from, to := set.Position(used.Pos()).Filename, set.Position(object.Pos()).Filename
		if from == to {
			continue
		}
		if found[from] == nil {
			found[from] = map[string][]string{}
		}
		if !slices.Contains(found[from][to], object.Name()) {
			found[from][to] = append(found[from][to], object.Name())
		}
	}
	return found, nil
}

// reaches reports whether a file refers to another, directly or through others.
func (r references) reaches(from, to string, seen map[string]bool) bool {
	for next := range r[from] {
		if next == to {
			return true
		}
		if !seen[next] {
			seen[next] = true
			if r.reaches(next, to, seen) {
				return true
			}
		}
	}
	return false
}

// circles returns the references that lie on a circle.
func (r references) circles() (broken []string) {
	for from, tos := range r {
		for to, names := range tos {
			if r.reaches(to, from, map[string]bool{}) {
				slices.Sort(names)
				broken = append(broken, fmt.Sprintf("%s refers to %s (%s), which leads back to it", from, to, strings.Join(names, ", ")))
			}
		}
	}
	slices.Sort(broken)
	return broken
}

// checkLayers returns the references that lie on a circle, by package.
func checkLayers(root string, packages []string) (map[string][]string, error) {
	all, err := listPackages(root, packages)
	if err != nil {
		return nil, err
	}
	exports := func(path string) (io.ReadCloser, error) { return os.Open(all[path].Export) }
	broken := map[string][]string{}
	for _, name := range packages {
		p, ok := all[module+"/"+name]
		if !ok {
			return nil, fmt.Errorf("there is no package %s", name)
		}
		files := map[string]string{}
		for _, file := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				return nil, err
			}
			files[name+"/"+file] = string(text)
		}
		found, err := referencesOf(files, exports)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		broken[name] = found.circles()
	}
	return broken, nil
}

// overBudget returns the violations of a rule that some places do not meet yet: violations
// beyond the limit of a place, and limits that are too high.
func overBudget(found map[string][]string, budget map[string]int) (broken []string) {
	for _, place := range slices.Sorted(maps.Keys(found)) {
		if n, may := len(found[place]), budget[place]; n > may {
			broken = append(broken, fmt.Sprintf("%s: %d violations, and %d are allowed:\n\t%s", place, n, may, strings.Join(found[place], "\n\t")))
		}
	}
	for _, place := range slices.Sorted(maps.Keys(budget)) {
		if len(found[place]) == 0 {
			broken = append(broken, fmt.Sprintf("%s has no violations: take it off the list", place))
		}
	}
	return broken
}

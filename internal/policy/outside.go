package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// checkOutside returns the packages of the modules of go.work whose tests name a file or
// folder outside of their module, and whose results the go command may store all the same:
// it sees only the files of the module.
func checkOutside(tree fs.FS) (broken []string, err error) {
	modules, err := workModules(tree)
	if err != nil {
		return nil, err
	}
	packages, err := goFiles(tree, true)
	if err != nil {
		return nil, err
	}
	for dir, files := range packages {
		module := moduleOf(modules, dir)
		if module == "." {
			continue
		}
		names, excluded := []string{}, false
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				continue
			}
			text, err := fs.ReadFile(tree, file)
			if err != nil {
				return nil, err
			}
			excluded = excluded || uncached.Match(text)
			found, err := outside(tree, module, file, string(text))
			if err != nil {
				return nil, err
			}
			names = append(names, found...)
		}
		if len(names) > 0 && !excluded {
			slices.Sort(names)
			broken = append(broken, fmt.Sprintf("%s: its tests name %s, which is outside of module %s: they must call testinput.Uncached", dir, strings.Join(slices.Compact(names), ", "), module))
		}
	}
	slices.Sort(broken)
	return broken, nil
}

// outside returns the strings of a test that name something of the tree outside of the module.
func outside(tree fs.FS, module, file, text string) (names []string, err error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		name, err := strconv.Unquote(literal.Value)
		if err != nil || name != ".." && !strings.HasPrefix(name, "../") {
			return true
		}
		target := path.Join(path.Dir(file), name)
		if found, err := fs.Glob(tree, target); err == nil && len(found) > 0 && target != module && !strings.HasPrefix(target, module+"/") {
			names = append(names, name)
		}
		return true
	})
	return names, nil
}

package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
)

// glossed are the folders whose files and declarations use the terms of docs/glossary.md.
// The others follow, one by one.
var glossed = []string{"record", "cmd/vedette"}

// retiredWords returns the words that a glossary replaces by its terms: those after *Not*.
func retiredWords(glossary string) map[string]bool {
	words := map[string]bool{}
	for _, m := range retired.FindAllStringSubmatch(glossary, -1) {
		for word := range strings.SplitSeq(m[1], ",") {
			if word = strings.TrimSpace(word); !strings.Contains(word, " ") {
				words[word] = true
			}
		}
	}
	return words
}

var retired = regexp.MustCompile(`\*Not\* ([a-z, ]+)`)

// checkGlossary returns the files and declarations that are named by a retired word.
func checkGlossary(tree fs.FS, folders []string) (broken []string, err error) {
	glossary, err := fs.ReadFile(tree, "docs/glossary.md")
	if err != nil {
		return nil, err
	}
	words := retiredWords(string(glossary))
	packages, err := goFiles(tree, false)
	if err != nil {
		return nil, err
	}
	for dir, files := range packages {
		if !within(dir, folders) {
			continue
		}
		for _, file := range files {
			if word := strings.TrimSuffix(path.Base(file), ".go"); words[word] {
				broken = append(broken, fmt.Sprintf("%s is named by a word that docs/glossary.md replaces", file))
			}
			text, err := fs.ReadFile(tree, file)
			if err != nil {
				return nil, err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			for _, name := range declared(parsed) {
				if words[strings.ToLower(name)] {
					broken = append(broken, fmt.Sprintf("%s declares %s, a word that docs/glossary.md replaces", file, name))
				}
			}
		}
	}
	return broken, nil
}

func within(dir string, folders []string) bool {
	for _, folder := range folders {
		if dir == folder || strings.HasPrefix(dir, folder+"/") {
			return true
		}
	}
	return false
}

// declared returns the names of the types, functions and methods of a file.
func declared(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					names = append(names, t.Name.Name)
				}
			}
		}
	}
	return names
}

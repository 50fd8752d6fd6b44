package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// retiredWords returns the words that a glossary replaces with its terms: those after
// *Not*.
func retiredWords(glossary string) map[string]bool {
	words := map[string]bool{}
	for _, m := range notTerms.FindAllStringSubmatch(glossary, -1) {
		for word := range strings.SplitSeq(m[1], ",") {
			if word = strings.ReplaceAll(strings.TrimSpace(word), " ", ""); word != "" {
				words[word] = true
			}
		}
	}
	return words
}

var notTerms = regexp.MustCompile(`\*Not\* ([a-z, ]+)`)

// checkGlossary returns the files and declarations that are named by a retired word, by
// package.
func checkGlossary(tree fs.FS) (map[string][]string, error) {
	glossary, err := fs.ReadFile(tree, "docs/glossary.md")
	if err != nil {
		return nil, err
	}
	words := retiredWords(string(glossary))
	packages, err := goFiles(tree, false)
	if err != nil {
		return nil, err
	}
	broken := map[string][]string{}
	retired := func(dir, name string) bool {
		name = strings.ToLower(name)
		return words[name] && !slices.Contains(ownMeaning[dir], name)
	}
	for dir, files := range packages {
		for _, file := range files {
			if word := strings.TrimSuffix(path.Base(file), ".go"); retired(dir, word) {
				broken[dir] = append(broken[dir], fmt.Sprintf("%s is named by a word that docs/glossary.md replaces", file))
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
				if retired(dir, name) {
					broken[dir] = append(broken[dir], fmt.Sprintf("%s declares %s, a word that docs/glossary.md replaces", file, name))
				}
			}
		}
	}
	return broken, nil
}

// declared returns the names of the types, functions, methods, constants and variables of
// a file. Fields and local variables may use plain words such as "left".
func declared(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name.Name)
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

package main

import (
	"bytes"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// literals are the variables of a package that composite literals define, by name.
type literals map[string]*ast.CompositeLit

// literalsOf returns the literals of a folder.
func literalsOf(t *testing.T, files []*ast.File) literals {
	t.Helper()
	all := literals{}
	for _, file := range files {
		for _, d := range file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range g.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok {
					continue
				}
				for i, value := range v.Values {
					if c, ok := value.(*ast.CompositeLit); ok {
						all[v.Names[i].Name] = c
					}
				}
			}
		}
	}
	return all
}

// parseFolder parses the Go files of a folder, without tests.
func parseFolder(t *testing.T, dir string) (files []*ast.File) {
	t.Helper()
	for name, text := range goSources(t, dir) {
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// flatten calls add for each value in a literal that is not a literal itself, with the keys above
// it, separated by points.
func flatten(t *testing.T, e ast.Expr, path string, add func(path, text string)) {
	t.Helper()
	c, ok := e.(*ast.CompositeLit)
	if !ok {
		add(path, sourceOf(t, e))
		return
	}
	for i, element := range c.Elts {
		key, value := strconv.Itoa(i), element
		if pair, ok := element.(*ast.KeyValueExpr); ok {
			key, value = keyOf(t, pair.Key), pair.Value
		}
		flatten(t, value, strings.TrimPrefix(path+"."+key, "."), add)
	}
}

// keyOf returns a key without quotation marks and without the name of its package.
func keyOf(t *testing.T, e ast.Expr) string {
	t.Helper()
	if s, ok := e.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	text := sourceOf(t, e)
	if word, err := strconv.Unquote(text); err == nil {
		return word
	}
	return text
}

// sourceOf returns the source of an expression. A pattern is its text.
func sourceOf(t *testing.T, e ast.Expr) string {
	t.Helper()
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 {
		if f, ok := call.Fun.(*ast.Ident); ok && f.Name == "phrase" {
			e = call.Args[0]
		}
	}
	var b bytes.Buffer
	if err := format.Node(&b, token.NewFileSet(), e); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// strings returns the strings of an expression: those of a literal, of a variable, or of a call
// such as append.
func (l literals) strings(t *testing.T, e ast.Expr) (all []string) {
	t.Helper()
	switch e := e.(type) {
	case *ast.BasicLit:
		word, err := strconv.Unquote(e.Value)
		if err != nil {
			t.Fatal(err)
		}
		return []string{word}
	case *ast.CompositeLit:
		for _, element := range e.Elts {
			all = append(all, l.strings(t, element)...)
		}
	case *ast.Ident:
		if c := l[e.Name]; c != nil {
			return l.strings(t, c)
		}
	case *ast.CallExpr:
		for _, a := range e.Args {
			all = append(all, l.strings(t, a)...)
		}
	}
	return all
}

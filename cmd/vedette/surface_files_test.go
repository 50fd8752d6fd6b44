package main

import (
	"go/ast"
	"strings"
	"testing"

	"github.com/vedette-io/vedette/cmd/vedette/internal/settings"
	"github.com/vedette-io/vedette/job/jobfilter"
	"github.com/vedette-io/vedette/platform/notify/config"
	"github.com/vedette-io/vedette/platform/notify/message"
	"github.com/vedette-io/vedette/platform/rules"
	"github.com/vedette-io/vedette/platform/submit/template"
)

func settingSurface(t *testing.T) surface {
	s := surface{}
	for of, keys := range map[string][]string{"": settings.FileKeys(), "clusters.": settings.ClusterKeys, "clusters.resources.": settings.ResourceKeys} {
		for _, key := range keys {
			s.add(t, of+key, "")
		}
	}
	return s
}

func notifySurface(t *testing.T) surface {
	s := keysOf(t, folderOf[config.Config](t))
	for _, kind := range message.Kinds() {
		s.add(t, "templates "+string(kind), "")
	}
	return s
}

func ruleSurface(t *testing.T) surface { return keysOf(t, folderOf[rules.Rules](t)) }

func templateSurface(t *testing.T) surface { return keysOf(t, folderOf[template.Set](t)) }

// keysOf returns the keys of YAML files that a package reads: the names that it passes to
// yamlfile.Reader.Fields, and the tables of names by the kind of a mapping.
func keysOf(t *testing.T, dir string) surface {
	t.Helper()
	s := surface{}
	files := parseFolder(t, dir)
	l := literalsOf(t, files)
	add := func(of string, keys []string) {
		for _, key := range keys {
			s.add(t, strings.TrimSpace(of)+" "+key, "")
		}
	}
	for _, file := range files {
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Fields" && len(n.Args) > 2 {
					var keys []string
					for _, a := range n.Args[2:] {
						keys = append(keys, l.strings(t, a)...)
					}
					add(strings.Join(l.strings(t, firstText(n.Args[1])), " "), keys)
				}
			case *ast.KeyValueExpr: // "slack": {fields: ...}
				if table, ok := n.Value.(*ast.CompositeLit); ok {
					for _, element := range table.Elts {
						if pair, ok := element.(*ast.KeyValueExpr); ok && keyOf(t, pair.Key) == "fields" {
							add("channel "+keyOf(t, n.Key), l.strings(t, pair.Value))
						}
					}
				}
			case *ast.CompositeLit: // {"waits", []string{"after"}, ...}
				if len(n.Elts) > 1 {
					name, named := n.Elts[0].(*ast.BasicLit)
					if inner, ok := n.Elts[1].(*ast.CompositeLit); ok && named && inner.Type != nil {
						add(strings.Join(l.strings(t, name), " "), l.strings(t, inner))
					}
				}
			}
			return true
		})
	}
	if len(s) == 0 {
		t.Errorf("%s reads no keys", dir)
	}
	return s
}

// firstText returns the constant beginning of a text.
func firstText(e ast.Expr) ast.Expr {
	for {
		sum, ok := e.(*ast.BinaryExpr)
		if !ok {
			return e
		}
		e = sum.X
	}
}

func filterSurface(t *testing.T) surface {
	s := surface{}
	for _, key := range jobfilter.Keys() {
		s.add(t, string(key), "")
	}
	return s
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// opposite is what a mutant puts in place of an operator.
var opposite = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: ">=", token.GEQ: "<", token.GTR: "<=", token.LEQ: ">",
	token.ADD: "-", token.SUB: "+", token.LAND: "||", token.LOR: "&&",
}

// mutant is one operator of a file that was replaced.
type mutant struct {
	file, old, new string
	offset, line   int
}

// mutants returns n mutants of the Go code that the last commits touched, chosen by a seed.
func mutants(ctx context.Context, dir string, n int, seed uint64, commits int) ([]mutant, error) {
	out, err := exec.CommandContext(ctx, "git", "-C", dir, "log", fmt.Sprintf("-%d", commits), "--format=", "--name-only", "--", "*.go").Output()
	if err != nil {
		return nil, fmt.Errorf("list the files of the last %d commits: %w", commits, err)
	}
	var files []string
	for name := range strings.Lines(string(out)) {
		name = strings.TrimSpace(name)
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil && name != "" && !strings.HasSuffix(name, "_test.go") && !slices.Contains(files, name) {
			files = append(files, name)
		}
	}
	slices.Sort(files)
	var all []mutant
	for _, name := range files {
		more, err := mutantsOf(dir, name)
		if err != nil {
			return nil, err
		}
		all = append(all, more...)
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(all), func(i, k int) { all[i], all[k] = all[k], all[i] })
	return all[:min(n, len(all))], nil
}

func mutantsOf(dir, name string) (all []mutant, err error) {
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	tree, err := parser.ParseFile(set, name, text, 0)
	if err != nil {
		return nil, err
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		e, ok := n.(*ast.BinaryExpr)
		if !ok || opposite[e.Op] == "" || e.Op == token.ADD && isText(e) {
			return true
		}
		at := set.Position(e.OpPos)
		all = append(all, mutant{file: name, old: e.Op.String(), new: opposite[e.Op], offset: at.Offset, line: at.Line})
		return true
	})
	return all, nil
}

// isText reports whether a sum joins texts, of which no difference exists.
func isText(e *ast.BinaryExpr) bool {
	for _, side := range []ast.Expr{e.X, e.Y} {
		switch side := side.(type) {
		case *ast.BasicLit:
			if side.Kind == token.STRING || side.Kind == token.CHAR {
				return true
			}
		case *ast.BinaryExpr:
			if isText(side) {
				return true
			}
		}
	}
	return false
}

// try writes the mutant, runs the gate, and restores the file. A mutant that does not
// compile is red too: the gate builds first.
func (m mutant) try(ctx context.Context, dir string) (red bool, seconds float64, err error) {
	text, err := os.ReadFile(filepath.Join(dir, m.file))
	if err != nil {
		return false, 0, err
	}
	broken := slices.Concat(text[:m.offset], []byte(m.new), text[m.offset+len(m.old):])
	if bytes.Equal(broken, text) {
		return false, 0, fmt.Errorf("%s:%d: the mutant changes nothing", m.file, m.line)
	}
	return tried(ctx, dir, m.file, text, broken)
}

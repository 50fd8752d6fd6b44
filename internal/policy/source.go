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

// Limits in lines. A larger file or function should be split.
const (
	maxFile         = 500
	maxTestFile     = 800
	maxFunction     = 70
	maxTestFunction = 120
)

// headings are the required sections of a library package's documentation, in order.
var headings = []string{"# Data flow", "# Ownership", "# Guarantees", "# Limits", "# Errors"}

// words are forbidden in Go files: each is a promise, a race or a crash.
var words = []struct {
	pattern *regexp.Regexp
	tests   bool // also in tests
	why     string
	except  string // file
}{
	{regexp.MustCompile(`\btime\.Sleep` + `\(`), true, "sleeps: wait for what is to happen, or in fake time on a timer", ""},
	{regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME|XX` + `X)\b`), true, "holds a promise: keep it or leave it out", ""},
	// The exception skips what an older Kubernetes lacks, and nothing in the gate.
	{regexp.MustCompile(`\b[tb]\.Skip` + `(f|Now)?\(`), true, "skips a test", "conformance/controlplane/version.go"},
	{regexp.MustCompile(`(^|[^.\w])panic` + `\(`), false, "panics: return an error", ""},
	{regexp.MustCompile(`context\.TO` + `DO\(`), true, "makes up a context: take it from the caller", ""},
}

// banned are file names without a meaning.
var banned = []string{"util.go", "utils.go", "common.go", "helpers.go", "types.go", "misc.go"}

// checkSource returns the violations of the rules of form in the files of all modules.
func checkSource(tree fs.FS) ([]string, error) {
	var broken []string
	err := fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != "." && strings.HasPrefix(d.Name(), "."):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(file, ".go"):
			return nil
		}
		found, err := checkFile(tree, file)
		broken = append(broken, found...)
		return err
	})
	return broken, err
}

func checkFile(tree fs.FS, file string) ([]string, error) {
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return nil, err
	}
	var broken []string
	test := strings.HasSuffix(file, "_test.go")
	limit := maxFile
	if test {
		limit = maxTestFile
	}
	if n := strings.Count(string(text), "\n"); n > limit {
		broken = append(broken, fmt.Sprintf("%s has %d lines, more than %d", file, n, limit))
	}
	if slices.Contains(banned, path.Base(file)) {
		broken = append(broken, file+" is named after nothing")
	}
	for i, line := range strings.Split(string(text), "\n") {
		for _, w := range words {
			if (w.tests || !test) && w.pattern.MatchString(line) && w.except != file {
				broken = append(broken, fmt.Sprintf("%s:%d %s", file, i+1, w.why))
			}
		}
	}
	long, err := longFunctions(file, text, test)
	return append(broken, long...), err
}

func longFunctions(file string, text []byte, test bool) ([]string, error) {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, 0)
	if err != nil {
		return nil, err
	}
	limit := maxFunction
	if test {
		limit = maxTestFunction
	}
	var broken []string
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok {
			continue
		}
		if n := set.Position(f.End()).Line - set.Position(f.Pos()).Line + 1; n > limit {
			broken = append(broken, fmt.Sprintf("%s: %s has %d lines, more than %d", file, f.Name.Name, n, limit))
		}
	}
	return broken, nil
}

// checkDocs returns the packages with missing or wrong documentation, and the undocumented
// exported names.
func checkDocs(tree fs.FS) ([]string, error) {
	packages, err := goFiles(tree, false)
	if err != nil {
		return nil, err
	}
	var broken []string
	for dir, files := range packages {
		var docs []string
		for _, file := range files {
			text, err := fs.ReadFile(tree, file)
			if err != nil {
				return nil, err
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			if parsed.Doc != nil {
				docs = append(docs, parsed.Doc.Text())
			}
			for _, name := range undocumented(parsed) {
				broken = append(broken, fmt.Sprintf("%s: %s has no documentation", file, name))
			}
		}
		broken = append(broken, checkPackageDoc(dir, docs)...)
	}
	slices.Sort(broken)
	return broken, nil
}

func checkPackageDoc(dir string, docs []string) []string {
	if len(docs) != 1 {
		return []string{fmt.Sprintf("%s has %d package comments, want one", dir, len(docs))}
	}
	// The root package only leads to the others.
	if dir == "." || strings.HasPrefix(dir, "cmd/") || strings.HasPrefix(dir, "examples/") || strings.HasPrefix(dir, "internal/") {
		return nil
	}
	at := 0
	for _, h := range headings {
		i := strings.Index(docs[0][at:], "\n"+h+"\n")
		if i < 0 {
			return []string{fmt.Sprintf("the documentation of %s lacks %q, or has it out of order", dir, h)}
		}
		at += i
	}
	return nil
}

// undocumented returns the exported names of a file that have no comment.
func undocumented(file *ast.File) []string {
	var names []string
	for _, decl := range file.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || exportedReceiver(d.Recv)) {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				names = append(names, undocumentedSpec(d, spec)...)
			}
		}
	}
	return names
}

func exportedReceiver(recv *ast.FieldList) bool {
	t := recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return false
		}
	}
}

func undocumentedSpec(d *ast.GenDecl, spec ast.Spec) []string {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() && d.Doc == nil && s.Doc == nil {
			return []string{s.Name.Name}
		}
	case *ast.ValueSpec:
		if s.Names[0].IsExported() && d.Doc == nil && s.Doc == nil {
			return []string{s.Names[0].Name}
		}
	}
	return nil
}

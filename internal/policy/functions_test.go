package policy

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strings"
	"testing"
)

// callers are the packages that call functions of the program.
var callers = []string{
	"store", "informer", "reflector", "kube", "workqueue", "controller", "manager", "events", "webhook", "apitest", "compat/clientgo",
}

// ofLibrary are fields that the library sets and the program calls.
var ofLibrary = map[string]bool{"kube.Written.Field": true}

// TestFunctionsOfTheProgram: the section of docs/architecture.md has each exported field that
// is a function, and its tests exist.
func TestFunctionsOfTheProgram(t *testing.T) {
	text, err := fs.ReadFile(root, "docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## Functions of the program\n")
	if !found {
		t.Fatal("docs/architecture.md has no section \"Functions of the program\"")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for _, dir := range callers {
		for _, field := range functionFields(t, dir) {
			_, name, _ := strings.Cut(field, ".")
			_, name, _ = strings.Cut(name, ".")
			if !ofLibrary[field] && !strings.Contains(section, "`"+field+"`") && !strings.Contains(section, "`"+name+"`") {
				t.Errorf("the section has no %s", field)
			}
		}
	}
	tests := regexp.MustCompile("`([a-z/]+)`: `(Test[A-Za-z]+)` \\|\n")
	for _, m := range tests.FindAllStringSubmatch(section, -1) {
		if !hasTest(t, m[1], m[2]) {
			t.Errorf("package %s has no %s", m[1], m[2])
		}
	}
}

// functionFields returns the exported fields of exported structs that are functions, as
// package.Type.Field.
func functionFields(t *testing.T, dir string) (fields []string) {
	eachFile(t, dir, false, func(f *ast.File) {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || !spec.Name.IsExported() {
				return true
			}
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			for _, field := range st.Fields.List {
				if _, ok := field.Type.(*ast.FuncType); !ok {
					continue
				}
				for _, name := range field.Names {
					if name.IsExported() {
						fields = append(fields, f.Name.Name+"."+spec.Name.Name+"."+name.Name)
					}
				}
			}
			return true
		})
	})
	return fields
}

func hasTest(t *testing.T, dir, name string) (found bool) {
	eachFile(t, dir, true, func(f *ast.File) {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Name.Name == name {
				found = true
			}
		}
	})
	return found
}

// eachFile calls see with the parsed files of a package, or with its tests.
func eachFile(t *testing.T, dir string, tests bool, see func(*ast.File)) {
	t.Helper()
	files, err := fs.Glob(root, path.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("package %s: %d files, %v", dir, len(files), err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") != tests {
			continue
		}
		text, err := fs.ReadFile(root, file)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		see(f)
	}
}

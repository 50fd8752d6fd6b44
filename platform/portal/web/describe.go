package web

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// described has the comments of a type and its fields.
type described struct {
	text     string
	fields   map[string]string // by the name in JSON
	embedded []string          // names of embedded types, whose fields belong to the type
}

// DescribeTypes adds the comments of types and fields to the schemas of an API. source has the Go
// files of the package with the types. Call it after all operations are registered.
//
// Errors: a file that is not Go.
func DescribeTypes(a huma.API, source fs.FS) error {
	types, err := readTypes(source)
	if err != nil {
		return err
	}
	for name, schema := range a.OpenAPI().Components.Schemas.Map() {
		d, ok := types[name]
		if !ok {
			continue
		}
		if schema.Description == "" {
			schema.Description = d.text
		}
		for field, property := range schema.Properties {
			if text := fieldText(types, name, field); property.Description == "" {
				property.Description = text
			}
		}
	}
	return nil
}

// fieldText returns the comment of a field of a type, or of a type that is embedded in it.
func fieldText(types map[string]described, name, field string) string {
	d := types[name]
	if text, ok := d.fields[field]; ok {
		return text
	}
	for _, e := range d.embedded {
		if text := fieldText(types, e, field); text != "" {
			return text
		}
	}
	return ""
}

// readTypes returns the comments of all structs by name.
func readTypes(source fs.FS) (map[string]described, error) {
	types := map[string]described{}
	names, err := fs.Glob(source, "*.go")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(source, name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
		if err != nil {
			return nil, fmt.Errorf("read the descriptions of the API: %w", err)
		}
		for _, decl := range file.Decls {
			d, ok := decl.(*ast.GenDecl)
			if !ok || d.Tok != token.TYPE {
				continue
			}
			for _, spec := range d.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					types[t.Name.Name] = describe(t, d.Doc)
				}
			}
		}
	}
	return types, nil
}

func describe(t *ast.TypeSpec, doc *ast.CommentGroup) described {
	d := described{text: sentences(doc), fields: map[string]string{}}
	s, ok := t.Type.(*ast.StructType)
	if !ok {
		return d
	}
	for _, f := range s.Fields.List {
		if len(f.Names) == 0 {
			if id, ok := f.Type.(*ast.Ident); ok {
				d.embedded = append(d.embedded, id.Name)
			}
			continue
		}
		if f.Tag == nil {
			continue
		}
		tag, err := strconv.Unquote(f.Tag.Value)
		if err != nil {
			continue
		}
		name, _, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		text := sentences(f.Doc)
		if text == "" {
			text = sentences(f.Comment)
		}
		if rest, ok := strings.CutPrefix(text, f.Names[0].Name+" "); ok { // names in the document differ from names in Go
			text = name + " " + rest
		}
		d.fields[name] = text
	}
	return d
}

// sentences returns a comment in one line.
func sentences(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }

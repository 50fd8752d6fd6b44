package swap

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// place is one expression in a function that the patch wraps in a call.
type place struct {
	function string // the name of the function or method
	want     string // the expression, without white space; a final "…" matches any rest
	call     string // the function to call with the expression
	spread   bool   // the expression is the list of results of a return statement
}

// filePatch has the changes in one file of client-go.
type filePatch struct {
	path   string // in the module
	places []place
}

// controllerResults are the results of the constructors of informers with one handler.
const controllerResults = "clientState,newInformer(clientState,options,DeletionHandlingMetaNamespaceKeyFunc)"

// patches are the changes of client-go 0.36 and 0.37. Each informer and each HTTP
// transport of client-go comes from one of these places.
var patches = []filePatch{
	{"tools/cache/shared_informer.go", []place{
		{function: "NewSharedIndexInformerWithOptions", want: "&sharedIndexInformer{…", call: "vedetteInformer"},
	}},
	{"tools/cache/controller.go", []place{
		{function: "NewInformerWithOptions", want: controllerResults, call: "vedetteController", spread: true},
		{function: "NewInformer", want: controllerResults, call: "vedetteController", spread: true},
		{function: "NewIndexerInformer", want: controllerResults, call: "vedetteController", spread: true},
		{function: "NewTransformingInformer", want: controllerResults, call: "vedetteController", spread: true},
		{function: "NewTransformingIndexerInformer", want: controllerResults, call: "vedetteController", spread: true},
	}},
	{"rest/transport.go", []place{
		{function: "TransportConfig", want: "c.WrapTransport", call: "vedetteTransport"},
	}},
}

// edit replaces the bytes from start to end.
type edit struct {
	start, end int
	text       string
}

// patchFile returns the source of a file with all of its places changed.
//
// Errors: a place does not occur exactly once; then nothing is changed.
func patchFile(p filePatch, source []byte) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, p.path, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var edits []edit
	for _, at := range p.places {
		found := at.find(fset, file, source)
		if len(found) != 1 {
			return nil, fmt.Errorf("%s: %s has the expression %s %d times instead of once", p.path, at.function, at.want, len(found))
		}
		edits = append(edits, found[0])
	}
	slices.SortFunc(edits, func(a, b edit) int { return b.start - a.start }) // last first, so that the offsets stay valid
	out := slices.Clone(source)
	for _, e := range edits {
		out = slices.Replace(out, e.start, e.end, []byte(e.text)...)
	}
	return out, nil
}

// find returns the edits for all occurrences of a place.
func (p place) find(fset *token.FileSet, file *ast.File, source []byte) []edit {
	var edits []edit
	check := func(from, to token.Pos) {
		start, end := fset.Position(from).Offset, fset.Position(to).Offset
		text := string(source[start:end])
		if !p.matches(text) {
			return
		}
		if p.spread {
			text = strings.Replace(text, "newInformer(clientState, ", "", 1)
			text = strings.TrimSuffix(text, ")")
		}
		edits = append(edits, edit{start, end, p.call + "(" + text + ")"})
	}
	for _, decl := range file.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Name.Name != p.function || f.Body == nil {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ReturnStmt:
				if len(n.Results) > 0 {
					check(n.Results[0].Pos(), n.Results[len(n.Results)-1].End())
				}
			case *ast.KeyValueExpr:
				check(n.Value.Pos(), n.Value.End())
			}
			return true
		})
	}
	return edits
}

// matches reports whether an expression is the place's.
func (p place) matches(text string) bool {
	text = strings.Join(strings.Fields(text), "")
	if start, open := strings.CutSuffix(p.want, "…"); open {
		return strings.HasPrefix(text, start)
	}
	return text == p.want
}

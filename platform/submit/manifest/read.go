package manifest

import (
	"context"
	"errors"
	"io"

	"go.yaml.in/yaml/v3"
)

// errSearched reports that the budget for the search for syntax mistakes is used up.
var errSearched = errors.New("the search for mistakes has used up its budget")

// searchBudget returns how many bytes of a file may be decoded again to find the places of its
// syntax mistakes. It suffices for the first mistake of any file, and for ten in a file that
// people write.
func searchBudget(file int) int64 { return 7*int64(file) + 1<<20 }

// reader passes a text to the YAML library, and counts its bytes. The library reads small pieces,
// so it stops soon after ctx ends or the budget is used up.
type reader struct {
	ctx    context.Context
	text   []byte
	budget *int64 // nil for no limit
	err    error  // why it stopped; the library does not wrap it
}

// Read implements io.Reader.
func (r *reader) Read(p []byte) (n int, err error) {
	switch {
	case r.ctx.Err() != nil:
		r.err = context.Cause(r.ctx)
		return 0, r.err
	case len(r.text) == 0:
		return 0, io.EOF
	}
	if n = copy(p, r.text); r.budget != nil {
		if *r.budget < int64(n) {
			r.err = errSearched
			return 0, r.err
		}
		*r.budget -= int64(n)
	}
	r.text = r.text[n:]
	return n, nil
}

// decode returns the roots of the documents of a text.
func (d *decoder) decode(text []byte) ([]*yaml.Node, error) {
	return (&reader{ctx: d.ctx, text: text}).nodes()
}

// searching is decode within the budget of the search for mistakes.
//
// Errors: errSearched.
func (d *decoder) searching(text []byte) ([]*yaml.Node, error) {
	return (&reader{ctx: d.ctx, text: text, budget: &d.search}).nodes()
}

// nodes decodes the documents of the text.
func (r *reader) nodes() (all []*yaml.Node, err error) {
	for decoder := yaml.NewDecoder(r); ; {
		var doc yaml.Node
		err := decoder.Decode(&doc)
		switch {
		case r.err != nil:
			return nil, r.err
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, err
		}
		root := doc.Content[0]
		if root.Kind == yaml.ScalarNode && root.ShortTag() == "!!null" {
			continue // only comments
		}
		all = append(all, root)
	}
}

package template

import (
	"fmt"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"

	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// node is a compiled value of an object: a scalar, a text with expressions, a mapping or a
// list. It never changes.
type node struct {
	line   int
	scalar any
	text   *text
	fields []field
	items  []*node
	kind   kind
	when   *expression // nil: the value is always present
}

type kind int

const (
	scalarKind kind = iota
	textKind
	mapKind
	listKind
)

// field is an entry of a mapping. Its name may have expressions.
type field struct {
	name  *text
	line  int
	value *node
}

// text consists of fixed parts and expressions.
type text struct{ parts []piece }

type piece struct {
	fixed string
	expr  *expression
}

// fixedText returns the text if it has no expression.
func (t *text) fixedText() (string, bool) {
	switch {
	case len(t.parts) == 0:
		return "", true
	case len(t.parts) == 1 && t.parts[0].expr == nil:
		return t.parts[0].fixed, true
	}
	return "", false
}

// alone returns the expression if it is the whole text, or nil.
func (t *text) alone() *expression {
	if len(t.parts) == 1 {
		return t.parts[0].expr
	}
	return nil
}

// parameter returns the parameter of a text with exactly one parameter, or "".
func (t *text) parameter() string {
	name := ""
	for _, p := range t.parts {
		if p.expr == nil {
			continue
		}
		for _, used := range p.expr.uses {
			if name != "" && name != used {
				return ""
			}
			name = used
		}
	}
	return name
}

// isTextual reports whether a text may contain an expression of the type.
func isTextual(t *cel.Type) bool {
	switch t.Kind() {
	case types.ListKind, types.MapKind, types.OpaqueKind, types.NullTypeKind:
		return false
	}
	return isData(t)
}

// rendering evaluates the nodes of an object, and collects all errors.
type rendering struct {
	evaluation
	failed func(line int, parameter string, err error)
}

// render returns the value of a node with its place. keep is false if the value is absent.
func (r *rendering) render(n *node) (value any, place *manifest.Place, keep bool) {
	place = &manifest.Place{Line: n.line}
	if n.when != nil && !r.holds(n.when) {
		return nil, place, false
	}
	switch n.kind {
	case mapKind:
		value = r.mapping(n, place)
		return value, place, true
	case listKind:
		items := []any{}
		for _, item := range n.items {
			v, below, keep := r.render(item)
			if keep {
				items, place.Items = append(items, v), append(place.Items, below)
			}
		}
		return items, place, true
	case textKind:
		place.Parameter = n.text.parameter()
		v, keep, err := r.textOf(n.text)
		if err != nil {
			r.failed(n.line, place.Parameter, err)
		}
		return v, place, keep
	}
	return n.scalar, place, n.scalar != nil
}

func (r *rendering) holds(e *expression) bool {
	v, err := r.eval(e)
	if err != nil {
		r.failed(e.line, e.parameter(), err)
		return false
	}
	return v == types.True
}

func (r *rendering) mapping(n *node, place *manifest.Place) map[string]any {
	fields := map[string]any{}
	place.Fields = map[string]*manifest.Place{}
	for _, f := range n.fields {
		name, keep, err := r.textOf(f.name)
		if err != nil {
			r.failed(f.line, f.name.parameter(), err)
			continue
		}
		word, ok := name.(string)
		switch {
		case !keep:
			continue
		case !ok || word == "":
			r.failed(f.line, f.name.parameter(), fmt.Errorf("the name of a field must be a text that is not empty"))
			continue
		}
		v, below, keep := r.render(f.value)
		if _, twice := fields[word]; twice {
			r.failed(f.line, f.name.parameter(), fmt.Errorf("the field %s is there twice", clip(word)))
			continue
		}
		below.Line = f.line
		if below.Parameter == "" {
			below.Parameter = f.name.parameter()
		}
		place.Fields[word] = below // also of an absent field, which the server may report
		if keep {
			fields[word] = v
		}
	}
	return fields
}

// textOf returns the value of a text: the value of its only expression, or else a string.
func (r *rendering) textOf(t *text) (value any, keep bool, err error) {
	if e := t.alone(); e != nil {
		v, err := r.eval(e)
		if err != nil {
			return nil, false, err
		}
		return r.native(v, 0)
	}
	var whole strings.Builder
	for _, p := range t.parts {
		if p.expr == nil {
			r.size += len(p.fixed)
			whole.WriteString(p.fixed)
			continue
		}
		v, err := r.eval(p.expr)
		if err != nil {
			return nil, false, err
		}
		v2, keep, err := r.native(v, 0)
		switch {
		case err != nil:
			return nil, false, err
		case !keep:
			return nil, false, fmt.Errorf("the expression %s within a text has no value", clip(p.expr.text))
		}
		switch v2 := v2.(type) {
		case map[string]any, []any:
			return nil, false, fmt.Errorf("the expression %s within a text is a list or a mapping", clip(p.expr.text))
		default:
			fmt.Fprint(&whole, v2)
		}
	}
	return whole.String(), true, nil
}

// addUses adds the parameters that a node depends on.
func (n *node) addUses(used map[string]bool) {
	if n.when != nil {
		addAll(used, n.when.uses)
	}
	if n.text != nil {
		n.text.addUses(used)
	}
	for _, f := range n.fields {
		f.name.addUses(used)
		f.value.addUses(used)
	}
	for _, item := range n.items {
		item.addUses(used)
	}
}

func (t *text) addUses(used map[string]bool) {
	for _, p := range t.parts {
		if p.expr != nil {
			addAll(used, p.expr.uses)
		}
	}
}

func addAll(used map[string]bool, names []string) {
	for _, name := range names {
		used[name] = true
	}
}

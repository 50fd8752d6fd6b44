package template

import (
	"strings"

	"cel.dev/cel-go/cel"
	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// ifField is the field of a mapping whose expression decides whether the mapping is
// present.
const ifField = "$if"

// maxNodes is the maximum number of values in the object of a template.
const maxNodes = 5000

// objects compiles the object of a template.
type objects struct {
	*expressions
	nodes int
}

// object compiles the object of a template for a type. It returns nil after a mistake.
func (p *objects) object(n *yaml.Node, typ string) *node {
	switch n.Kind {
	case yaml.MappingNode:
	case yaml.AliasNode:
		return nil // yamlfile has reported a mistake
	default:
		p.Complain(n.Line, "object must be a mapping with apiVersion, kind, metadata and spec")
		return nil
	}
	object := p.node(n, 0)
	_, group, _ := strings.Cut(typ, ".")
	for _, name := range []string{"apiVersion", "kind"} {
		word, line := "", n.Line
		for _, f := range object.fields {
			if fixed, ok := f.name.fixedText(); ok && fixed == name {
				word, _ = f.value.scalar.(string)
				line = f.line
			}
		}
		served, _, named := strings.Cut(word, "/")
		switch {
		case word == "":
			p.Complain(line, "the object's %s is missing, or is no text without expressions", name)
		case name == "apiVersion" && typ != "" && (named && served != group || !named && group != ""):
			p.Complain(line, "the object is of %s, and the template's type is %s", clip(word), clip(typ))
		}
	}
	return object
}

// node compiles a value.
func (p *objects) node(n *yaml.Node, depth int) *node {
	out := &node{line: n.Line}
	if p.nodes++; p.nodes > maxNodes || depth > maxDepth {
		if p.nodes <= maxNodes+1 {
			p.Complain(n.Line, "an object has at most %d values, nested at most %d deep", maxNodes, maxDepth)
		}
		p.nodes = maxNodes + 1
		return out
	}
	switch n.Kind {
	case yaml.MappingNode:
		p.mapping(n, out, depth)
		return out
	case yaml.SequenceNode:
		out.kind = listKind
		for _, item := range n.Content {
			out.items = append(out.items, p.node(item, depth+1))
		}
		return out
	case yaml.AliasNode:
		return out // yamlfile has reported a mistake
	}
	v, err := manifest.Scalar(n)
	if err != nil {
		p.Complain(n.Line, "%v", err)
		return out
	}
	out.scalar = v
	if _, isString := v.(string); !isString {
		return out
	}
	t, ok := p.textOf(n)
	if !ok {
		return out
	}
	if fixed, ok := t.fixedText(); ok {
		out.scalar = fixed // with escapes resolved
		return out
	}
	out.scalar, out.kind, out.text = nil, textKind, t
	return out
}

func (p *objects) mapping(n *yaml.Node, out *node, depth int) {
	out.kind = mapKind
	lines := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.ShortTag() == "!!merge" {
			p.Complain(key.Line, "the name of a field must be a text")
			continue
		}
		if before, twice := lines[key.Value]; twice {
			p.Complain(key.Line, "the field %s is in line %d already", clip(key.Value), before)
			continue
		}
		lines[key.Value] = key.Line
		if key.Value == ifField {
			if depth == 0 {
				p.Complain(key.Line, "the object itself cannot have %s", ifField)
			}
			out.when = p.condition(value, key.Line, ifField)
			continue
		}
		name, ok := p.textOf(key)
		below := p.node(value, depth+1)
		if !ok {
			continue
		}
		if e := name.alone(); e != nil && !e.out.IsExactType(cel.DynType) && !e.out.IsAssignableType(cel.StringType) {
			p.Complain(key.Line, "%s is %s, and the name of a field must be a text", clip(e.text), cel.FormatCELType(e.out))
		}
		out.fields = append(out.fields, field{name, key.Line, below})
	}
}

package template

import (
	"strings"

	"cel.dev/cel-go/cel"
	"go.yaml.in/yaml/v3"
)

// expressions compiles the expressions of a template's file.
type expressions struct {
	*reader
	c *compiler
}

// condition compiles an expression that is true or false.
func (p *expressions) condition(n *yaml.Node, line int, what string) *expression {
	switch {
	case n == nil:
		p.Complain(line, "%s is missing: it is an expression such as gpus <= 8", what)
		return nil
	case n.Kind != yaml.ScalarNode:
		p.Complain(n.Line, "%s must be an expression", what)
		return nil
	}
	e := p.compile(n.Value, firstLine(n))
	if e != nil && !e.out.IsExactType(cel.BoolType) && !e.out.IsExactType(cel.DynType) {
		p.Complain(e.line, "%s is %s, and must be true or false", clip(e.text), cel.FormatCELType(e.out))
	}
	return e
}

func (p *expressions) compile(text string, line int) *expression {
	e, issues := p.c.compile(text, line)
	for _, i := range issues {
		p.Complain(i.line, "%s", i.text)
	}
	return e
}

// textOf compiles a text with its expressions. ok is false after a mistake.
func (p *expressions) textOf(n *yaml.Node) (t *text, ok bool) {
	if n == nil {
		return nil, false
	}
	if n.Kind != yaml.ScalarNode {
		p.Complain(n.Line, "this must be a text")
		return nil, false
	}
	parts, err := split(n.Value)
	if err != nil {
		p.Complain(n.Line, "%v", err)
		return nil, false
	}
	if fixed := strings.TrimSpace(n.Value); len(parts) > 1 && strings.HasPrefix(fixed, "${") && n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		parts = trim(parts) // a block ends with a line break
	}
	t, ok = &text{}, true
	for _, part := range parts {
		if !part.isCEL {
			t.parts = append(t.parts, piece{fixed: part.fixed})
			continue
		}
		e := p.compile(part.expr, firstLine(n)+part.line)
		if e == nil {
			ok = false
			continue
		}
		alone := len(parts) == 1
		switch {
		case alone && !isData(e.out):
			p.Complain(e.line, "%s is %s, and an object cannot have it", clip(e.text), cel.FormatCELType(e.out))
		case !alone && !isTextual(e.out):
			p.Complain(e.line, "%s is %s, and cannot be a part of a text", clip(e.text), cel.FormatCELType(e.out))
		}
		t.parts = append(t.parts, piece{expr: e})
	}
	return t, ok
}

// trim removes white space around the only expression of a text.
func trim(parts []part) []part {
	var only []part
	for _, p := range parts {
		if p.isCEL || strings.TrimSpace(p.fixed) != "" {
			only = append(only, p)
		}
	}
	if len(only) == 1 {
		return only
	}
	return parts
}

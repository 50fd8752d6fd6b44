package template

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// maxParameters is the maximum number of parameters of a template.
const maxParameters = 100

var parameterName = regexp.MustCompile(`^[a-z][A-Za-z0-9]{0,39}$`)

// declarations reads the parameters of a template.
type declarations struct {
	*reader
	all []Parameter
}

func (p *declarations) parameters(n *yaml.Node) {
	all := p.List(n, n.Line, "parameters")
	if len(all) > maxParameters {
		p.Complain(n.Line, "there are %d parameters; at most %d are allowed", len(all), maxParameters)
		return
	}
	for _, n := range all {
		if param, ok := p.parameter(n); ok {
			p.all = append(p.all, param)
		}
	}
}

// parameter reads the declaration of a parameter.
func (p *declarations) parameter(n *yaml.Node) (param Parameter, ok bool) {
	before := p.Count()
	f := p.Fields(n, "a parameter", "name", "type", "title", "help", "group", "default", "required", "min", "max", "pattern", "choices", "unit")
	if n.Kind != yaml.MappingNode {
		return param, false
	}
	param = Parameter{
		Name: p.Word(f["name"], "name"), Type: Type(p.Word(f["type"], "type")), Line: n.Line,
		Title: p.prose(f["title"], "title"), Help: p.prose(f["help"], "help"), Group: p.prose(f["group"], "group"), Unit: p.prose(f["unit"], "unit"),
		Required: p.Truth(f["required"], "required"), Pattern: p.Word(f["pattern"], "pattern"), Choices: p.Words(f["choices"], "choices"),
	}
	if param.Type == "" {
		param.Type = Text
	}
	p.name(&param, n.Line)
	if !slices.Contains(allTypes, param.Type) {
		p.Complain(f["type"].Line, "there is no type %s; there are %s", clip(string(param.Type)), joinTypes())
		return param, false
	}
	p.choices(&param, f["choices"], n.Line)
	p.pattern(&param, f["pattern"])
	param.Min, param.Max = p.bound(&param, f["min"], "min"), p.bound(&param, f["max"], "max")
	if p.Count() == before {
		p.defaultOf(&param, f["default"])
	}
	return param, p.Count() == before
}

func (p *declarations) name(param *Parameter, line int) {
	switch {
	case !parameterName.MatchString(param.Name):
		p.Complain(line, "the parameter's name %s must begin with a small letter, and have at most 40 letters and digits", clip(param.Name))
	case slices.Contains(reserved, param.Name):
		p.Complain(line, "no parameter can be called %s, which is a word of CEL", param.Name)
	case slices.ContainsFunc(p.all, func(other Parameter) bool { return other.Name == param.Name }):
		p.Complain(line, "there are two parameters with the name %s", param.Name)
	}
}

func (p *declarations) choices(param *Parameter, n *yaml.Node, line int) {
	switch {
	case param.Type == Choice && len(param.Choices) == 0:
		p.Complain(line, "the parameter %s needs choices", param.Name)
	case param.Type != Choice && n != nil:
		p.Complain(n.Line, "choices are for parameters of type choice, and %s is of type %s", param.Name, param.Type)
	}
	for i, c := range param.Choices {
		if slices.Contains(param.Choices[:i], c) || !isText(c) || len(c) > maxText {
			p.Complain(n.Line, "the choice %s is there twice, is too long, or has control characters", clip(c))
		}
	}
}

func (p *declarations) pattern(param *Parameter, n *yaml.Node) {
	if n == nil {
		return
	}
	if !slices.Contains([]Type{Text, List, Map}, param.Type) {
		p.Complain(n.Line, "pattern is for parameters of type text, list or map, and %s is of type %s", param.Name, param.Type)
		return
	}
	compiled, err := regexp.Compile("^(?:" + param.Pattern + ")$")
	if err != nil || len(param.Pattern) > maxExpression {
		p.Complain(n.Line, "the pattern is no regular expression: %v", err)
		return
	}
	param.pattern = compiled
}

// bound reads min or max.
func (p *declarations) bound(param *Parameter, n *yaml.Node, what string) any {
	if n == nil {
		return nil
	}
	var v any
	if n.Kind == yaml.ScalarNode {
		v, _ = manifest.Scalar(n) // nil means no bound
	}
	ok := false
	switch param.Type {
	case Integer, Text, List, Map:
		v, ok = integer(v)
	case Number:
		v, ok = number(v)
	case Quantity:
		if v, ok = quantityText(v); ok {
			bound, _ := v.(string)
			_, ok = parseQuantity(bound)
		}
	default:
		p.Complain(n.Line, "%s is not for parameters of type %s", what, param.Type)
		return nil
	}
	if !ok {
		p.Complain(n.Line, "%s of the parameter %s must be %s", what, param.Name, boundWords(param))
		return nil
	}
	return v
}

func boundWords(param *Parameter) string {
	switch param.Type {
	case Number, Quantity:
		return param.wants()
	}
	return "a whole number"
}

// defaultOf reads the default, and converts it like a value from a user.
func (p *declarations) defaultOf(param *Parameter, n *yaml.Node) {
	if n == nil {
		return
	}
	if param.Required {
		p.Complain(n.Line, "the parameter %s is required, and its default would never be used: leave one of them out", param.Name)
		return
	}
	v, err := plainValue(n)
	if err == nil && v == nil {
		return // treated as missing
	}
	if err == nil {
		param.Default, err = param.Convert(v)
	}
	if err != nil {
		p.Complain(n.Line, "the default of %s: %v", param.Name, err)
	}
}

// plainValue returns a scalar, or a list or mapping of scalars.
func plainValue(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.SequenceNode:
		items := []any{}
		for _, item := range n.Content {
			v, err := manifest.Scalar(item)
			if err != nil || item.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("each item must be a text")
			}
			items = append(items, v)
		}
		return items, nil
	case yaml.MappingNode:
		fields := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			v, err := manifest.Scalar(n.Content[i+1])
			if err != nil || n.Content[i+1].Kind != yaml.ScalarNode || fields[n.Content[i].Value] != nil {
				return nil, fmt.Errorf("each field must be there once, and be a text")
			}
			fields[n.Content[i].Value] = v
		}
		return fields, nil
	case yaml.ScalarNode:
		return manifest.Scalar(n)
	}
	return nil, fmt.Errorf("must be a value")
}

func joinTypes() string {
	var words []string
	for _, t := range allTypes {
		words = append(words, string(t))
	}
	return strings.Join(words, ", ")
}

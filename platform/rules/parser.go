package rules

import (
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/internal/yamlfile"
)

// maxCost bounds one evaluation, in the units of CEL.
const maxCost = 1_000_000

// parser compiles the nodes of a file.
type parser struct {
	*yamlfile.Reader
	env *cel.Env
}

// program compiles an expression. Texts may be of any type: they are converted.
func (p *parser) program(n *yaml.Node, want *cel.Type) cel.Program {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.ScalarNode {
		p.Complain(n.Line, "an expression must be a text")
		return nil
	}
	line := n.Line
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		line++ // the text begins below its | or >
	}
	ast, issues := p.env.Compile(n.Value)
	if issues.Err() != nil {
		for _, e := range issues.Errors() {
			p.Complain(line+e.Location.Line()-1, "in %q, at column %d: %s", first(n.Value), e.Location.Column()+1, e.Message)
		}
		return nil
	}
	if out := ast.OutputType(); want == cel.BoolType && !out.IsExactType(cel.BoolType) && !out.IsExactType(cel.DynType) {
		p.Complain(line, "%q is %s, and must be true or false", first(n.Value), cel.FormatCELType(out))
		return nil
	}
	if want == cel.TimestampType && !slices.ContainsFunc([]*cel.Type{cel.TimestampType, cel.StringType, cel.DynType}, ast.OutputType().IsExactType) {
		p.Complain(line, "%q is %s, and must be a timestamp, or a text such as 2026-01-01T00:00:00Z", first(n.Value), cel.FormatCELType(ast.OutputType()))
		return nil
	}
	program, err := p.env.Program(ast, cel.CostLimit(maxCost))
	if err != nil {
		p.Complain(line, "%v", err)
	}
	return program
}

// first is the first line of an expression, for messages.
func first(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more {
		return line + " …"
	}
	return line
}

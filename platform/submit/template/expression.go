package template

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types/ref"
)

// Limits of expressions.
const (
	maxExpression = 4 << 10   // bytes
	maxCost       = 100_000   // of one expression, in the units of CEL; a few milliseconds
	maxTotalCost  = 2_000_000 // of all expressions of a template
)

// expression is an expression in CEL over the parameters, compiled. It never changes.
type expression struct {
	text    string
	line    int
	program cel.Program
	out     *cel.Type
	uses    []string // the parameters, unordered
}

// parameter returns the parameter of an expression with exactly one parameter, or "".
func (e *expression) parameter() string {
	if len(e.uses) == 1 {
		return e.uses[0]
	}
	return ""
}

// compiler compiles the expressions of a template.
type compiler struct {
	env        *cel.Env
	parameters []string
}

// reserved are the names of CEL's types and values.
var reserved = []string{
	"bool", "bytes", "double", "duration", "dyn", "int", "list", "map", "optional", "string", "timestamp", "type", "uint", "true", "false", "null", "in",
	"as", "break", "const", "continue", "else", "for", "function", "if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while",
}

// newCompiler returns a compiler for expressions over the parameters.
func newCompiler(parameters []Parameter) (*compiler, error) {
	options := append(functions(), cel.OptionalTypes(),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateComprehensionNestingLimit(2)))
	c := &compiler{}
	for _, p := range parameters {
		options = append(options, cel.Variable(p.Name, p.variable()))
		c.parameters = append(c.parameters, p.Name)
	}
	var err error
	c.env, err = cel.NewEnv(options...)
	return c, err
}

// variable returns the type of the variable. A list or map is never null; other parameters
// are null without a value and a default.
func (p *Parameter) variable() *cel.Type {
	switch p.Type {
	case Integer:
		return cel.NullableType(cel.IntType)
	case Number:
		return cel.NullableType(cel.DoubleType)
	case Boolean:
		return cel.NullableType(cel.BoolType)
	case List:
		return cel.ListType(cel.StringType)
	case Map:
		return cel.MapType(cel.StringType, cel.StringType)
	}
	return cel.NullableType(cel.StringType)
}

// issue is a mistake in an expression. Its line counts from the first line of the
// expression.
type issue struct {
	line int
	text string
}

// compile compiles an expression whose first line is the given one.
func (c *compiler) compile(text string, line int) (*expression, []issue) {
	if len(text) > maxExpression {
		return nil, []issue{{line, fmt.Sprintf("an expression of %d bytes is refused; at most %d are allowed", len(text), maxExpression)}}
	}
	if strings.TrimSpace(text) == "" {
		return nil, []issue{{line, "the expression is empty"}}
	}
	compiled, issues := c.env.Compile(text)
	if issues.Err() != nil {
		var all []issue
		for _, e := range issues.Errors() {
			all = append(all, issue{line + max(e.Location.Line()-1, 0), fmt.Sprintf("in %s, at column %d: %s", clip(text), max(e.Location.Column()+1, 1), e.Message)})
		}
		return nil, all
	}
	program, err := c.env.Program(compiled, cel.CostLimit(maxCost), cel.EvalOptions(cel.OptTrackCost))
	if err != nil {
		return nil, []issue{{line, fmt.Sprintf("in %s: %v", clip(text), err)}}
	}
	e := &expression{text: text, line: line, program: program, out: compiled.OutputType()}
	for _, n := range ast.MatchDescendants(ast.NavigateAST(compiled.NativeRep()), ast.KindMatcher(ast.IdentKind)) {
		if name := n.AsIdent(); slices.Contains(c.parameters, name) && !slices.Contains(e.uses, name) {
			e.uses = append(e.uses, name)
		}
	}
	return e, nil
}

// evaluation evaluates expressions with the values of a render, within its limits.
type evaluation struct {
	variables map[string]any
	cost      uint64
	size      int
}

// eval evaluates an expression.
//
// Errors: it failed, or the expressions cost too much.
func (ev *evaluation) eval(e *expression) (ref.Val, error) {
	if ev.cost > maxTotalCost {
		return nil, fmt.Errorf("all expressions together cost too much")
	}
	out, details, err := e.program.Eval(ev.variables)
	if details != nil {
		if cost := details.ActualCost(); cost != nil {
			ev.cost += *cost
		}
	}
	if err != nil {
		return nil, fmt.Errorf("the expression %s failed: %s", clip(e.text), err)
	}
	return out, nil
}

package rule

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"

	"github.com/vedette-io/vedette/internal/printable"
)

// MaxCost is the maximum cost of one evaluation of a condition, in the units of CEL. It
// takes a few milliseconds.
const MaxCost = 100_000

// maxCondition is the maximum number of bytes of a condition.
const maxCondition = 16 << 10

// Condition is an expression in CEL over old and new, compiled. It never changes.
type Condition struct {
	text    string
	program cel.Program
}

// Issue is a mistake in a condition. Line and Column count from 1. Text is one line: CEL's
// messages quote the condition, so line breaks and control characters are escaped.
type Issue struct {
	Line, Column int
	Text         string
}

// ConditionError has all mistakes of a condition.
type ConditionError struct {
	Condition string
	Issues    []Issue
}

// Error implements error.
func (e *ConditionError) Error() string {
	var lines []string
	for _, i := range e.Issues {
		lines = append(lines, fmt.Sprintf("in %q, at column %d of line %d: %s", first(e.Condition), i.Column, i.Line, i.Text))
	}
	return strings.Join(lines, "; ")
}

// environment has the variables and functions of conditions.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	p, err := newProvider()
	if err != nil {
		return nil, err
	}
	view := cel.ObjectType(viewType)
	return cel.NewEnv(cel.CustomTypeProvider(p), cel.OptionalTypes(), cel.Variable("old", view), cel.Variable("new", view),
		cel.ASTValidators(cel.ValidateRegexLiterals(), cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateComprehensionNestingLimit(2)))
})

// ParseCondition compiles an expression and checks its types.
//
// Errors: a *ConditionError with all mistakes.
func ParseCondition(text string) (*Condition, error) {
	fail := func(format string, args ...any) (*Condition, error) {
		return nil, &ConditionError{text, []Issue{{1, 1, fmt.Sprintf(format, args...)}}}
	}
	env, err := environment()
	if err != nil {
		return nil, err
	}
	if len(text) > maxCondition {
		return fail("a condition of more than %d bytes is refused", maxCondition)
	}
	compiled, issues := env.Compile(text)
	if issues.Err() != nil {
		bad := &ConditionError{Condition: text}
		for _, e := range issues.Errors() {
			bad.Issues = append(bad.Issues, Issue{e.Location.Line(), max(e.Location.Column()+1, 1), printable.Line(e.Message)})
		}
		return nil, bad
	}
	if values := ast.MatchDescendants(ast.NavigateAST(compiled.NativeRep()), ast.KindMatcher(ast.StructKind)); len(values) > 0 {
		return fail("a value of type %s cannot be made; there are old and new", values[0].AsStruct().TypeName())
	}
	if out := compiled.OutputType(); !out.IsExactType(cel.BoolType) {
		return fail("it is %s, and must be true or false", cel.FormatCELType(out))
	}
	program, err := env.Program(compiled, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(MaxCost))
	if err != nil {
		return fail("%v", err)
	}
	return &Condition{text, program}, nil
}

// String returns the expression as it was written.
func (c *Condition) String() string { return c.text }

// Holds evaluates the expression.
//
// Errors: the evaluation failed or cost too much. A missing label or time is not an error:
// the expression does not hold.
func (c *Condition) Holds(in *Input) (bool, error) {
	return c.holds(newEvaluation(in))
}

func (c *Condition) holds(e *evaluation) (bool, error) {
	out, _, err := c.program.Eval(e)
	switch {
	case err == nil:
		return out == types.True, nil
	case isMissing(err):
		return false, nil
	}
	return false, fmt.Errorf("the condition %q failed on %s: %w", first(c.text), e.old.in.Object.Type, err)
}

// mayHold reports whether the expression may be true if only the states are known.
func (c *Condition) mayHold(in *Input) bool {
	out, _, err := c.program.Eval(&evaluation{unknownSide(in, &in.Old), unknownSide(in, &in.New)})
	return err == nil && out != types.False || err != nil && !isMissing(err)
}

// first returns the beginning of an expression, for errors.
func first(text string) string {
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	if runes := []rune(line); len(runes) > 80 {
		line, more = string(runes[:80]), true
	}
	if more {
		return line + " …"
	}
	return line
}

// isMissing reports whether an evaluation failed because a label or a value is missing.
// CEL has no type for the error of a missing key.
func isMissing(err error) bool {
	return errors.Is(err, errMissing) || strings.Contains(err.Error(), "no such key")
}

// evaluation has the variables of a condition for one input.
type evaluation struct{ old, new side }

func newEvaluation(in *Input) *evaluation {
	return &evaluation{newSide(in, &in.Old), newSide(in, &in.New)}
}

// ResolveName implements interpreter.Activation.
func (e *evaluation) ResolveName(name string) (any, bool) {
	switch name {
	case "old":
		return &e.old, true
	case "new":
		return &e.new, true
	}
	return nil, false
}

// Parent implements interpreter.Activation.
func (e *evaluation) Parent() interpreter.Activation { return nil }

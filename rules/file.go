package rules

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/ext"
	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/state"
)

const (
	maxFile = 1 << 20
	maxCost = 1_000_000
)

// states are those that a rule may name; "" is that of a type's own word alone.
var states = []state.State{
	"", state.Submitted, state.Queued, state.Suspended, state.Starting, state.Running, state.Restarting, state.Succeeded, state.Failed, state.Aborted,
}

// Load reads the rules of a file.
//
// Errors: the file can not be read; its mistakes.
func Load(path string) (*Rules, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	return Parse(path, text)
}

// Parse reads rules; name stands before the line in errors.
//
// Errors: its mistakes.
func Parse(name string, text []byte) (*Rules, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s: rules of more than %d bytes are refused", name, maxFile)
	}
	p, err := newParser(name)
	if err != nil {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rules := &Rules{types: map[string][]clause{}}
	if len(doc.Content) > 0 {
		p.document(doc.Content[0], rules)
	}
	if len(p.mistakes) > 0 {
		return nil, errors.Join(p.mistakes...)
	}
	return rules, nil
}

// parser reads nodes of YAML, which know their lines, and notes all mistakes.
type parser struct {
	name     string
	env      *cel.Env
	mistakes []error
}

func newParser(name string) (*parser, error) {
	env, err := cel.NewEnv(cel.Variable("object", cel.MapType(cel.StringType, cel.DynType)), cel.OptionalTypes(), ext.Strings(), ext.Lists())
	return &parser{name: name, env: env}, err
}

func (p *parser) complain(line int, format string, args ...any) {
	p.mistakes = append(p.mistakes, fmt.Errorf("%s:%d: "+format, append([]any{p.name, line}, args...)...))
}

// fields returns the values of a mapping by their names; those that are not known
// are mistakes.
func (p *parser) fields(n *yaml.Node, what string, known ...string) map[string]*yaml.Node {
	found := map[string]*yaml.Node{}
	if n.Kind != yaml.MappingNode {
		p.complain(n.Line, "%s has to be a mapping with %s", what, strings.Join(known, ", "))
		return found
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		switch {
		case !slices.Contains(known, name.Value):
			p.complain(name.Line, "%s has no field %q; it has %s", what, name.Value, strings.Join(known, ", "))
		case found[name.Value] != nil:
			p.complain(name.Line, "%s has %q twice", what, name.Value)
		}
		found[name.Value] = n.Content[i+1]
	}
	return found
}

// list returns the items of a sequence.
func (p *parser) list(n *yaml.Node, line int, what string) []*yaml.Node {
	switch {
	case n == nil:
		p.complain(line, "%s is missing", what)
	case n.Kind != yaml.SequenceNode:
		p.complain(n.Line, "%s has to be a list", what)
	default:
		return n.Content
	}
	return nil
}

// word returns a text that is no expression.
func (p *parser) word(n *yaml.Node, what string) string {
	if n == nil {
		return ""
	}
	if n.Kind != yaml.ScalarNode {
		p.complain(n.Line, "%s has to be a word", what)
	}
	return n.Value
}

func (p *parser) document(n *yaml.Node, rules *Rules) {
	f := p.fields(n, "the file", "rules")
	for _, n := range p.list(f["rules"], n.Line, "rules") {
		p.rule(n, rules)
	}
}

func (p *parser) rule(n *yaml.Node, rules *Rules) {
	f := p.fields(n, "a rule", "group", "kind", "states")
	group, kind := p.word(f["group"], "group"), p.word(f["kind"], "kind")
	if kind == "" {
		p.complain(n.Line, "a rule needs the kind of its type, such as PyTorchJob")
	}
	if strings.Contains(group, "/") {
		p.complain(f["group"].Line, "group %q: leave out the version; a rule is for all of them", group)
	}
	name := group + "/" + kind
	if rules.types[name] != nil {
		p.complain(n.Line, "there are two rules for %s", strings.TrimSuffix(kind+"."+group, "."))
	}
	all := p.list(f["states"], n.Line, "states")
	if len(all) == 0 && f["states"] != nil {
		p.complain(n.Line, "a rule needs at least one state")
	}
	for _, n := range all {
		rules.types[name] = append(rules.types[name], p.clause(n))
	}
}

func (p *parser) clause(n *yaml.Node) clause {
	f := p.fields(n, "a state", "when", "state", "raw", "reason", "message", "at")
	c := clause{
		state: state.State(p.word(f["state"], "state")),
		raw:   p.program(f["raw"], cel.StringType), reason: p.program(f["reason"], cel.StringType), message: p.program(f["message"], cel.StringType),
		at: p.program(f["at"], cel.TimestampType),
	}
	if !slices.Contains(states, c.state) {
		p.complain(f["state"].Line, "there is no state %q; there are %s", c.state, join(states[1:]))
	}
	if f["when"] == nil {
		p.complain(n.Line, "when is missing; for what always holds write: when: true")
		return c
	}
	c.when = p.program(f["when"], cel.BoolType)
	return c
}

func join(states []state.State) string {
	var words []string
	for _, s := range states {
		words = append(words, string(s))
	}
	return strings.Join(words, ", ")
}

// program compiles an expression. Texts may be of any type: they are converted.
func (p *parser) program(n *yaml.Node, want *cel.Type) cel.Program {
	if n == nil {
		return nil
	}
	if n.Kind != yaml.ScalarNode {
		p.complain(n.Line, "an expression has to be a text")
		return nil
	}
	line := n.Line
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		line++ // it begins below its | or >
	}
	ast, issues := p.env.Compile(n.Value)
	if issues.Err() != nil {
		for _, e := range issues.Errors() {
			p.complain(line+e.Location.Line()-1, "in %q, at column %d: %s", first(n.Value), e.Location.Column()+1, e.Message)
		}
		return nil
	}
	if out := ast.OutputType(); want == cel.BoolType && !out.IsExactType(cel.BoolType) && !out.IsExactType(cel.DynType) {
		p.complain(line, "%q is %s, and has to be true or false", first(n.Value), cel.FormatCELType(out))
		return nil
	}
	if want == cel.TimestampType && !slices.ContainsFunc([]*cel.Type{cel.TimestampType, cel.StringType, cel.DynType}, ast.OutputType().IsExactType) {
		p.complain(line, "%q is %s, and has to be a timestamp, or a text such as 2026-01-01T00:00:00Z", first(n.Value), cel.FormatCELType(ast.OutputType()))
		return nil
	}
	program, err := p.env.Program(ast, cel.CostLimit(maxCost))
	if err != nil {
		p.complain(line, "%v", err)
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

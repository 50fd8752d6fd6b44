package rules

import (
	"fmt"
	"slices"
	"strings"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/ext"
	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/internal/yamlfile"
	"github.com/vedette-io/vedette/job"
)

// states are the states that a rule may have; "" means that only the type's own word is
// shown.
var states = append([]job.State{""}, slices.DeleteFunc(job.States(), func(s job.State) bool { return s == job.Deleted })...)

// Load reads the rules of a file.
//
// Errors: the file cannot be read; its mistakes.
func Load(path string) (*Rules, error) {
	r, root, err := yamlfile.Load(path)
	if r == nil {
		return nil, fmt.Errorf("read the file with the rules: %w", err)
	}
	if err != nil {
		return nil, err
	}
	return read(r, root)
}

// Parse reads rules. In errors, name precedes the line.
//
// Errors: its mistakes.
func Parse(name string, text []byte) (*Rules, error) {
	r, root, err := yamlfile.Parse(name, text)
	if err != nil {
		return nil, err
	}
	return read(r, root)
}

func read(r *yamlfile.Reader, root *yaml.Node) (*Rules, error) {
	env, err := cel.NewEnv(cel.Variable("object", cel.MapType(cel.StringType, cel.DynType)), cel.OptionalTypes(), ext.Strings(), ext.Lists())
	if err != nil {
		return nil, err
	}
	p := &parser{Reader: r, env: env}
	rules := &Rules{types: map[string][]clause{}}
	if root == nil { // an empty file is probably a mistake
		r.Complain(1, "the file is empty; it must have rules")
	} else {
		p.document(root, rules)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return rules, nil
}

func (p *parser) document(n *yaml.Node, rules *Rules) {
	f := p.Fields(n, "the file", "rules")
	for _, n := range p.List(f["rules"], n.Line, "rules") {
		p.rule(n, rules)
	}
}

func (p *parser) rule(n *yaml.Node, rules *Rules) {
	f := p.Fields(n, "a rule", "group", "kind", "states", "resource", "pods", "suspend", "hold", "stop", "of-run")
	group, kind := p.Word(f["group"], "group"), p.Word(f["kind"], "kind")
	if kind == "" {
		p.Complain(n.Line, "a rule needs the kind of its type, such as PyTorchJob")
	}
	if strings.Contains(group, "/") {
		p.Complain(f["group"].Line, "group %q: leave out the version; a rule is for all of them", group)
	}
	name := group + "/" + kind
	if rules.types[name] != nil {
		p.Complain(n.Line, "there are two rules for %s", strings.TrimSuffix(kind+"."+group, "."))
	}
	all := p.List(f["states"], n.Line, "states")
	if len(all) == 0 && f["states"] != nil {
		p.Complain(n.Line, "a rule needs at least one state")
	}
	for _, n := range all {
		rules.types[name] = append(rules.types[name], p.clause(n))
	}
	if k := p.kind(n, f, group, kind); k != nil {
		k.Status = rules.statusOf(name, job.StatusOfPhase)
		rules.kinds = append(rules.kinds, k)
	}
}

func (p *parser) clause(n *yaml.Node) clause {
	f := p.Fields(n, "a state", "when", "state", "raw", "reason", "message", "at")
	c := clause{
		state: job.State(p.Word(f["state"], "state")),
		raw:   p.program(f["raw"], cel.StringType), reason: p.program(f["reason"], cel.StringType), message: p.program(f["message"], cel.StringType),
		at: p.program(f["at"], cel.TimestampType),
	}
	if !slices.Contains(states, c.state) {
		p.Complain(f["state"].Line, "there is no state %q; the states are %s", c.state, join(states[1:]))
	}
	if f["when"] == nil {
		p.Complain(n.Line, "when is missing; for what always holds write: when: true")
		return c
	}
	c.when = p.program(f["when"], cel.BoolType)
	return c
}

func join(states []job.State) string {
	var words []string
	for _, s := range states {
		words = append(words, string(s))
	}
	return strings.Join(words, ", ")
}

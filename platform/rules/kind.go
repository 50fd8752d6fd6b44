package rules

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/job"
)

// kindFields are the fields of a rule that make its type a type of jobs. They need resource.
var kindFields = []string{"pods", "suspend", "hold", "stop", "of-run"}

// kind reads the kind of a rule, or nil if the rule has no resource.
func (p *parser) kind(n *yaml.Node, f map[string]*yaml.Node, group, name string) *job.Kind {
	resource := p.Word(f["resource"], "resource")
	if f["resource"] == nil {
		for _, field := range kindFields {
			if f[field] != nil {
				p.Complain(f[field].Line, "%s is of no use without resource, the plural name of the type", field)
			}
		}
		return nil
	}
	if strings.ContainsAny(resource, "./ ") || resource == "" {
		p.Complain(n.Line, "resource %q: it must be the plural name of the type without its group, such as experiments", resource)
	}
	k := &job.Kind{
		Group: group, Name: name, Resource: resource, Job: true,
		Suspend: p.field(f["suspend"], "suspend"), Hold: p.field(f["hold"], "hold"), Stop: p.field(f["stop"], "stop"),
	}
	for _, n := range p.optional(f["of-run"], "of-run") {
		k.OfRun = append(k.OfRun, p.path(n, "of-run"))
	}
	p.pods(f["pods"], k)
	return k
}

// optional returns the items of a list that may be missing.
func (p *parser) optional(n *yaml.Node, what string) []*yaml.Node {
	if n == nil {
		return nil
	}
	return p.List(n, n.Line, what)
}

// pods reads how the pods of a job are found and counted.
func (p *parser) pods(n *yaml.Node, k *job.Kind) {
	if n == nil {
		return
	}
	f := p.Fields(n, "pods", "label", "label-value", "indirect", "sets")
	k.PodLabel, k.Indirect = p.Word(f["label"], "label"), f["indirect"] != nil && p.Truth(f["indirect"], "indirect")
	k.PodLabelValue = p.path(f["label-value"], "label-value")
	if k.PodLabel == "" && k.PodLabelValue != nil {
		p.Complain(f["label-value"].Line, "label-value is of no use without label")
	}
	for _, n := range p.optional(f["sets"], "sets") {
		f := p.Fields(n, "a set of pods", "count", "template")
		if f["template"] == nil {
			p.Complain(n.Line, "template is missing: the path of a pod template, such as spec.template")
		}
		k.Pods = append(k.Pods, job.PodField{Count: p.path(f["count"], "count"), Template: p.path(f["template"], "template")})
	}
}

// field reads a field that users set: true is On, and false or nothing is Off, unless the
// rule says otherwise.
func (p *parser) field(n *yaml.Node, what string) (f job.Field) {
	if n == nil {
		return f
	}
	if n.Kind != yaml.MappingNode {
		return job.Field{Path: p.settable(n, what), On: true, Off: false}
	}
	m := p.Fields(n, "a field that users set", "field", "on", "off")
	if m["field"] == nil || m["on"] == nil {
		p.Complain(n.Line, "%s needs field, such as spec.state, and on, its value", what)
	}
	return job.Field{Path: p.settable(m["field"], what), On: p.value(m["on"], "on"), Off: p.value(m["off"], "off")}
}

// settable reads the path of a field that users may set.
func (p *parser) settable(n *yaml.Node, what string) []string {
	path := p.path(n, what)
	if len(path) < 2 || path[0] != "spec" && !(path[0] == "metadata" && len(path) == 3 && path[1] == "annotations") {
		if n != nil {
			p.Complain(n.Line, "%s: the field must be in spec, such as spec.suspend, or an annotation, such as [metadata, annotations, example.com/stop]", what)
		}
		return nil
	}
	return path
}

// path reads a path: names with dots between them, or a list of names.
func (p *parser) path(n *yaml.Node, what string) []string {
	switch {
	case n == nil:
		return nil
	case n.Kind == yaml.SequenceNode:
		return p.Words(n, what)
	}
	path := strings.Split(p.Word(n, what), ".")
	if slices.Contains(path, "") {
		p.Complain(n.Line, "%s: %q is no path, such as spec.suspend", what, n.Value)
	}
	return path
}

// value reads true, false or a text.
func (p *parser) value(n *yaml.Node, what string) any {
	if n == nil || n.Tag == "!!null" {
		return nil
	}
	if n.Tag == "!!bool" {
		return p.Truth(n, what)
	}
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		p.Complain(n.Line, "%s must be true, false or a text", what)
		return nil
	}
	return n.Value
}

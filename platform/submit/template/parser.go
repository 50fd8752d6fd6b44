package template

import (
	"fmt"
	"os"
	"regexp"

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/internal/yamlfile"
)

// maxChecks is the maximum number of checks of a template.
const maxChecks = 100

// Load reads the template of a file.
//
// Errors: the file cannot be read; all mistakes, joined.
func Load(path string) (*Template, error) {
	text, err := read(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, text)
}

// read returns a file that may be a template. It refuses pipes and devices, which could
// block.
func read(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > yamlfile.MaxSize {
		return nil, fmt.Errorf("%s: a template is a file of at most %d bytes", path, yamlfile.MaxSize)
	}
	return os.ReadFile(path)
}

// Parse reads a template. Errors have source before the line.
//
// Errors: all mistakes, joined, each with its line.
func Parse(source string, text []byte) (*Template, error) {
	r, root, err := yamlfile.Parse(source, text)
	if err != nil {
		return nil, err
	}
	t := &Template{Source: source, text: text}
	p := &parser{&reader{r}, t}
	if root == nil {
		r.Complain(1, "the file is empty; a template has name, type, parameters and object")
	} else {
		p.document(root)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return t, nil
}

// parser makes a template of the nodes of a file.
type parser struct {
	*reader
	t *Template
}

var (
	templateName = regexp.MustCompile(`^[a-z0-9]([a-z0-9.-]{0,61}[a-z0-9])?$`)
	typeName     = regexp.MustCompile(`^[a-z0-9]+(\.[a-z0-9.-]+)?$`)
)

func (p *parser) document(n *yaml.Node) {
	f := p.Fields(n, "a template", "name", "title", "description", "type", "parameters", "checks", "object")
	if n.Kind != yaml.MappingNode {
		return
	}
	at := func(field string) int {
		if f[field] != nil {
			return f[field].Line
		}
		return n.Line
	}
	p.t.Name, p.t.Type = p.Word(f["name"], "name"), p.Word(f["type"], "type")
	p.t.Title, p.t.Description = p.prose(f["title"], "title"), p.prose(f["description"], "description")
	if !templateName.MatchString(p.t.Name) {
		p.Complain(at("name"), "the name %s must have 1 to 63 small letters, digits, dashes and dots, because it is the value of a label", clip(p.t.Name))
	}
	if !typeName.MatchString(p.t.Type) {
		p.Complain(at("type"), "the type %s must be a plural name and its API group, such as jobs.batch", clip(p.t.Type))
	}
	before := p.Count()
	declared := declarations{reader: p.reader}
	if f["parameters"] != nil {
		declared.parameters(f["parameters"])
	}
	if f["object"] == nil {
		p.Complain(n.Line, "object is missing")
	}
	if p.Count() > before { // without the parameters, each expression would have mistakes
		return
	}
	p.t.parameters = declared.all
	c, err := newCompiler(p.t.parameters)
	if err != nil {
		p.Complain(at("parameters"), "%v", err)
		return
	}
	e := &expressions{p.reader, c}
	p.checks(e, f["checks"])
	p.t.object = (&objects{expressions: e}).object(f["object"], p.t.Type)
	p.unused()
}

func (p *parser) checks(e *expressions, n *yaml.Node) {
	if n == nil {
		return
	}
	all := p.List(n, n.Line, "checks")
	if len(all) > maxChecks {
		p.Complain(n.Line, "there are %d checks; at most %d are allowed", len(all), maxChecks)
		return
	}
	for _, n := range all {
		f := p.Fields(n, "a check", "check", "message")
		c := check{line: n.Line, when: e.condition(f["check"], n.Line, "check")}
		if f["message"] == nil && n.Kind == yaml.MappingNode {
			p.Complain(n.Line, "message is missing: it tells people what to change")
		}
		c.message, _ = e.textOf(f["message"])
		if c.message == nil || c.when == nil {
			continue
		}
		p.t.checks = append(p.t.checks, c)
	}
}

// unused reports parameters without an effect.
func (p *parser) unused() {
	if p.t.object == nil {
		return
	}
	used := map[string]bool{}
	p.t.object.addUses(used)
	for _, param := range p.t.parameters {
		if !used[param.Name] {
			p.Complain(param.Line, "the parameter %s is not in the object", param.Name)
		}
	}
}

package template

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/platform/submit/manifest"
)

// Template makes objects from the values of its parameters. It never changes: any number
// of goroutines may use it.
type Template struct {
	// Source is where the template comes from, such as the name of its file.
	Source string `json:"source"`
	// Name is the name in commands and labels.
	Name string `json:"name"`
	// Title and Description are for people.
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	// Type is the type of the object, such as pytorchjobs.kubeflow.org.
	Type string `json:"type"`

	parameters []Parameter
	checks     []check
	object     *node
	text       []byte
}

// check is a condition on the values, with the message for values that do not meet it.
type check struct {
	when    *expression
	message *text
	line    int
}

// Parameters returns the parameters in the order of the file.
func (t *Template) Parameters() []Parameter {
	all := make([]Parameter, len(t.parameters))
	for i := range t.parameters {
		all[i] = t.parameters[i].clone()
	}
	return all
}

// Parameter returns a parameter by its name.
func (t *Template) Parameter(name string) (p Parameter, ok bool) {
	if p := t.find(name); p != nil {
		return p.clone(), true
	}
	return Parameter{}, false
}

func (t *Template) find(name string) *Parameter {
	i := slices.IndexFunc(t.parameters, func(p Parameter) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &t.parameters[i]
}

// Text returns the file of the template.
func (t *Template) Text() string { return string(t.text) }

// Values converts texts of the form name=value. A list or map that is set several times
// has all items; for other parameters the last value wins.
//
// Errors: a *ValuesError with all mistakes.
func (t *Template) Values(sets []string) (Values, error) {
	values := Values{}
	bad := &ValuesError{}
	for _, set := range sets {
		name, text, found := strings.Cut(set, "=")
		p := t.find(name)
		switch {
		case !found:
			t.complain(bad, "", 0, "%s must be name=value", clip(set))
			continue
		case p == nil:
			t.complain(bad, "", 0, "%s", t.unknown(name))
			continue
		}
		v, err := p.FromText(text)
		if err == nil && values[name] != nil {
			v, err = p.add(values[name], v)
		}
		if err != nil {
			t.complain(bad, name, p.Line, "%v", err)
			continue
		}
		values[name] = v
	}
	if len(bad.Problems) > 0 {
		return nil, bad
	}
	return values, nil
}

// Render makes an object from some values. The same values always make the same object.
// The manifest's lines are those of the template, and its origins are the parameters.
//
// A value becomes a value of the object, or a part of a text: it can change the structure
// of the object only through the template's expressions.
//
// Errors: a *ValuesError with all mistakes.
func (t *Template) Render(values Values) (*manifest.Manifest, error) {
	bad := &ValuesError{}
	variables := t.resolve(values, bad)
	if len(bad.Problems) > 0 {
		return nil, bad
	}
	r := &rendering{evaluation: evaluation{variables: variables}}
	r.failed = func(line int, parameter string, err error) {
		t.complain(bad, parameter, line, "in line %d of the template: %v", line, err)
	}
	for _, c := range t.checks {
		t.check(r, c, bad)
	}
	if len(bad.Problems) > 0 {
		return nil, bad
	}
	v, place, _ := r.render(t.object)
	if len(bad.Problems) > 0 {
		return nil, bad
	}
	object, _ := v.(map[string]any) // Parse accepts only mappings
	m, err := manifest.New(t.Source, object, place)
	if err != nil {
		t.complain(bad, "", 0, "%v", err)
		return nil, bad
	}
	return m, nil
}

func (t *Template) complain(bad *ValuesError, parameter string, line int, format string, args ...any) {
	bad.Problems = append(bad.Problems, &Problem{Template: t.Name, Parameter: parameter, Line: line, Message: fmt.Sprintf(format, args...)})
}

// unknown returns the message for a parameter that does not exist.
func (t *Template) unknown(name string) string {
	var names []string
	for _, p := range t.parameters {
		names = append(names, p.Name)
	}
	return fmt.Sprintf("there is no parameter %s; there are %s", clip(name), strings.Join(names, ", "))
}

// resolve returns the variables of expressions: all parameters, including defaults.
func (t *Template) resolve(values Values, bad *ValuesError) map[string]any {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if t.find(name) == nil {
			t.complain(bad, "", 0, "%s", t.unknown(name))
		}
	}
	variables := map[string]any{}
	size := 0
	for i := range t.parameters {
		p := &t.parameters[i]
		v, err := p.value(values[p.Name])
		if err != nil {
			t.complain(bad, p.Name, p.Line, "%v", err)
			continue
		}
		size += sizeOf(v)
		if m, ok := v.(map[string]string); ok {
			v = newOrdered(m)
		}
		variables[p.Name] = v
	}
	if size > maxValues {
		t.complain(bad, "", 0, "the values have %d bytes; at most %d are allowed", size, maxValues)
	}
	return variables
}

var errRequired = errors.New("a value is required")

// value converts the value that the caller gave for a parameter.
func (p *Parameter) value(given any) (any, error) {
	switch {
	case given != nil:
		return p.Convert(given)
	case p.Default != nil:
		return p.Default, nil
	case p.Required:
		return nil, errRequired
	case p.Type == List:
		return []string{}, nil
	case p.Type == Map:
		return map[string]string{}, nil
	}
	return nil, nil
}

func sizeOf(v any) (n int) {
	switch v := v.(type) {
	case string:
		return len(v)
	case []string:
		for _, item := range v {
			n += len(item)
		}
	case map[string]string:
		for name, item := range v {
			n += len(name) + len(item)
		}
	}
	return n
}

// check adds a problem if the values do not meet a condition.
func (t *Template) check(r *rendering, c check, bad *ValuesError) {
	before := len(bad.Problems)
	if r.holds(c.when) || len(bad.Problems) > before {
		return
	}
	message, keep, err := r.textOf(c.message)
	if err != nil || !keep {
		message = fmt.Sprintf("the check %s does not hold", clip(c.when.text))
	}
	t.complain(bad, c.when.parameter(), c.line, "%v", message)
}

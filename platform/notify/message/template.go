package message

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
)

const (
	maxSource = 4 << 10 // bytes of the source of a template
	maxPrint  = 1 << 10 // bytes of the result of a function, and of all output
)

// Source is a user's template: Go text/templates for the title and the sentence, with the
// fields of TemplateData. An empty template means the default words.
type Source struct{ Title, Sentence string }

// TemplateData has the fields of templates. They are in the message's language, except
// Kind, From and To. Unknown fields are empty.
type TemplateData struct {
	Kind, Title, Sentence                                               string // Title and Sentence are the default words
	Job, Namespace, Cluster, Type, UID, Queue, Owner                    string
	State, From, To, Reason, Cause, Message, Pod, Node, ExitCode, Limit string
	Waited, Ran, Happened, Seen, Quiet, Left, Deadline                  string
	Actor, Rule, Role                                                   string
	GPUs, Nodes, Attempt, Attempts                                      int
	Late                                                                bool
}

// Templates are users' templates by kind. Any goroutine may use them. Each part of a
// template runs at most once and results are short, so the cost is bounded.
type Templates struct{ parsed map[Kind]parsedSource }

type parsedSource struct{ title, sentence *template.Template }

// ParseTemplates checks and parses templates. The kind "" applies to all kinds without
// their own template.
//
// Errors: wrong syntax, a field or a kind that does not exist, a template that is too
// long, and statements that could run forever: range, define, block and template. All
// errors are returned, joined.
func ParseTemplates(sources map[Kind]Source) (*Templates, error) {
	t := &Templates{parsed: map[Kind]parsedSource{}}
	var all []error
	known := append([]Kind{""}, kinds...)
	for kind := range sources {
		if !slices.Contains(known, kind) {
			all = append(all, fmt.Errorf("there is no kind %q of messages", kind))
		}
	}
	for _, kind := range known {
		source, ok := sources[kind]
		if !ok {
			continue
		}
		title, err := parseTemplate("title", source.Title)
		all = append(all, err)
		sentence, err := parseTemplate("sentence", source.Sentence)
		all = append(all, err)
		t.parsed[kind] = parsedSource{title, sentence}
	}
	if err := errors.Join(all...); err != nil {
		return nil, err
	}
	return t, nil
}

// parseTemplate returns nil for an empty source.
func parseTemplate(name, source string) (*template.Template, error) {
	if source == "" {
		return nil, nil
	}
	if len(source) > maxSource {
		return nil, fmt.Errorf("template of the %s: it has %d bytes, and %d are allowed", name, len(source), maxSource)
	}
	t, err := template.New(name).Funcs(functions).Parse(source)
	if err != nil {
		return nil, fmt.Errorf("template of the %s: %w", name, err)
	}
	for _, defined := range t.Templates() {
		if defined.Name() != name {
			return nil, fmt.Errorf("template of the %s: it defines %q, and templates within templates are not allowed", name, defined.Name())
		}
	}
	if t.Tree == nil {
		return nil, nil
	}
	if err := checkNode(t.Root); err != nil {
		return nil, fmt.Errorf("template of the %s: %w", name, err)
	}
	return t, nil
}

// checkNode refuses loops and fields that do not exist.
func checkNode(n parse.Node) error {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return nil
		}
		return checkNodes(n.Nodes)
	case *parse.IfNode:
		return checkBranch(&n.BranchNode)
	case *parse.WithNode:
		return checkBranch(&n.BranchNode)
	case *parse.ActionNode:
		return checkNode(n.Pipe)
	case *parse.PipeNode:
		if n == nil {
			return nil
		}
		return checkNodes(n.Cmds)
	case *parse.CommandNode:
		return checkNodes(n.Args)
	case *parse.FieldNode:
		return checkField(n.Ident)
	case *parse.VariableNode:
		if n.Ident[0] == "$" && len(n.Ident) > 1 {
			return checkField(n.Ident[1:])
		}
		if len(n.Ident) > 1 {
			return fmt.Errorf("%s has no fields", n.Ident[0])
		}
	case *parse.ChainNode:
		return fmt.Errorf("there is no field %s", n)
	case *parse.RangeNode:
		return errors.New("range is not allowed")
	case *parse.TemplateNode:
		return errors.New("templates within templates are not allowed")
	}
	return nil
}

func checkNodes[T parse.Node](all []T) error {
	for _, n := range all {
		if err := checkNode(n); err != nil {
			return err
		}
	}
	return nil
}

func checkBranch(n *parse.BranchNode) error {
	return errors.Join(checkNode(n.Pipe), checkNode(n.List), checkNode(n.ElseList))
}

func checkField(path []string) error {
	if _, ok := dataType.FieldByName(path[0]); !ok || len(path) > 1 {
		return fmt.Errorf("there is no field .%s", strings.Join(path, "."))
	}
	return nil
}

var dataType = reflect.TypeFor[TemplateData]()

// functions replace the functions of text/template with unbounded results.
var functions = template.FuncMap{
	"print":    func(args ...any) (string, error) { return bounded(fmt.Sprint(args...)) },
	"println":  func(args ...any) (string, error) { return bounded(fmt.Sprintln(args...)) },
	"printf":   boundedPrintf,
	"html":     func(args ...any) (string, error) { return bounded(template.HTMLEscaper(args...)) },
	"js":       func(args ...any) (string, error) { return bounded(template.JSEscaper(args...)) },
	"urlquery": func(args ...any) (string, error) { return bounded(template.URLQueryEscaper(args...)) },
}

// widths matches a width or a precision of four digits or more, or from an argument.
var widths = regexp.MustCompile(`%[^%a-zA-Z]*([0-9]{4}|\*)`)

func boundedPrintf(format string, args ...any) (string, error) {
	if widths.MatchString(format) {
		return "", fmt.Errorf("the width in %q is not allowed", format)
	}
	return bounded(fmt.Sprintf(format, args...))
}

var errTooLong = fmt.Errorf("the text is longer than %d bytes", maxPrint)

func bounded(text string) (string, error) {
	if len(text) > maxPrint {
		return "", errTooLong
	}
	return text, nil
}

// output collects the text of a template, up to a maximum.
type output struct{ strings.Builder }

// Write implements io.Writer.
func (o *output) Write(text []byte) (int, error) {
	if o.Len()+len(text) > maxPrint {
		return 0, errTooLong
	}
	return o.Builder.Write(text)
}

// execute returns the title and the sentence of a template, each clean and on one line. A
// result is empty if there is no template for it.
func (t *Templates) execute(kind Kind, data TemplateData, defang bool) (title, sentence string, err error) {
	source, ok := t.parsed[kind]
	if !ok {
		source = t.parsed[""]
	}
	if title, err = executeOne(source.title, data); err != nil {
		return "", "", err
	}
	if sentence, err = executeOne(source.sentence, data); err != nil {
		return "", "", err
	}
	if source.title != nil && title == "" {
		return "", "", errors.New("the title is empty")
	}
	return clean(title, maxValue, defang), clean(sentence, maxPrint, defang), nil
}

func executeOne(t *template.Template, data TemplateData) (string, error) {
	if t == nil {
		return "", nil
	}
	var out output
	if err := t.Execute(&out, data); err != nil {
		return "", err
	}
	return strings.Join(strings.Fields(out.String()), " "), nil
}

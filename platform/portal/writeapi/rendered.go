package writeapi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
	"github.com/vedette-io/vedette/platform/submit/manifest"
	"github.com/vedette-io/vedette/platform/submit/template"
)

// source is the name of the YAML of a request in messages.
const source = "yaml"

// rendered is the job of a request.
type rendered struct {
	manifest *manifest.Manifest // its lines refer to text
	text     string
	template *template.Template // nil if the request has YAML
	made     *manifest.Manifest // from the template: its origins are parameters
}

// parsed reads the YAML of a request.
//
// Errors: *api.Problem with all mistakes; the cause of ctx.
func (w *writer) parsed(ctx context.Context, text string) (*manifest.Manifest, error) {
	done, err := w.slots.take(ctx, len(text))
	if err != nil {
		return nil, err
	}
	defer done()
	all, err := manifest.Parse(ctx, source, []byte(text))
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return nil, web.Invalid("The YAML has mistakes.", mistakes(err)...)
	}
	if len(all) != 1 {
		return nil, web.Invalid(fmt.Sprintf("The YAML has %d objects. Submit one job at a time.", len(all)), api.FieldProblem{Message: fmt.Sprintf("%d objects, want 1", len(all))})
	}
	return all[0], nil
}

// lineOf matches the place before a mistake in YAML.
var lineOf = regexp.MustCompile(`^` + source + `(?::(\d+))?: `)

// mistakes returns the mistakes of a manifest, each with its line.
func mistakes(err error) (all []api.FieldProblem) {
	for line := range strings.SplitSeq(err.Error(), "\n") {
		p := api.FieldProblem{Message: line}
		if m := lineOf.FindStringSubmatch(line); m != nil {
			p.Line, _ = strconv.Atoi(m[1]) // 0 if there is none
			p.Message = line[len(m[0]):]
		}
		if p.Message != "" {
			all = append(all, p)
		}
	}
	return all
}

// templateOf returns a template.
//
// Errors: *api.Problem.
func (w *writer) templateOf(name string) (*template.Template, error) {
	t, err := w.cfg.Templates.Get(name)
	if err != nil {
		return nil, web.Unknown(fmt.Sprintf("There is no template %q.", name))
	}
	return t, nil
}

// render creates a job from the values of a template.
//
// Errors: *api.Problem with all mistakes, each at its parameter; the cause of ctx.
func (w *writer) render(ctx context.Context, name string, values map[string]any) (*rendered, error) {
	t, err := w.templateOf(name)
	if err != nil {
		return nil, err
	}
	made, err := t.Render(template.Values(values))
	var bad *template.ValuesError
	switch {
	case errors.As(err, &bad):
		return nil, web.Invalid("The values do not make a job.", wrongValues(t, bad)...)
	case err != nil:
		return nil, err
	}
	text, err := objectyaml.Marshal(made.Object.Object)
	if err != nil {
		return nil, err
	}
	m, err := w.parsed(ctx, text)
	if err != nil {
		return nil, err
	}
	return &rendered{manifest: m, text: text, template: t, made: made}, nil
}

// wrongValues returns the mistakes in the values of a template.
func wrongValues(t *template.Template, bad *template.ValuesError) (all []api.FieldProblem) {
	for _, p := range bad.Problems {
		f := api.FieldProblem{Field: p.Parameter, Parameter: p.Parameter, Message: p.Message}
		if param, ok := t.Parameter(p.Parameter); ok && len(param.Choices) == 1 {
			f.Repair = param.Choices[0]
		}
		all = append(all, f)
	}
	return all
}

// job returns the job of a request, from its YAML or its template.
//
// Errors: *api.Problem; the cause of ctx.
func (w *writer) job(ctx context.Context, in *api.SubmitRequest) (*rendered, error) {
	switch {
	case in.YAML != "" && in.Template != "":
		return nil, web.Invalid("The request has both YAML and a template. Leave one out.", api.FieldProblem{Field: "yaml", Message: "excludes template"})
	case in.Template != "":
		return w.render(ctx, in.Template, in.Values)
	case in.YAML == "":
		return nil, web.Invalid("The request has no job.", api.FieldProblem{Field: "yaml", Message: "is missing, and so is template"})
	}
	m, err := w.parsed(ctx, in.YAML)
	return &rendered{manifest: m, text: in.YAML}, err
}

// lines returns the lines of the YAML that contain the value of each parameter.
func (r *rendered) lines() map[string][]int {
	found := map[string]map[int]bool{}
	each(r.made.Object.Object, "", func(path string) {
		parameter, ok := r.made.Origin(path)
		line, known := r.manifest.Line(path)
		if !ok || !known {
			return
		}
		if found[parameter] == nil {
			found[parameter] = map[int]bool{}
		}
		found[parameter][line] = true
	})
	all := map[string][]int{}
	for parameter, lines := range found {
		all[parameter] = slices.Sorted(maps.Keys(lines))
	}
	return all
}

// each calls f with the path of each scalar value, in the notation of API servers.
func each(v any, path string, f func(path string)) {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			step := "." + key
			if strings.ContainsAny(key, ".[]/") {
				step = "[" + key + "]"
			}
			each(value, strings.TrimPrefix(path+step, "."), f)
		}
	case []any:
		for n, value := range v {
			each(value, fmt.Sprintf("%s[%d]", path, n), f)
		}
	default:
		f(path)
	}
}

// supported matches the API server's error for a value outside of a list.
var supported = regexp.MustCompile(`^Unsupported value: .*: supported values: "([^"]+)"$`)

// above matches the API server's error for a request that is larger than its limit.
var above = regexp.MustCompile(`^Invalid value: "([^"]+)": must be less than or equal to (memory|cpu|ephemeral-storage) limit of (\S+)$`)

// raised converts the problem of a request above its limit to the problem of a limit that is
// too low, because the job needs its request. It does nothing if the manifest does not have
// the limit.
func (r *rendered) raised(p *api.FieldProblem) {
	m := above.FindStringSubmatch(p.Message)
	if m == nil {
		return
	}
	resources, _, found := strings.Cut(p.Field, ".requests")
	limit := resources + ".limits." + m[2]
	has := false
	each(r.manifest.Object.Object, "", func(path string) { has = has || path == limit })
	line, known := r.manifest.Line(limit)
	if !found || !has || !known {
		return
	}
	p.Field, p.Line, p.Repair = limit, line, m[1]
	p.Message = fmt.Sprintf("the %s limit, %s, is less than the request, %s", m[2], m[3], m[1])
}

// placed completes the problems from a server: with the parameter of the field, and the
// value that repairs it if there is exactly one.
func (r *rendered) placed(all []api.FieldProblem) []api.FieldProblem {
	for n := range all {
		r.raised(&all[n])
		if r.made != nil && all[n].Field != "" {
			all[n].Parameter, _ = r.made.Origin(all[n].Field)
		}
		if m := supported.FindStringSubmatch(all[n].Message); m != nil {
			all[n].Repair = m[1]
		}
	}
	return all
}

// templateName returns the name of the template of a job; empty if it has none.
func (r *rendered) templateName() string {
	if r.template == nil {
		return ""
	}
	return r.template.Name
}

type templatesInput struct {
	Text bool `query:"text" doc:"Add the text of each template, what it replaces, and the templates that are broken"`
}

// listTemplates answers with the valid templates, and with the broken ones if the text is
// requested.
func listTemplates(_ context.Context, w *writer, in *templatesInput) (*api.TemplateList, error) {
	out := &api.TemplateList{Templates: []api.Template{}}
	for _, e := range w.cfg.Templates.All() {
		switch {
		case e.Template != nil:
			doc := templateDoc(e.Template)
			if in.Text {
				doc.From, doc.Text, doc.Replaces = e.From, e.Template.Text(), e.Hides
			}
			out.Templates = append(out.Templates, doc)
		case in.Text:
			out.Broken = append(out.Broken, api.BrokenTemplate{Name: e.Name, From: e.From, Replaces: e.Hides, Mistakes: strings.Split(e.Err.Error(), "\n")})
		}
	}
	return out, nil
}

type templateInput struct {
	Name string `path:"name" maxLength:"253" doc:"The name of the template"`
}

// getTemplate answers with a template.
func getTemplate(_ context.Context, w *writer, in *templateInput) (*api.Template, error) {
	t, err := w.templateOf(in.Name)
	if err != nil {
		return nil, err
	}
	doc := templateDoc(t)
	return &doc, nil
}

// typeWord returns the API's name for a type of parameters.
func typeWord(of template.Type) string {
	switch of {
	case template.Integer:
		return "int"
	case template.Boolean:
		return "bool"
	case template.Choice: // it has Choices
		return "text"
	}
	return string(of)
}

// templateDoc returns a template and its form.
func templateDoc(t *template.Template) api.Template {
	doc := api.Template{Name: t.Name, Title: t.Title, Description: t.Description, Type: t.Type, Source: t.Source}
	for _, p := range t.Parameters() {
		doc.Parameters = append(doc.Parameters, api.Parameter{
			Name: p.Name, Title: p.Title, Help: p.Help, Group: p.Group, Type: typeWord(p.Type), Default: p.Default, Required: p.Required,
			Min: p.Min, Max: p.Max, Pattern: p.Pattern, Choices: p.Choices, Unit: p.Unit,
		})
	}
	return doc
}

type renderInput struct{ Body api.RenderRequest }

// renderTemplate answers with the YAML of a form. Mistakes in values are not errors: the
// form shows them.
func renderTemplate(ctx context.Context, w *writer, in *renderInput) (*api.Rendered, error) {
	r, err := w.render(ctx, in.Body.Template, in.Body.Values)
	if p, ok := asProblem(err); ok && len(p.Fields) > 0 {
		return &api.Rendered{Problems: p.Fields}, nil
	}
	if err != nil {
		return nil, err
	}
	return &api.Rendered{YAML: r.text, Lines: r.lines()}, nil
}

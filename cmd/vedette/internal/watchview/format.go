package watchview

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/vedette-io/vedette/cmd/vedette/internal/console"
	"github.com/vedette-io/vedette/cmd/vedette/internal/listing"
	"github.com/vedette-io/vedette/cmd/vedette/internal/source"
	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/platform/rules"
	"github.com/vedette-io/vedette/platform/submit"
)

// NewFormat reads the flags that select the output format.
func NewFormat(o *Options, con *console.Console) (*Format, error) {
	switch o.Color {
	case "auto", "always", "never", "":
	default:
		return nil, fmt.Errorf("--color is %q, want auto, always or never", o.Color)
	}
	f := &Format{opts: o, con: con, write: con.Print, status: (*rules.Rules)(nil).Of}
	if o.Rules != "" {
		r, err := rules.Load(o.Rules)
		if err != nil {
			return nil, err
		}
		f.status = r.Of
	}
	form, err := listing.ParseFormat(o.output, "wide", "json", "yaml", "name", "jsonpath=TEMPLATE")
	if err != nil {
		return nil, err
	}
	switch form.Kind {
	case "json":
		f.body, f.write = printJSON, con.Document
	case "yaml":
		f.body, f.write = printYAML, con.Document
	case "name":
		f.body = printName
	case "jsonpath":
		f.body = func(p *printer, ev informer.Event[Object], obj *Object) (string, error) {
			return listing.PrintPath(form.Path, p.document(ev, obj))
		}
	}
	return f, nil
}

// document is the printed form of a change: the object, or a WatchEvent of the API that contains
// it.
func (p *printer) document(ev informer.Event[Object], obj *Object) map[string]any {
	if !p.opts.events {
		return obj.Object
	}
	return map[string]any{"type": eventName(ev.Kind()), "object": obj.Object}
}

func printJSON(p *printer, ev informer.Event[Object], obj *Object) (string, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "    ")
	enc.SetEscapeHTML(false)
	err := enc.Encode(p.document(ev, obj))
	return text.String(), err
}

func printYAML(p *printer, ev informer.Event[Object], obj *Object) (string, error) {
	text, err := objectyaml.Marshal(p.document(ev, obj))
	return "---\n" + text, err
}

func printName(p *printer, ev informer.Event[Object], _ *Object) (string, error) {
	text := printable.Line(source.NameOfJob(submit.Job{Resource: p.resource, Name: ev.Key().Name})) + "\n"
	if p.opts.events {
		text = fmt.Sprintf("%-8s  %s", eventName(ev.Kind()), text)
	}
	return text, nil
}

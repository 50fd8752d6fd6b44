package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/vedette-io/vedette/informer"
	"github.com/vedette-io/vedette/internal/objectyaml"
	"github.com/vedette-io/vedette/internal/printable"
	"github.com/vedette-io/vedette/rules"
	"github.com/vedette-io/vedette/state"
)

// newFormat reads the flags that say what the output looks like.
func newFormat(o *watchOptions, con *console) (*format, error) {
	switch o.color {
	case "auto", "always", "never", "":
	default:
		return nil, fmt.Errorf("--color is %q, want auto, always or never", o.color)
	}
	f := &format{opts: o, con: con, write: con.print, status: state.Of}
	if o.rules != "" {
		r, err := rules.Load(o.rules)
		if err != nil {
			return nil, err
		}
		f.status = r.Of
	}
	kind, template, _ := strings.Cut(o.output, "=")
	switch kind {
	case "", "wide":
	case "json":
		f.body, f.write = printJSON, con.document
	case "yaml":
		f.body, f.write = printYAML, con.document
	case "name":
		f.body = printName
	case "jsonpath":
		path, err := parsePath(template)
		if err != nil {
			return nil, err
		}
		f.body = func(p *printer, ev informer.Event[object], obj *object) (string, error) {
			return printPath(path, p.document(ev, obj))
		}
	default:
		return nil, fmt.Errorf("unknown output format %q; use wide, json, yaml, name or jsonpath=TEMPLATE", o.output)
	}
	if kind != "jsonpath" && template != "" {
		return nil, fmt.Errorf("the output format %s takes no template; jsonpath=TEMPLATE does", kind)
	}
	return f, nil
}

// document is what is printed of a change: the object, or an event around it in
// the shape of the API's WatchEvent.
func (p *printer) document(ev informer.Event[object], obj *object) map[string]any {
	if !p.opts.events {
		return obj.Object
	}
	return map[string]any{"type": eventName(ev.Kind()), "object": obj.Object}
}

func printJSON(p *printer, ev informer.Event[object], obj *object) (string, error) {
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetIndent("", "    ")
	enc.SetEscapeHTML(false)
	err := enc.Encode(p.document(ev, obj))
	return text.String(), err
}

func printYAML(p *printer, ev informer.Event[object], obj *object) (string, error) {
	text, err := objectyaml.Marshal(p.document(ev, obj))
	return "---\n" + text, err
}

func printName(p *printer, ev informer.Event[object], _ *object) (string, error) {
	kind := p.resource.Singular
	if p.resource.Group != "" {
		kind += "." + p.resource.Group
	}
	text := printable.Line(kind+"/"+ev.Key().Name) + "\n"
	if p.opts.events {
		text = fmt.Sprintf("%-8s  %s", eventName(ev.Kind()), text)
	}
	return text, nil
}

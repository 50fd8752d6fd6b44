package manifest

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vedette-io/vedette/internal/yamlfile"
)

const (
	// maxFile is the maximum number of bytes of a file.
	maxFile = 16 << 20
	// maxMistakes is the maximum number of syntax mistakes that are reported per document.
	maxMistakes = 10
)

// Parse reads the objects of a file in YAML or JSON: one per document, or the items of a
// List. It reads YAML like kubectl. Errors have source before the line.
//
// Errors: all mistakes, joined, each with its line. Lines end as in YAML 1.1, which also
// has a lone CR, NEL, LS and PS. An invalid document does not hide the mistakes of the
// others. A file without an object is a mistake. Of a large document with many syntax mistakes, only
// the first is reported, see Limits of the package. The cause of ctx.
func Parse(ctx context.Context, source string, text []byte) ([]*Manifest, error) {
	if len(text) > maxFile {
		return nil, fmt.Errorf("%s: the file has %d bytes; at most %d are read", source, len(text), maxFile)
	}
	d := &decoder{Reader: yamlfile.New(source), ctx: ctx, search: searchBudget(len(text))}
	var all []*Manifest
	for _, part := range split(text) {
		for _, n := range d.nodesOf(part) {
			all = append(all, d.objects(source, n)...)
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	if len(all) == 0 && d.Count() == 0 {
		return nil, fmt.Errorf("%s: the file has no object", source)
	}
	if err := d.Err(); err != nil {
		return nil, err
	}
	return all, nil
}

// document is a part of a file.
type document struct {
	text   []byte
	before int // number of lines of the file before it
}

// split cuts a file into its documents.
func split(text []byte) (all []document) {
	begin, line, lines := 0, 0, 0
	cut := func(end int) {
		all = append(all, document{text[begin:end], line})
		begin, line = end, lines
	}
	for at := 0; at < len(text); {
		length := bytes.IndexByte(text[at:], '\n') + 1
		if length == 0 {
			length = len(text) - at
		}
		if row := text[at : at+length]; at > 0 && bytes.HasPrefix(row, []byte("---")) && (len(row) == 3 || bytes.IndexByte([]byte(" \t\r\n"), row[3]) >= 0) {
			cut(at)
		}
		at += length
		lines++
	}
	cut(len(text))
	return all
}

// nodesOf parses a document. After a syntax mistake it parses the document again without
// that line. If each attempt gets further, and the last one succeeds, all removed lines
// are reported as mistakes. Otherwise only the first is certain.
func (d *decoder) nodesOf(part document) []*yaml.Node {
	type mistake struct {
		line int
		text string
	}
	var found []mistake
	text := forYAML(part.text)
	for {
		var nodes []*yaml.Node
		var err error
		if len(found) == 0 {
			nodes, err = d.decode(text)
		} else {
			nodes, err = d.searching(text)
		}
		if err == nil {
			for _, m := range found {
				d.Complain(part.before+m.line, "invalid YAML: %s", m.text)
			}
			for _, n := range nodes {
				shift(n, part.before)
			}
			return nodes
		}
		if d.ctx.Err() != nil {
			return nil
		}
		if errors.Is(err, errSearched) {
			d.Complain(part.before+found[0].line, "invalid YAML: %s", found[0].text)
			return nil
		}
		line, why := d.pinpoint(text, err)
		forward := len(found) == 0 || line > found[len(found)-1].line
		found = append(found, mistake{max(line, 1), why})
		var blanked bool
		if text, blanked = blank(text, line); !blanked || !forward || len(found) >= maxMistakes {
			d.Complain(part.before+found[0].line, "invalid YAML: %s", found[0].text)
			return nil
		}
	}
}

// shift adds to the lines of a node and of all nodes below. The target of a reference is
// not below it.
func shift(n *yaml.Node, lines int) {
	n.Line += lines
	for _, below := range n.Content {
		shift(below, lines)
	}
}

// pinpoint returns the line and the text of a syntax mistake. The library often reports a
// line before the mistake; the text up to the right line fails in the same way.
func (d *decoder) pinpoint(text []byte, err error) (line int, why string) {
	const ahead = 4 // lines
	line, why = yamlfile.Syntax(err)
	at, end := 0, 0 // the text before at has end lines
	for row := range bytes.Lines(text) {
		at, end = at+len(row), end+1
		if end < line-1 {
			continue
		}
		if end > line+ahead {
			break
		}
		_, err := d.searching(text[:at])
		if err == nil {
			continue
		}
		if _, same := yamlfile.Syntax(err); same == why {
			return end, why
		}
	}
	return line, why
}

// blank empties a line. It returns false if the line is already empty.
func blank(text []byte, line int) ([]byte, bool) {
	rows := bytes.SplitAfter(text, []byte("\n"))
	if line < 1 || line > len(rows) || len(bytes.TrimSpace(rows[line-1])) == 0 {
		return text, false
	}
	rows[line-1] = []byte("\n")
	return bytes.Join(rows, nil), true
}

// objects makes manifests of a document.
func (d *decoder) objects(source string, n *yaml.Node) []*Manifest {
	before := d.Count()
	v, place := d.value(n, 0)
	object, _ := v.(map[string]any)
	if d.Count() > before {
		return nil
	}
	items, ok := object["items"].([]any)
	if !ok || object["kind"] != "List" || object["apiVersion"] != "v1" {
		return d.object(source, v, place)
	}
	var all []*Manifest
	for i, item := range items {
		below := &Place{Line: place.Fields["items"].Line}
		if i < len(place.Fields["items"].Items) { // a list behind a reference has no places of its own
			below = place.Fields["items"].Items[i]
		}
		all = append(all, d.object(source, item, below)...)
	}
	return all
}

// object makes a manifest of a value.
func (d *decoder) object(source string, v any, place *Place) []*Manifest {
	object, ok := v.(map[string]any)
	if !ok {
		d.Complain(place.Line, "an object must be a mapping with apiVersion, kind and metadata")
		return nil
	}
	if field, err := check(object); err != nil {
		line, _ := place.find(field)
		d.Complain(line, "%v", err)
		return nil
	}
	return []*Manifest{{Source: source, Object: &unstructured.Unstructured{Object: object}, root: place}}
}

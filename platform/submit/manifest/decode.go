package manifest

import (
	"context"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/internal/yamlfile"
)

// maxNodes is the maximum number of values of a file after its references are resolved. An
// object of MaxObject bytes has fewer.
const maxNodes = 500_000

// decoder converts YAML nodes to values of an object, with their places.
type decoder struct {
	*yamlfile.Reader
	ctx      context.Context
	search   int64 // bytes that may still be decoded to find the places of syntax mistakes
	nodes    int
	overflow bool
}

// value converts a node.
func (d *decoder) value(n *yaml.Node, depth int) (any, *Place) {
	place := &Place{Line: n.Line}
	if d.nodes++; d.nodes%1024 == 0 && d.ctx.Err() != nil {
		d.overflow = true // Parse returns the cause
	}
	if d.overflow || d.nodes > maxNodes || depth > maxDepth {
		if !d.overflow {
			d.Complain(n.Line, "values are nested more than %d deep, or are more than %d", maxDepth, maxNodes)
		}
		d.overflow = true
		return nil, place
	}
	switch n.Kind {
	case yaml.AliasNode:
		v, _ := d.value(n.Alias, depth+1) // a mistake is also at the line of the reference
		return v, place
	case yaml.MappingNode:
		return d.mapping(n, place, depth)
	case yaml.SequenceNode:
		items := make([]any, len(n.Content))
		place.Items = make([]*Place, len(n.Content))
		for i, item := range n.Content {
			items[i], place.Items[i] = d.value(item, depth+1)
		}
		return items, place
	}
	v, err := Scalar(n)
	if err != nil {
		d.Complain(n.Line, "%v", err)
	}
	return v, place
}

func (d *decoder) mapping(n *yaml.Node, place *Place, depth int) (any, *Place) {
	fields := map[string]any{}
	place.Fields = map[string]*Place{}
	lines := map[string]int{}
	var merged []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.ShortTag() == "!!merge" {
			merged = append(merged, value)
			continue
		}
		name, ok := d.name(key)
		if !ok {
			continue
		}
		if before, twice := lines[name]; twice {
			d.Complain(key.Line, "the field %s is in line %d already", clip(name), before)
			continue
		}
		lines[name] = key.Line
		v, below := d.value(value, depth+1)
		below.Line = key.Line
		fields[name], place.Fields[name] = v, below
	}
	for _, m := range merged {
		d.merge(m, fields, place, depth)
	}
	return fields, place
}

// name returns the name of a field as kubectl reads it: an unquoted yes is "true", and
// 0x10 is "16".
func (d *decoder) name(key *yaml.Node) (string, bool) {
	if key.Kind == yaml.AliasNode {
		key = key.Alias
	}
	if key.Kind != yaml.ScalarNode {
		d.Complain(key.Line, "the name of a field must be a text")
		return "", false
	}
	v, err := Scalar(key)
	if err != nil {
		d.Complain(key.Line, "%v", err)
		return "", false
	}
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 32), true
	}
	d.Complain(key.Line, "the name of a field cannot be null")
	return "", false
}

// merge adds the fields of the mapping after "<<", except those that exist.
func (d *decoder) merge(n *yaml.Node, fields map[string]any, place *Place, depth int) {
	if n.Kind == yaml.SequenceNode {
		for _, item := range n.Content {
			d.merge(item, fields, place, depth+1)
		}
		return
	}
	v, _ := d.value(n, depth+1)
	more, ok := v.(map[string]any)
	if !ok {
		d.Complain(n.Line, "<< must name a mapping")
		return
	}
	for name, v := range more {
		if _, there := fields[name]; !there {
			fields[name], place.Fields[name] = v, &Place{Line: n.Line}
		}
	}
}

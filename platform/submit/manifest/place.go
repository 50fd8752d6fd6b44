package manifest

import (
	"strconv"
	"strings"
)

// Place is the position where a value was written. Places form the same tree as the
// values.
type Place struct {
	// Line counts from 1; 0 means unknown.
	Line int
	// Parameter is the template parameter that the value came from, "" for none.
	Parameter string
	// Fields are the places of the values of a mapping.
	Fields map[string]*Place
	// Items are the places of the items of a list.
	Items []*Place
}

// find returns the place of a field, or of its nearest parent that has a place. A parent's
// parameter counts, because the parent's whole value came from it.
func (p *Place) find(field string) (line int, parameter string) {
	rest := strings.TrimPrefix(field, ".")
	for p != nil {
		if p.Line > 0 {
			line = p.Line
		}
		if p.Parameter != "" {
			parameter = p.Parameter
		}
		if rest == "" {
			break
		}
		p, rest = p.step(rest)
	}
	return line, parameter
}

// step returns the place of the first segment of a path, or nil, and the rest of the path.
func (p *Place) step(path string) (below *Place, rest string) {
	seg, rest := cutPath(path, func(name string) bool { return p.Fields[name] != nil })
	if below := p.Fields[seg.name]; below != nil {
		return below, rest
	}
	if i, err := strconv.Atoi(seg.name); err == nil && seg.bracket && i >= 0 && i < len(p.Items) {
		return p.Items[i], rest
	}
	return nil, rest
}

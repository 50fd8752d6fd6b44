package manifest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxDepth is the maximum nesting of objects.
const maxDepth = 100

// Set changes one field of the object. The path has the notation of [Manifest.Line]; a
// bracket after a mapping holds a key. Set creates missing fields on the path. The index
// after the last item of a list appends an item.
//
// For a field that holds a text, the value is the text. For any other field, the value is
// true, false, a number, a list or mapping in JSON, or else a text. The value null removes
// a field.
//
// Errors: the path is invalid, or leads through a value without fields.
func (m *Manifest) Set(path, value string) error {
	if strings.Trim(path, ".") == "" {
		return fmt.Errorf("the path is empty; write it as in spec.parallelism=4")
	}
	s := setter{path: path, value: value}
	_, err := s.set(m.Object.Object, strings.TrimPrefix(path, "."), 0)
	return err
}

type setter struct{ path, value string }

func (s *setter) fail(format string, args ...any) error {
	return fmt.Errorf("cannot set %s: "+format, append([]any{s.path}, args...)...)
}

// set returns node with the value at the rest of the path.
func (s *setter) set(node any, rest string, depth int) (any, error) {
	if depth > maxDepth {
		return nil, s.fail("the path has more than %d steps", maxDepth)
	}
	if rest == "" {
		return s.parse(node), nil
	}
	if node == nil {
		seg, _ := cutPath(rest, func(string) bool { return false })
		if _, err := strconv.Atoi(seg.name); err == nil && seg.bracket {
			node = []any{}
		} else {
			node = map[string]any{}
		}
	}
	switch node := node.(type) {
	case map[string]any:
		return s.inMap(node, rest, depth)
	case []any:
		return s.inList(node, rest, depth)
	}
	return nil, s.fail("the value before %q is neither a mapping nor a list", rest)
}

func (s *setter) inMap(node map[string]any, path string, depth int) (any, error) {
	seg, rest := cutPath(path, func(name string) bool { _, there := node[name]; return there })
	if seg.name == "" {
		return nil, s.fail("it has an empty name")
	}
	if rest == "" && s.value == "null" {
		delete(node, seg.name)
		return node, nil
	}
	below, err := s.set(node[seg.name], rest, depth+1)
	if err != nil {
		return nil, err
	}
	node[seg.name] = below
	return node, nil
}

func (s *setter) inList(node []any, path string, depth int) (any, error) {
	seg, rest := cutPath(path, func(string) bool { return false })
	i, err := strconv.Atoi(seg.name)
	switch {
	case err != nil || !seg.bracket:
		return nil, s.fail("%q is no item of a list; write a number in brackets, as in [0]", seg.name)
	case i < 0 || i > len(node):
		return nil, s.fail("the list has %d items and no item [%d]", len(node), i)
	case rest == "" && s.value == "null":
		return nil, s.fail("null removes a field, and no item of a list")
	case i == len(node):
		node = append(node, nil)
	}
	below, err := s.set(node[i], rest, depth+1)
	if err != nil {
		return nil, err
	}
	node[i] = below
	return node, nil
}

// parse returns the value for a field that holds old.
func (s *setter) parse(old any) any {
	if _, text := old.(string); text {
		return s.value
	}
	d := json.NewDecoder(strings.NewReader(s.value))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return s.value
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return s.value
	}
	return plain(v)
}

// plain converts numbers to the types of an unstructured object.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil {
			return i
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case map[string]any:
		for name, below := range v {
			v[name] = plain(below)
		}
	case []any:
		for i, below := range v {
			v[i] = plain(below)
		}
	}
	return v
}

package webhook

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// operation is one operation of a JSON patch (RFC 6902).
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value,omitempty"` // absent only for remove: null has four bytes
}

// patchOf returns the JSON patch that makes the change from before to after in raw. raw is
// the object as the API server sent it, before is what a Go type keeps of it, and after is
// before with the change of a function. The patch is nil if there is no change.
func patchOf(raw, before, after []byte) ([]byte, error) {
	var trees [3]any
	for i, text := range [][]byte{raw, before, after} {
		d := json.NewDecoder(bytes.NewReader(text))
		d.UseNumber() // an int64 does not fit into a float64
		if err := d.Decode(&trees[i]); err != nil {
			return nil, fmt.Errorf("decode: %w", err)
		}
	}
	var operations []operation
	if err := diff("", trees[0], merge(trees[0], trees[1], trees[2]), &operations); err != nil {
		return nil, err
	}
	if len(operations) == 0 {
		return nil, nil
	}
	return json.Marshal(operations)
}

// merge returns raw with the change from before to after.
func merge(raw, before, after any) any {
	if reflect.DeepEqual(before, after) {
		return raw
	}
	switch raw := raw.(type) {
	case map[string]any:
		b, isMap := before.(map[string]any)
		a, stays := after.(map[string]any)
		if isMap && stays {
			return mergeMap(raw, b, a)
		}
	case []any:
		b, isList := before.([]any)
		a, stays := after.([]any)
		if isList && stays && len(b) == len(raw) {
			return mergeList(raw, b, a)
		}
	}
	return after
}

// mergeMap keeps the members of raw that before does not have.
func mergeMap(raw, before, after map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range raw {
		if _, known := before[key]; !known {
			out[key] = value
		}
	}
	for key, value := range after {
		was, known := before[key]
		original, sent := raw[key]
		switch {
		case !known:
			out[key] = value
		case sent:
			out[key] = merge(original, was, value)
		case !reflect.DeepEqual(was, value): // a default of the Go type that was changed
			out[key] = value
		}
	}
	return out
}

// mergeList merges each element of after with the element of before that it was.
func mergeList(raw, before, after []any) []any {
	out := make([]any, len(after))
	for i, from := range origins(before, after) {
		if out[i] = after[i]; from >= 0 {
			out[i] = merge(raw[from], before[from], after[i])
		}
	}
	return out
}

// identities are the fields that identify an element of a list in the API: the merge keys
// of built-in types, and the keys that custom types use.
var identities = []string{"name", "key", "id", "mountPath", "devicePath", "containerPort", "port", "ip", "topologyKey", "uid", "type"}

// names is the number of identities that are names, which come first.
const names = 3

// origins returns the index in before of each element of after, or -1 for a new one. An
// unchanged element is recognized by its value, and a changed element by its identity. If the length is the same, the remaining ones are recognized by their places; an
// element with another name is a new one. No element has two successors.
func origins(before, after []any) []int {
	from := slices.Repeat([]int{-1}, len(after))
	taken := make([]bool, len(before))
	match := func(i, j int) { from[i], taken[j] = j, true }
	for i := range min(len(before), len(after)) { // first, so that equal elements keep their places
		if reflect.DeepEqual(before[i], after[i]) {
			match(i, i)
		}
	}
	byValue := group(before, taken, func(v any) string { text, _ := json.Marshal(v); return string(text) })
	for i := range after {
		if from[i] < 0 {
			text, _ := json.Marshal(after[i]) // trees of JSON can be encoded
			if js := byValue[string(text)]; len(js) > 0 {
				match(i, js[0])
				byValue[string(text)] = js[1:]
			}
		}
	}
	for _, field := range identities {
		identity := func(v any) string { return identityOf(v, field) }
		olds, news := group(before, taken, identity), group(after, make([]bool, len(after)), identity)
		for i := range after {
			id := identity(after[i])
			if js := olds[id]; id != "" && from[i] < 0 && len(js) == 1 && len(news[id]) == 1 {
				match(i, js[0])
			}
		}
	}
	if len(before) == len(after) {
		for i := range after {
			if from[i] < 0 && !taken[i] && !renamed(before[i], after[i]) {
				match(i, i)
			}
		}
	}
	return from
}

// renamed reports whether two elements have different names.
func renamed(a, b any) bool {
	return slices.ContainsFunc(identities[:names], func(field string) bool {
		was, is := identityOf(a, field), identityOf(b, field)
		return was != "" && is != "" && was != is
	})
}

// group returns the indexes of the elements that are not taken, by the text of each.
func group(list []any, taken []bool, text func(any) string) map[string][]int {
	out := map[string][]int{}
	for i, v := range list {
		if !taken[i] {
			out[text(v)] = append(out[text(v)], i)
		}
	}
	return out
}

// identityOf returns the text of a field, "" if the element does not have it.
func identityOf(v any, field string) string {
	m, _ := v.(map[string]any)
	switch value := m[field].(type) {
	case string:
		return "s" + value
	case json.Number:
		return "n" + value.String()
	}
	return ""
}

// diff adds the operations that turn from into to. A list is replaced as a whole if its
// length changes.
func diff(path string, from, to any, out *[]operation) error {
	if reflect.DeepEqual(from, to) {
		return nil
	}
	switch from := from.(type) {
	case map[string]any:
		if to, same := to.(map[string]any); same {
			return diffMap(path, from, to, out)
		}
	case []any:
		if to, same := to.([]any); same && len(from) == len(to) {
			for i := range from {
				if err := diff(path+"/"+strconv.Itoa(i), from[i], to[i], out); err != nil {
					return err
				}
			}
			return nil
		}
	}
	return add("replace", path, to, out)
}

func diffMap(path string, from, to map[string]any, out *[]operation) error {
	for _, key := range sortedKeys(from) {
		if _, stays := to[key]; !stays {
			*out = append(*out, operation{Op: "remove", Path: path + "/" + escape(key)})
		}
	}
	for _, key := range sortedKeys(to) {
		below := path + "/" + escape(key)
		if was, exists := from[key]; exists {
			if err := diff(below, was, to[key], out); err != nil {
				return err
			}
		} else if err := add("add", below, to[key], out); err != nil {
			return err
		}
	}
	return nil
}

func add(op, path string, value any, out *[]operation) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	*out = append(*out, operation{op, path, text})
	return nil
}

func sortedKeys(m map[string]any) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// escape escapes a member name for a JSON pointer (RFC 6901).
func escape(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

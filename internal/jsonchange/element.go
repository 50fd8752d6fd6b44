package jsonchange

import (
	"encoding/json"
	"reflect"
	"slices"
)

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

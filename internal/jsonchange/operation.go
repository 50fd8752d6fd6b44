package jsonchange

import (
	"encoding/json"
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

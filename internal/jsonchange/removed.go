package jsonchange

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/internal/jsontext"
)

// Removed returns the paths of the members that the change removes, of the lists that it
// shortens, and of the values that become zero, in order.
func (c Change) Removed() []string {
	var paths []string
	removed("", c.before, c.after, &paths)
	slices.Sort(paths)
	return paths
}

func removed(path string, before, after any, out *[]string) {
	switch before := before.(type) {
	case map[string]any:
		if after, same := after.(map[string]any); same {
			for key, was := range before {
				removed(jsontext.Member(path, key), was, after[key], out)
			}
			return
		}
	case []any:
		if after, same := after.([]any); same && len(before) <= len(after) {
			for i, was := range before {
				removed(fmt.Sprintf("%s[%d]", path, i), was, after[i], out)
			}
			return
		} else if same {
			*out = append(*out, path)
			return
		}
	}
	if isZero(after) && !isZero(before) {
		*out = append(*out, path)
	}
}

// isZero reports whether a value is null or the zero value of its type.
func isZero(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case bool:
		return !v
	case string:
		return v == ""
	case json.Number:
		f, err := v.Float64()
		return err == nil && f == 0
	case map[string]any:
		return len(v) == 0
	case []any:
		return len(v) == 0
	}
	return false
}

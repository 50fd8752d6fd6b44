package history

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vedette-io/vedette/job"
)

// FieldChange is a field of the spec that differs between two jobs.
type FieldChange struct {
	// Path is the path in the notation of API servers:
	// "spec.template.spec.containers[0].image".
	Path string
	// Old and New are the values as text, truncated to 200 bytes. They are empty if the
	// field is missing.
	Old, New string
}

// Limits of a comparison.
const (
	maxFieldChanges = 50
	maxFieldValue   = 200
	maxFieldDepth   = 60
)

// ofControllers are parts of paths that controllers write, so that they differ between any
// two jobs.
var ofControllers = []string{
	"spec.selector.", "controller-uid", "job-name", "kueue.x-k8s.io/", "creationTimestamp",
}

// ofRun reports whether a field belongs to one run of a job, or controllers write it.
func ofRun(path string) bool {
	return slices.ContainsFunc(ofControllers, func(part string) bool { return strings.Contains(path, part) }) || slices.Contains(job.RunFields(), path)
}

// fieldChanges returns the fields of the spec that differ between two bodies, by path,
// without the fields of controllers. known is false if a body is unreadable.
func fieldChanges(before, after []byte) (changes []FieldChange, known bool) {
	from, ok := specFields(before)
	to, also := specFields(after)
	if !ok || !also {
		return nil, false
	}
	paths := slices.Sorted(maps.Keys(from))
	for path := range to {
		if _, both := from[path]; !both {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	for _, path := range paths {
		if from[path] != to[path] && !ofRun(path) {
			changes = append(changes, FieldChange{path, shorten(from[path]), shorten(to[path])})
		}
		if len(changes) == maxFieldChanges {
			break
		}
	}
	return changes, true
}

// specFields returns the values of the spec by path.
func specFields(body []byte) (map[string]string, bool) {
	var object struct {
		Spec any `json:"spec"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&object) != nil {
		return nil, false
	}
	fields := map[string]string{}
	flatten(fields, "spec", object.Spec, 0)
	return fields, true
}

// flatten adds the values below a path. Empty lists and mappings count as values.
func flatten(fields map[string]string, path string, v any, depth int) {
	if depth == maxFieldDepth {
		return
	}
	switch v := v.(type) {
	case nil:
	case map[string]any:
		for name, below := range v {
			step := "." + name
			if strings.ContainsAny(name, "./[]") {
				step = "[" + name + "]"
			}
			flatten(fields, path+step, below, depth+1)
		}
	case []any:
		for i, below := range v {
			flatten(fields, fmt.Sprintf("%s[%d]", path, i), below, depth+1)
		}
	case string:
		fields[path] = cmp.Or(v, `""`)
	default:
		fields[path] = fmt.Sprint(v)
	}
}

// shorten truncates a value.
func shorten(text string) string {
	if len(text) <= maxFieldValue {
		return text
	}
	cut := maxFieldValue - len("…")
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return text[:cut] + "…"
}

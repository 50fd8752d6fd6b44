package job

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// Object is a JSON object. Objects come from users: every method returns the zero value
// for a value of an unexpected type. Numbers may have any type that a decoder of JSON or
// of Kubernetes produces.
type Object map[string]any

// maxBody is the maximum size of a body that is decoded. The API server accepts no larger
// objects.
const maxBody = 4 << 20

// ParseObject returns nil for a text that is not a JSON object, or is longer than 4 MiB.
func ParseObject(body []byte) Object {
	if len(body) > maxBody {
		return nil
	}
	var o Object
	if err := json.Unmarshal(body, &o); err != nil {
		return nil
	}
	return o
}

// At returns the value at a path, or nil.
func (o Object) At(path ...string) any {
	var v any = map[string]any(o)
	for _, name := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

// Map returns an object within the object.
func (o Object) Map(path ...string) Object {
	m, _ := o.At(path...).(map[string]any)
	return m
}

// Text returns a text.
func (o Object) Text(path ...string) string {
	s, _ := o.At(path...).(string)
	return s
}

// Number returns a 32-bit integer, and whether it exists.
func (o Object) Number(path ...string) (int, bool) {
	f, ok := float(o.At(path...))
	if !ok || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// Count returns a number of replicas. A missing or negative number counts as the default.
func (o Object) Count(otherwise int, path ...string) int {
	if n, ok := o.Number(path...); ok && n >= 0 {
		return n
	}
	return otherwise
}

// Integer returns a number of any size, or 0.
func (o Object) Integer(path ...string) int64 {
	f, _ := float(o.At(path...))
	return int64(f)
}

// Moment returns a time in UTC; zero if it is missing or invalid.
func (o Object) Moment(path ...string) time.Time { return parseTime(o.Text(path...)) }

// parseTime parses a time in the format of the API.
func parseTime(text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if text == "" || err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// Annotation returns an annotation of the object.
func (o Object) Annotation(name string) string { return o.Text("metadata", "annotations", name) }

// created returns when the object was created.
func (o Object) created() time.Time { return o.Moment("metadata", "creationTimestamp") }

// deletionRequested returns when the deletion of the object was requested. Its
// deletionTimestamp is the end of its grace period.
func (o Object) deletionRequested() time.Time {
	at := o.Moment("metadata", "deletionTimestamp")
	if at.IsZero() {
		return at
	}
	return at.Add(-time.Duration(o.Integer("metadata", "deletionGracePeriodSeconds")) * time.Second)
}

// each calls f for the objects in an array. It allocates less than List.
func (o Object) each(f func(Object), path ...string) {
	array, _ := o.At(path...).([]any)
	for _, v := range array {
		if m, ok := v.(map[string]any); ok {
			f(m)
		}
	}
}

// List returns the objects in an array.
func (o Object) List(path ...string) (all []Object) {
	array, _ := o.At(path...).([]any)
	for _, v := range array {
		if m, ok := v.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

// Texts returns the texts in an array.
func (o Object) Texts(path ...string) (all []string) {
	array, _ := o.At(path...).([]any)
	for _, v := range array {
		if s, ok := v.(string); ok {
			all = append(all, s)
		}
	}
	return all
}

// Group returns the API group.
func (o Object) Group() string { return groupOf(o.Text("apiVersion")) }

// groupOf returns the API group of an apiVersion.
func groupOf(apiVersion string) string {
	group, _, named := strings.Cut(apiVersion, "/")
	if !named { // the core group has no name
		return ""
	}
	return group
}

// Type returns the group and the kind, such as "batch/Job". The core group is empty.
func (o Object) Type() string { return o.Group() + "/" + o.Text("kind") }

// Scalar returns a text, a number or a bool as text.
func (o Object) Scalar(path ...string) (string, bool) {
	v := o.At(path...)
	if f, ok := float(v); ok {
		return strconv.FormatFloat(f, 'f', -1, 64), true
	}
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

// JSON returns the value at a path as JSON, or "" if it does not exist.
func (o Object) JSON(path ...string) string {
	v := o.At(path...)
	if v == nil {
		return ""
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if enc.Encode(v) != nil {
		return ""
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// float returns a number.
func float(v any) (float64, bool) {
	switch n := v.(type) {
	case float64:
		return n, true
	case int64:
		return float64(n), true
	case int:
		return float64(n), true
	case json.Number:
		f, err := n.Float64()
		return f, err == nil
	}
	return 0, false
}

// laterOf returns the later of two times.
func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// remove removes a field of an object.
func (o Object) remove(path ...string) {
	if last := len(path) - 1; last >= 0 {
		delete(o.Map(path[:last]...), path[last])
	}
}

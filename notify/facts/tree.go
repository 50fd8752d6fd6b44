package facts

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// tree is an object as JSON has it. Objects come from users: every function returns the zero
// value for a value of another type than it expects.
type tree map[string]any

// maxBody is the size of the largest body that is decoded. The API server accepts no larger
// objects.
const maxBody = 4 << 20

// parseTree returns nil for a text that is no JSON object, or too long.
func parseTree(text []byte) tree {
	if len(text) > maxBody {
		return nil
	}
	var t tree
	if err := json.Unmarshal(text, &t); err != nil {
		return nil
	}
	return t
}

func (t tree) at(path ...string) any {
	var v any = map[string]any(t)
	for _, name := range path {
		m, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = m[name]
	}
	return v
}

func (t tree) tree(path ...string) tree {
	m, _ := t.at(path...).(map[string]any)
	return m
}

func (t tree) text(path ...string) string {
	s, _ := t.at(path...).(string)
	return s
}

// number returns an integer, and whether there is one.
func (t tree) number(path ...string) (int, bool) {
	f, ok := t.at(path...).(float64)
	if !ok || f != math.Trunc(f) || math.Abs(f) > math.MaxInt32 {
		return 0, false
	}
	return int(f), true
}

// count returns a number of replicas: the default if there is none or it is negative.
func (t tree) count(otherwise int, path ...string) int {
	if n, ok := t.number(path...); ok && n >= 0 {
		return n
	}
	return otherwise
}

func (t tree) moment(path ...string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, t.text(path...))
	if err != nil {
		return time.Time{}
	}
	return at.UTC()
}

// list returns the objects in an array.
func (t tree) list(path ...string) (all []tree) {
	array, _ := t.at(path...).([]any)
	for _, v := range array {
		if m, ok := v.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}

// group returns the API group.
func (t tree) group() string {
	group, _, named := strings.Cut(t.text("apiVersion"), "/")
	if !named {
		return ""
	}
	return group
}

// scalar returns a text, a number or a truth value as text.
func (t tree) scalar(path ...string) (string, bool) {
	switch v := t.at(path...).(type) {
	case string:
		return v, true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case bool:
		return strconv.FormatBool(v), true
	}
	return "", false
}

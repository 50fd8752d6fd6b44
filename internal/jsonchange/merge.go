package jsonchange

import (
	"fmt"
	"reflect"

	"github.com/vedette-io/vedette/internal/jsontext"
)

// place is a value within an object.
type place struct {
	path string       // for errors
	of   reflect.Type // nil if it is unknown
}

func (p place) member(key string) place {
	return place{jsontext.Member(p.path, key), memberOf(p.of, key)}
}

func (p place) element(i int) place { return place{fmt.Sprintf("%s[%d]", p.path, i), elementOf(p.of)} }

// merge returns raw with the change from before to after.
//
// Errors: a list that changes, and that has another length in raw than in before, so that its
// elements cannot be identified.
func merge(at place, raw, before, after any) (any, error) {
	if reflect.DeepEqual(before, after) {
		return raw, nil
	}
	switch raw := raw.(type) {
	case map[string]any:
		b, isMap := before.(map[string]any)
		a, stays := after.(map[string]any)
		if isMap && stays {
			return mergeMap(at, raw, b, a)
		}
	case []any:
		b, isList := before.([]any)
		a, stays := after.([]any)
		if isList && stays {
			return mergeList(at, raw, b, a)
		}
	}
	return after, nil
}

// mergeMap keeps the members of raw that before does not have.
func mergeMap(at place, raw, before, after map[string]any) (map[string]any, error) {
	out := map[string]any{}
	for key, value := range raw {
		was, known := before[key]
		_, stays := after[key]
		switch {
		case !known:
			out[key] = value
		case !stays && isPart(at.member(key).of):
			rest, err := merge(at.member(key), value, was, map[string]any{})
			if err != nil {
				return nil, err
			}
			if members, isMap := rest.(map[string]any); isMap && len(members) > 0 {
				out[key] = rest
			}
		}
	}
	for key, value := range after {
		was, known := before[key]
		original, sent := raw[key]
		if _, isMap := original.(map[string]any); !known && isMap {
			// The Go type leaves out the value, because it knows none of its members.
			was, known = map[string]any{}, true
		}
		switch {
		case known && sent:
			var err error
			if out[key], err = merge(at.member(key), original, was, value); err != nil {
				return nil, err
			}
		case !known || !reflect.DeepEqual(was, value): // new, or a default of the Go type that was changed
			out[key] = value
		}
	}
	return out, nil
}

// mergeList merges each element of after with the element of before that it was.
func mergeList(at place, raw, before, after []any) ([]any, error) {
	if len(raw) != len(before) {
		return nil, fmt.Errorf("%s has %d elements on the server, and %d in the object that was changed", at.path, len(raw), len(before))
	}
	out := make([]any, len(after))
	for i, from := range origins(before, after) {
		if out[i] = after[i]; from >= 0 {
			var err error
			if out[i], err = merge(at.element(i), raw[from], before[from], after[i]); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

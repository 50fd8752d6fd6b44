package jsonchange

import (
	"reflect"
)

// Lists reports whether a merge patch replaces lists.
type Lists uint8

const (
	// NoLists: the patch replaces no list.
	NoLists Lists = iota
	// ReplacesLists: the patch replaces a list as a whole. Its elements may have members on the
	// server that the Go type lacks.
	ReplacesLists
)

// MergePatch returns the change as a merge patch (RFC 7386).
func (c Change) MergePatch() (map[string]any, Lists) {
	before, _ := c.before.(map[string]any)
	after, _ := c.after.(map[string]any)
	return mergePatch(c.of, before, after)
}

// MergePatchOf is MergePatch for raw, the object that the Go type was decoded from. The elements
// of the lists in the patch keep the members that the Go type lacks.
//
// Errors: those of Merged.
func (c Change) MergePatchOf(raw []byte) (map[string]any, error) {
	whole, err := c.in(raw)
	if err != nil {
		return nil, err
	}
	patch, _ := whole.MergePatch()
	return patch, nil
}

func mergePatch(of reflect.Type, before, after map[string]any) (patch map[string]any, lists Lists) {
	patch = map[string]any{}
	for key, was := range before {
		if after[key] != nil || was == nil {
			continue
		}
		from, isMap := was.(map[string]any)
		below := listsIn(was)
		if part := memberOf(of, key); isMap && isPart(part) {
			patch[key], below = mergePatch(part, from, nil)
		} else {
			patch[key] = nil
		}
		lists = max(lists, below)
	}
	for key, now := range after {
		was := before[key]
		if now == nil || reflect.DeepEqual(was, now) {
			continue
		}
		from, isMap := was.(map[string]any)
		to, stays := now.(map[string]any)
		switch below := NoLists; {
		case isMap && stays:
			patch[key], below = mergePatch(memberOf(of, key), from, to)
			lists = max(lists, below)
		default:
			patch[key] = now
			lists = max(lists, listsIn(was), listsIn(now))
		}
	}
	return patch, lists
}

// listsIn returns ReplacesLists for a list.
func listsIn(v any) Lists {
	if _, is := v.([]any); is {
		return ReplacesLists
	}
	return NoLists
}

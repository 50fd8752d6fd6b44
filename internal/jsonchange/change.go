package jsonchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
)

// Change is the difference between two states of an object, both encoded from one Go type.
type Change struct {
	before, after any
	of            reflect.Type // nil if it is unknown
}

// Between returns the change from before to after, which are encoded from the type of.
//
// Errors: JSON that cannot be decoded.
func Between(before, after []byte, of reflect.Type) (c Change, err error) {
	c.of = of
	if c.before, err = decode(before); err != nil {
		return c, err
	}
	c.after, err = decode(after)
	return c, err
}

// Empty reports whether the change changes nothing.
func (c Change) Empty() bool { return reflect.DeepEqual(c.before, c.after) }

// Merged returns raw with the change. raw is the object that the Go type was decoded from.
//
// Errors: JSON that cannot be decoded; a changed list that has another length in raw.
func (c Change) Merged(raw []byte) ([]byte, error) {
	whole, err := c.in(raw)
	if err != nil {
		return nil, err
	}
	return json.Marshal(whole.after)
}

// Operations returns the change as a JSON patch of raw (RFC 6902); nil if it changes nothing.
//
// Errors: those of Merged.
func (c Change) Operations(raw []byte) ([]byte, error) {
	whole, err := c.in(raw)
	if err != nil {
		return nil, err
	}
	var operations []operation
	if err := diff("", whole.before, whole.after, &operations); err != nil || len(operations) == 0 {
		return nil, err
	}
	return json.Marshal(operations)
}

// in returns the change of raw that corresponds to c.
func (c Change) in(raw []byte) (whole Change, err error) {
	if whole.before, err = decode(raw); err != nil {
		return whole, err
	}
	whole.after, err = merge(place{of: c.of}, whole.before, c.before, c.after)
	return whole, err
}

// decode decodes JSON into maps, slices and plain values. An int64 does not fit into a
// float64, so numbers keep their text.
func decode(text []byte) (tree any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&tree); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	return tree, nil
}

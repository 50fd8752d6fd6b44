package template

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Values are the values of parameters by name. A missing or nil value means the default.
type Values map[string]any

// Convert returns a value of the parameter's Go type. It accepts values from JSON, YAML or
// Go; it does not parse texts as numbers.
//
// Errors: the value has another type, or is not allowed. The errors do not name the
// parameter.
func (p *Parameter) Convert(v any) (any, error) {
	var ok bool
	switch p.Type {
	case Text, Choice:
		v, ok = v.(string)
	case Boolean:
		v, ok = v.(bool)
	case Integer:
		v, ok = integer(v)
	case Number:
		v, ok = number(v)
	case Quantity:
		v, ok = quantityText(v)
	case List:
		v, ok = list(v)
	case Map:
		v, ok = mapping(v)
	}
	if !ok {
		return nil, fmt.Errorf("must be %s", p.wants())
	}
	return v, p.check(v)
}

// FromText converts the text of a flag or of a form field. For a list it is one item, or a
// list in JSON; for a map it is name=value, or a mapping in JSON.
//
// Errors: see Convert.
func (p *Parameter) FromText(text string) (any, error) {
	var v any
	var err error
	switch p.Type {
	case Integer:
		v, err = strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	case Number:
		v, err = strconv.ParseFloat(strings.TrimSpace(text), 64)
	case Boolean:
		v, err = strconv.ParseBool(strings.TrimSpace(text))
	case Quantity:
		v = strings.TrimSpace(text)
	case List:
		if v = []string{text}; strings.HasPrefix(text, "[") {
			err = json.Unmarshal([]byte(text), &v)
		}
	case Map:
		name, value, found := strings.Cut(text, "=")
		switch {
		case strings.HasPrefix(text, "{"):
			err = json.Unmarshal([]byte(text), &v)
		case !found || name == "":
			return nil, fmt.Errorf("must be name=value, not %s", clip(text))
		default:
			v = map[string]string{name: value}
		}
	default:
		v = text
	}
	if err != nil {
		return nil, fmt.Errorf("must be %s, not %s", p.wants(), clip(text))
	}
	return p.Convert(v)
}

// add combines two values of the same type: lists and maps are merged, other values are
// replaced.
func (p *Parameter) add(before, v any) (any, error) {
	switch more := v.(type) {
	case []string:
		old, _ := before.([]string)
		v = slices.Concat(old, more)
	case map[string]string:
		old, _ := before.(map[string]string)
		both := maps.Clone(more)
		for name, value := range old {
			if _, again := more[name]; !again {
				both[name] = value
			}
		}
		v = both
	}
	return v, p.check(v)
}

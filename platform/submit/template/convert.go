package template

import (
	"encoding/json"
	"maps"
	"math"
	"slices"
	"strconv"
)

func integer(v any) (any, bool) {
	switch v := v.(type) {
	case int:
		return int64(v), true
	case int32:
		return int64(v), true
	case int64:
		return v, true
	case float64:
		return int64(v), v == math.Trunc(v) && math.Abs(v) <= 1<<53
	case json.Number:
		i, err := v.Int64()
		return i, err == nil
	}
	return nil, false
}

func number(v any) (any, bool) {
	f, ok := math.NaN(), false
	switch v := v.(type) {
	case int:
		f, ok = float64(v), true
	case int64:
		f, ok = float64(v), true
	case float64:
		f, ok = v, true
	case json.Number:
		parsed, err := v.Float64()
		f, ok = parsed, err == nil
	}
	return f, ok && !math.IsNaN(f) && !math.IsInf(f, 0)
}

func quantityText(v any) (any, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case int:
		return strconv.Itoa(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), true
	case json.Number:
		return v.String(), true
	}
	return nil, false
}

func list(v any) (any, bool) {
	switch v := v.(type) {
	case []string:
		return slices.Clone(v), true
	case []any:
		texts := make([]string, len(v))
		for i, item := range v {
			text, ok := item.(string)
			if !ok {
				return nil, false
			}
			texts[i] = text
		}
		return texts, true
	}
	return nil, false
}

func mapping(v any) (any, bool) {
	switch v := v.(type) {
	case map[string]string:
		return maps.Clone(v), true
	case map[string]any:
		texts := map[string]string{}
		for name, item := range v {
			text, ok := item.(string)
			if !ok {
				return nil, false
			}
			texts[name] = text
		}
		return texts, true
	}
	return nil, false
}

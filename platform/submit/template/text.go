package template

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Limits of values.
const (
	maxText     = 64 << 10 // bytes of one text
	maxItems    = 1000     // of a list or map
	maxValues   = 512 << 10
	maxQuantity = 64 // bytes
)

// cloneValue returns a copy of a value of a parameter.
func cloneValue(v any) any {
	switch v := v.(type) {
	case []string:
		return slices.Clone(v)
	case map[string]string:
		return maps.Clone(v)
	}
	return v
}

// parseQuantity is resource.ParseQuantity for texts of limited length.
func parseQuantity(text string) (resource.Quantity, bool) {
	if len(text) > maxQuantity {
		return resource.Quantity{}, false
	}
	q, err := resource.ParseQuantity(text)
	return q, err == nil
}

// isText reports whether an object may contain a text: it is UTF-8 and has no control
// characters except tabs and line ends.
func isText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r >= 0x7f && r < 0xa0
	})
}

// clip quotes the beginning of a text, for errors.
func clip(text string) string {
	const most = 60
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(text)
}

package jobtrace

import (
	"strings"
	"unicode/utf8"

	common "go.opentelemetry.io/proto/otlp/common/v1"
)

// maxText is the maximum length of a text in bytes.
const maxText = 1024

// attributes are the attributes of a span, an event or a resource.
type attributes []*common.KeyValue

// text adds an attribute unless it is empty.
func (a *attributes) text(name, value string) {
	if value != "" {
		a.add(name, &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: clean(value)}})
	}
}

func (a *attributes) number(name string, n int) {
	a.add(name, &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: int64(n)}})
}

func (a *attributes) seconds(name string, s float64) {
	a.add(name, &common.AnyValue{Value: &common.AnyValue_DoubleValue{DoubleValue: s}})
}

func (a *attributes) truth(name string, v bool) {
	a.add(name, &common.AnyValue{Value: &common.AnyValue_BoolValue{BoolValue: v}})
}

func (a *attributes) add(name string, value *common.AnyValue) {
	*a = append(*a, &common.KeyValue{Key: name, Value: value})
}

// clean returns valid UTF-8 of limited length. Protobuf rejects other text, and texts come
// from users.
func clean(s string) string {
	if len(s) > maxText {
		end := maxText
		for end > maxText-utf8.UTFMax && !utf8.RuneStart(s[end]) {
			end--
		}
		s = s[:end]
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

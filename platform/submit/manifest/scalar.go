package manifest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// truths and falsehoods are the words that kubectl reads as true and false, because it
// reads YAML 1.1. YAML 1.2 reads them as text.
var (
	truths     = []string{"y", "Y", "yes", "Yes", "YES", "on", "On", "ON"}
	falsehoods = []string{"n", "N", "no", "No", "NO", "off", "Off", "OFF"}
)

// Scalar returns the value of a YAML scalar as kubectl reads it: nil, a bool, an int64, a
// float64 or a string.
//
// Errors: a number that JSON does not support; a text that is not UTF-8; a value with a
// custom tag.
func Scalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		return strconv.ParseBool(n.Value)
	case "!!int":
		var i int64
		if err := n.Decode(&i); err != nil {
			return nil, fmt.Errorf("the number %s is too large", clip(n.Value))
		}
		return i, nil
	case "!!float":
		var f float64
		if err := n.Decode(&f); err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("%s is no number of JSON", clip(n.Value))
		}
		return f, nil
	case "!!str", "!!timestamp":
		switch plain := n.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle|yaml.TaggedStyle) == 0; {
		case plain && slices.Contains(truths, n.Value):
			return true, nil
		case plain && slices.Contains(falsehoods, n.Value):
			return false, nil
		case !utf8.ValidString(n.Value):
			return nil, fmt.Errorf("the text %s is not UTF-8", clip(n.Value))
		}
		return n.Value, nil
	}
	return nil, fmt.Errorf("values with the tag %s are not taken; write the value without it", clip(n.Tag))
}

// clip quotes the beginning of a text, for errors.
func clip(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return strconv.Quote(text)
}

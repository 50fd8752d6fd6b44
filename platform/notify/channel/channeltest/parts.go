package channeltest

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// object is a decoded JSON object.
type object map[string]any

func parse(payload string) object {
	var o object
	if json.Unmarshal([]byte(payload), &o) != nil {
		return nil
	}
	return o
}

func (o object) object(key string) object {
	m, _ := o[key].(map[string]any)
	return m
}

func (o object) text(key string) string {
	s, _ := o[key].(string)
	return s
}

func (o object) list(key string) (all []object) {
	items, _ := o[key].([]any)
	for _, i := range items {
		m, _ := i.(map[string]any)
		all = append(all, m)
	}
	return all
}

// visitAll calls visit for every object in a value, outer objects first.
func visitAll(value any, visit func(object)) {
	switch v := value.(type) {
	case object:
		visitAll(map[string]any(v), visit)
	case map[string]any:
		visit(v)
		for _, inner := range v {
			visitAll(inner, visit)
		}
	case []any:
		for _, inner := range v {
			visitAll(inner, visit)
		}
	}
}

// anyOf reports whether a text is one of the others.
func anyOf(text string, others ...string) bool {
	return slices.Contains(others, text)
}

// webLink reports whether a text is a URL that a client can open.
func webLink(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

// linkToPortal matches a link of Markdown that leads to the portal.
var linkToPortal = regexp.MustCompile(`\[([^\[\]\n]*)\]\(` + regexp.QuoteMeta(Portal) + `/[^()\s<>]*\)`)

// bold matches bold text without markup in it.
var bold = regexp.MustCompile(`\*\*([^*\n]*)\*\*`)

// rest returns the lines of a text without the markup that a channel may write: the tags,
// links to the portal, bold text and the beginnings of lines.
func rest(text string, tags, begins *regexp.Regexp) (lines []string) {
	text = tags.ReplaceAllString(text, "")
	text = linkToPortal.ReplaceAllString(text, "$1")
	text = bold.ReplaceAllString(text, "$1")
	for line := range strings.Lines(text) {
		lines = append(lines, begins.ReplaceAllString(strings.TrimRight(line, " \n"), ""))
	}
	return lines
}

// findIn returns the findings of a finder in lines.
func findIn(lines []string, find func(string) []string) (all []string) {
	for _, l := range lines {
		for _, f := range find(l) {
			all = append(all, f+" in "+l)
		}
	}
	return all
}

package template

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/vedette-io/vedette/internal/yamlfile"
)

// maxProse is the maximum number of bytes of a text for people.
const maxProse = 4 << 10

// reader reads the nodes of a template's file.
type reader struct{ *yamlfile.Reader }

// prose returns a text for people.
func (p *reader) prose(n *yaml.Node, what string) string {
	text := strings.TrimSpace(p.Word(n, what))
	if len(text) > maxProse || !isText(text) {
		p.Complain(n.Line, "%s has control characters, or more than %d bytes", what, maxProse)
	}
	return text
}

// firstLine returns the line of the first character of a text.
func firstLine(n *yaml.Node) int {
	if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 {
		return n.Line + 1 // the text begins on the line after | or >
	}
	return n.Line
}

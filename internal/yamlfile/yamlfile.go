// Package yamlfile reads YAML files that people write, and reports all their mistakes at
// once, each with its line.
package yamlfile

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxSize is the maximum size of a file in bytes.
const MaxSize = 1 << 20

// Reader reads the nodes of one file, and collects their mistakes. It belongs to one
// goroutine.
type Reader struct {
	name     string
	mistakes []mistake // the first ones
	count    int
}

type mistake struct {
	line int
	err  error
}

// New returns a Reader for nodes that the caller decoded. Errors have name before the
// line.
func New(name string) *Reader { return &Reader{name: name} }

// Load returns the root of a file, or nil for an empty file.
//
// Errors: the file cannot be read, is too large, or is not valid YAML.
func Load(path string) (*Reader, *yaml.Node, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return nil, nil, err
	}
	return Parse(path, text)
}

// Parse is Load for a text. Errors have name before the line.
func Parse(name string, text []byte) (*Reader, *yaml.Node, error) {
	r := &Reader{name: name}
	if len(text) > MaxSize {
		return r, nil, fmt.Errorf("%s: a file of more than %d bytes is refused", name, MaxSize)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	var doc, more yaml.Node
	if err := decoder.Decode(&doc); errors.Is(err, io.EOF) {
		return r, nil, nil
	} else if err != nil {
		return r, nil, r.syntax(err)
	}
	if err := decoder.Decode(&more); err == nil {
		return r, nil, fmt.Errorf("%s:%d: a second document begins here, and would not be read: make it one, or two files", name, more.Line)
	} else if !errors.Is(err, io.EOF) {
		return r, nil, r.syntax(err)
	}
	root := doc.Content[0]
	r.check(root)
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return r, nil, nil // only comments
	}
	return r, root, nil
}

var lineOf = regexp.MustCompile(`^yaml: line (\d+): `)

// noReference does not contain the name, which may be a password that begins with "*".
const noReference = "a reference (a text that begins with *) is not allowed: write the value out, or quote the text"

var unknownAnchor = regexp.MustCompile(`unknown anchor '.*' referenced`)

// syntax converts an error of the library to the form of our mistakes.
func (r *Reader) syntax(err error) error {
	line, text := Syntax(err)
	if line > 0 {
		return fmt.Errorf("%s:%d: invalid YAML: %s", r.name, line, text)
	}
	return fmt.Errorf("%s: invalid YAML: %s", r.name, text)
}

// Syntax returns the line of an error of the YAML library, or 0, and its text.
func Syntax(err error) (line int, text string) {
	text = unknownAnchor.ReplaceAllLiteralString(err.Error(), noReference)
	if m := lineOf.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1]) // a number out of range leaves the line unknown
		return line, strings.TrimPrefix(text, m[0])
	}
	return 0, strings.TrimPrefix(text, "yaml: ")
}

// check refuses references, because they can make a small file huge.
func (r *Reader) check(n *yaml.Node) {
	if n.Kind == yaml.AliasNode {
		r.Complain(n.Line, "%s", noReference)
		return
	}
	for _, below := range n.Content {
		r.check(below)
	}
}

// maxMistakes is the maximum number of reported mistakes. Nobody reads more, and a hostile
// file may have one in each line.
const maxMistakes = 200

// Complain adds a mistake. After 200 mistakes it only counts.
func (r *Reader) Complain(line int, format string, args ...any) {
	if r.count++; r.count > maxMistakes {
		return
	}
	r.mistakes = append(r.mistakes, mistake{line, fmt.Errorf("%s:%d: "+format, append([]any{r.name, line}, args...)...)})
}

// Count returns the number of mistakes so far.
func (r *Reader) Count() int { return r.count }

// Err returns the first 200 mistakes, joined, in the order of their lines; nil if there
// are none.
func (r *Reader) Err() error {
	slices.SortStableFunc(r.mistakes, func(a, b mistake) int { return cmp.Compare(a.line, b.line) })
	var errs []error
	for _, m := range r.mistakes {
		errs = append(errs, m.err)
	}
	if more := r.count - len(r.mistakes); more > 0 {
		errs = append(errs, fmt.Errorf("%s: %d further mistakes", r.name, more))
	}
	return errors.Join(errs...)
}

// At returns the name of the file with the line of a node.
func (r *Reader) At(n *yaml.Node) string { return r.name + ":" + strconv.Itoa(n.Line) }

// Fields returns the values of a mapping by their names. Unknown and repeated names are
// mistakes.
func (r *Reader) Fields(n *yaml.Node, what string, known ...string) map[string]*yaml.Node {
	found := map[string]*yaml.Node{}
	switch {
	case n == nil || n.Kind == yaml.AliasNode:
		return found
	case n.Kind != yaml.MappingNode:
		r.Complain(n.Line, "%s must be a mapping with %s", what, strings.Join(known, ", "))
		return found
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name := n.Content[i]
		switch {
		case !slices.Contains(known, name.Value):
			r.Complain(name.Line, "%s has no field %q; it has %s", what, name.Value, strings.Join(known, ", "))
		case found[name.Value] != nil:
			r.Complain(name.Line, "%s has %q twice", what, name.Value)
		}
		found[name.Value] = n.Content[i+1]
	}
	return found
}

// List returns the items of a sequence; line is the line of a mistake if it is missing.
func (r *Reader) List(n *yaml.Node, line int, what string) []*yaml.Node {
	switch {
	case n == nil:
		r.Complain(line, "%s is missing", what)
	case n.Kind == yaml.AliasNode:
	case n.Kind != yaml.SequenceNode:
		r.Complain(n.Line, "%s must be a list", what)
	default:
		return n.Content
	}
	return nil
}

// Word returns a text, or "" if it is missing.
func (r *Reader) Word(n *yaml.Node, what string) string {
	switch {
	case n == nil || n.Kind == yaml.AliasNode || n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return ""
	case n.Kind != yaml.ScalarNode:
		r.Complain(n.Line, "%s must be a word", what)
		return ""
	}
	return n.Value
}

// Words returns a list of texts; a single text counts as a list.
func (r *Reader) Words(n *yaml.Node, what string) []string {
	if n == nil || n.Kind != yaml.SequenceNode {
		if word := r.Word(n, what); word != "" {
			return []string{word}
		}
		return nil
	}
	var words []string
	for _, item := range n.Content {
		word := r.Word(item, "each of "+what)
		if word == "" && item.Kind == yaml.ScalarNode {
			r.Complain(item.Line, "%s has an empty item", what)
		}
		words = append(words, word)
	}
	return words
}

// Truth returns a bool.
func (r *Reader) Truth(n *yaml.Node, what string) bool {
	if n == nil {
		return false
	}
	yes, err := strconv.ParseBool(n.Value)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || err != nil {
		r.Complain(n.Line, "%s must be true or false", what)
	}
	return yes
}

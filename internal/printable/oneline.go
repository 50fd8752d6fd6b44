package printable

import "strings"

// OneLine returns text with each run of white space, including line feeds, replaced by one
// space.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

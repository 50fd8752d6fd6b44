package printable

import "strings"

// OneLine returns text with each run of white space, line feeds too, replaced by one space.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

package stats

// GapCause returns why something was not watched, in a language ("en" or "zh"). cause is one of
// the causes of package history.
func GapCause(cause, language string) string { return causeOfGap(cause, language) }

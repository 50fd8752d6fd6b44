package stats

// GapCause describes the cause of a gap in a language ("en" or "zh"). cause is a cause of package
// history.
func GapCause(cause, language string) string { return causeOfGap(cause, language) }

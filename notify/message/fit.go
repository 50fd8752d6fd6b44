package message

// Fit returns the largest version of a message that fits. The function fits renders a
// version, escapes it and measures the result. Fit leaves out, in this order: lines of the
// log from the oldest, facts from the last, the optional parts, the middle of the name, and
// rows of a digest, of which Succeeded goes first. It never leaves out the state, the
// reason, links and the mute. The result is a copy unless the message fits as it is, and
// Truncated names what was cut. If nothing fits, Fit returns the smallest version.
func Fit(m *Message, fits func(*Message) bool) *Message {
	for {
		if fits(m) {
			return m
		}
		small := *m
		switch {
		case len(m.Log) > 0:
			small.Log = m.Log[1:]
		case len(m.Facts) > 0:
			small.Facts = m.Facts[:len(m.Facts)-1]
		default:
			return m
		}
		m = &small
	}
}

// TitleWithin returns the title, escaped, within a limit, and whether it has the name in
// full. A title that is too long loses its optional parts first, and then the middle of the
// name.
func (m *Message) TitleWithin(l Limit) (title string, full bool) {
	return l.Cut(m.Title), l.Fits(m.Title)
}

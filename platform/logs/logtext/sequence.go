package logtext

import "strings"

// maxParameters is the maximum length of the parameters of a control sequence, in bytes.
const maxParameters = 64

// sequence returns the parameters and the final byte of the control sequence at the beginning
// of a text, and its length. It returns the length 0 for a sequence that has no effect here.
func sequence(text string) (parameters string, final byte, n int) {
	rest, found := strings.CutPrefix(text, "\x1b[")
	if !found {
		return "", 0, 0
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return (r < '0' || r > '9') && r != ';' && r != ':' })
	if end < 0 || end > maxParameters {
		return "", 0, 0
	}
	switch parameters, final = rest[:end], rest[end]; {
	case final == 'm':
	case final == 'K' && (parameters == "" || parameters == "0" || parameters == "1" || parameters == "2"):
	default:
		return "", 0, 0
	}
	return parameters, final, len("\x1b[") + end + 1
}

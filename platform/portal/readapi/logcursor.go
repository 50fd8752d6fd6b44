package readapi

import (
	"encoding/base64"
	"fmt"
	"time"
)

// logCursor is a position in a log: after a number of lines of a microsecond, or before the
// last number of lines up to a microsecond.
type logCursor struct {
	at   int64 // microseconds since 1970
	n    int
	back bool // selects the lines before the position
}

func (c logCursor) String() string {
	kind := 'f'
	if c.back {
		kind = 'b'
	}
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%c%d,%d", kind, c.at, c.n))
}

// parseLogCursor reads a cursor.
//
// Errors: *api.Problem.
func parseLogCursor(text string) (c logCursor, err error) {
	var kind rune
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return c, badCursor()
	}
	if n, err := fmt.Sscanf(string(raw), "%c%d,%d", &kind, &c.at, &c.n); n != 3 || err != nil || c.n < 0 || kind != 'f' && kind != 'b' {
		return logCursor{}, badCursor()
	}
	c.back = kind == 'b'
	if c.String() != text {
		return logCursor{}, badCursor()
	}
	return c, nil
}

// time returns the microsecond of the cursor.
func (c logCursor) time() time.Time { return time.UnixMicro(c.at).UTC() }

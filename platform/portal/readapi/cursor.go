package readapi

import (
	"encoding/base64"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/vedette-io/vedette/platform/portal/api"
	"github.com/vedette-io/vedette/platform/portal/web"
)

// badCursor is the answer for an invalid cursor.
func badCursor() *api.Problem {
	return web.Invalid("The cursor is not one of this list. Begin again without it.", api.FieldProblem{Field: "after", Message: "not a cursor of this list"})
}

// offsetCursor returns the cursor of an offset in a list.
func offsetCursor(at int) string {
	return base64.RawURLEncoding.EncodeToString([]byte("o" + strconv.Itoa(at)))
}

// offsetOf returns the offset of a cursor; the empty cursor is the beginning.
//
// Errors: *api.Problem.
func offsetOf(cursor string) (int, error) {
	if cursor == "" {
		return 0, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	rest, ok := strings.CutPrefix(string(text), "o")
	at, failed := strconv.Atoi(rest)
	if err != nil || !ok || failed != nil || at < 0 {
		return 0, badCursor()
	}
	return at, nil
}

// part returns a page of a list in memory, and the cursor of the next one.
func part[T any](all []T, from, limit int) (page []T, next string) {
	from = min(from, len(all))
	to := from + min(limit, len(all)-from)
	if page = all[from:to]; page == nil {
		page = []T{}
	}
	if to < len(all) {
		next = offsetCursor(to)
	}
	return page, next
}

// decode decodes JSON.
func decode(text []byte, to any) error { return json.Unmarshal(text, to) }

// instant returns a time in the precision of the API: UTC, in milliseconds.
func instant(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Truncate(time.Millisecond)
}

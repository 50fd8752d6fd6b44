package joblog

import (
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// NewAt is New with a clock, and with a maximum size of chunks.
func NewAt(db *sqldb.DB, limits Limits, redact *Redactor, now func() time.Time, bytes, lines int) *Store {
	s := New(db, limits, redact)
	s.now, s.room = now, room{bytes, lines}
	return s
}

// Merge is the union of lists of lines.
func Merge(a, b []Line) []Line { return linesOf(merge(order(a, time.Time{}), order(b, time.Time{}))) }

// Pack returns the data of a chunk.
func Pack(lines []Line) []byte { return pack(order(lines, time.Time{})) }

// Unpack is the inverse of Pack.
func Unpack(data []byte) ([]Line, error) {
	all, err := unpack(data)
	return linesOf(all), err
}

func linesOf(all []entry) (lines []Line) {
	for _, e := range all {
		lines = append(lines, e.line())
	}
	return lines
}

// Compress compresses bytes like pack.
func Compress(raw []byte) []byte { return coder().EncodeAll(raw, nil) }

package jobindex

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/vedette-io/vedette/job"
)

// stateCodes number states: first the common ones in the order of the life of a job, then
// others in the order of appearance.
type stateCodes struct {
	all   []job.State
	final []bool
}

// maxStates is the maximum number of distinct states. Others count as unknown.
const maxStates = 250

func newStateCodes() *stateCodes {
	c := &stateCodes{}
	for _, s := range append([]job.State{""}, job.States()...) {
		c.code(s)
	}
	return c
}

// code returns the number of a state.
func (c *stateCodes) code(s job.State) uint8 {
	i := slices.Index(c.all, s)
	switch {
	case i >= 0:
		return uint8(i)
	case len(c.all) >= maxStates:
		return 0
	}
	c.all, c.final = append(c.all, s), append(c.final, s.Final())
	return uint8(len(c.all) - 1)
}

// appendLife appends the changes of the state of a job: their number, and for each its
// state and the time since the previous one.
func (c *stateCodes) appendLife(b []byte, submitted int64, entries []job.Transition) []byte {
	b = binary.AppendUvarint(b, uint64(len(entries)))
	before := submitted
	for _, e := range entries {
		word := uint64(c.code(e.To)) << 1
		if e.Inferred {
			word |= 1
		}
		at := micros(e.At)
		b = binary.AppendVarint(binary.AppendUvarint(b, word), at-before)
		before = at
	}
	return b
}

// entries appends the entries of a life up to an instant: those before the first later
// one.
func (c *stateCodes) entries(all []job.Transition, life string, submitted, until int64) []job.Transition {
	n, rest := uvarint(life)
	at := submitted
	for range n {
		var word uint64
		var delta int64
		word, rest = uvarint(rest)
		delta, rest = varint(rest)
		if at += delta; at > until {
			break
		}
		all = append(all, job.Transition{To: c.all[word>>1], At: timeOf(at), Inferred: word&1 != 0})
	}
	return all
}

// micros converts a time to the format of rows: microseconds since 1970, 0 for the zero
// time.
func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// timeOf is the inverse of micros.
func timeOf(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

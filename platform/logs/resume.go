package logs

import (
	"hash/maphash"
	"time"
)

// maxSeen is the maximum number of remembered lines of a second.
const maxSeen = 1 << 16

// resume remembers the position of a reader in a log, so that another request loses and
// repeats nothing. Nodes serve a log from the beginning of a second. So resume remembers
// the lines of the last second, and skips them when they are repeated.
type resume struct {
	seed    maphash.Seed
	begun   bool
	tailed  bool      // the first answer began in the middle of the log
	latest  time.Time // of all lines
	second  time.Time // begin of the second of the lines in seen
	low     time.Time // the earliest second of the lines in seen: less than second if a clock was set back
	seen    []uint64
	blurred bool // seen lacks lines after low: there were too many, a clock was set back, or tailed

	// Of the current answer:
	left  map[uint64]int // lines that must be repeated
	again bool           // one of them was repeated
	last  bool           // the last of them was repeated
	ahead bool           // a new line arrived
}

func newResume() *resume { return &resume{seed: maphash.MakeSeed()} }

// since returns the time from which the next answer must begin; zero if no line was seen.
func (r *resume) since() time.Time { return r.low }

// answer begins a new answer.
func (r *resume) answer() {
	r.again, r.last, r.ahead = false, false, !r.begun
	r.left = map[uint64]int{}
	for _, h := range r.seen {
		r.left[h]++
	}
}

// sum identifies a line: its time and its text.
func (r *resume) sum(l scanned) uint64 {
	var h maphash.Hash
	h.SetSeed(r.seed)
	maphash.WriteComparable(&h, l.at.UnixNano())
	_, _ = h.WriteString(l.text) // writes to a hash do not fail
	return h.Sum64()
}

// fresh reports whether a line of the current answer is new. gap reports that lines before
// it may be missing, because the last line that was seen was not repeated.
func (r *resume) fresh(l scanned) (fresh, gap bool) {
	if r.ahead {
		return true, false
	}
	h := r.sum(l)
	switch {
	case r.left[h] > 0:
		r.left[h]--
		r.again = true
		r.last = r.last || h == r.seen[len(r.seen)-1]
		return false, false
	case r.blurred && !r.again && !l.at.After(r.latest):
		return false, false // before the remembered lines
	}
	return true, !r.last
}

// took remembers a line as seen.
func (r *resume) took(l scanned) {
	blurred := !r.begun && r.tailed
	r.begun, r.ahead = true, true
	if second := l.at.Truncate(time.Second); second.After(r.second) {
		r.second, r.low, r.seen, r.blurred = second, second, r.seen[:0], blurred
	} else if second.Before(r.low) {
		r.low, r.blurred = second, true
	}
	if l.at.After(r.latest) {
		r.latest = l.at
	}
	if len(r.seen) == maxSeen {
		r.seen, r.blurred = append(r.seen[:0], r.seen[maxSeen/2:]...), true
	}
	r.seen = append(r.seen, r.sum(l))
}

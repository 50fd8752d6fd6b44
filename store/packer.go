package store

import (
	"github.com/klauspost/compress/s2"

	"github.com/vedette-io/vedette/internal/pack"
)

const (
	// longBody is from where on packing has to be worth its time: text that is
	// like nothing else takes several ns for a byte, which is little for the objects
	// of most kinds, and for large ones more than all the rest of what is done with
	// them, or than decoding them.
	longBody = 8 << 10
	// minTrialInterval is how many long bodies are stored in one manner before one is packed in
	// all. Each trial with the same result doubles it, up to mostLongTrial.
	minTrialInterval = 32
	maxTrialInterval = 256
	// maxLongRatio is what part of the bytes must be left by what is worth its time:
	// what leaves little is fast as well.
	maxLongRatio = 0.25
)

// bodyFormat is how a body is stored.
type bodyFormat uint8

const (
	formatPlain bodyFormat = iota
	formatDictionary
	formatS2   // S2, the block format
	formatNone // only the decoded object is kept
)

// longBodies is how long bodies are stored.
type longBodies struct {
	until, trial     int // bodies up to the next trial, and between the last one and it
	format           bodyFormat
	raw, dict, block float64 // bytes of those that were tried, before and packed
}

// packs reports whether bodies of this size take less memory when they are packed. It is
// true until the opposite is known, and then now and then, so that the caller packs one: the
// next bodies may be others.
func (t *packer) packs(size int) bool {
	if size >= longBody {
		if t.long.until == 0 || t.long.format != formatPlain {
			return true
		}
		t.long.until--
		return false
	}
	if poor := t.short.poor || t.dict == nil && t.nextTrial > 0; !poor {
		return true
	}
	if t.short.skipped = (t.short.skipped + 1) % shortRetrial; t.short.skipped == 0 {
		return true
	}
	t.raw += size // it counts for the next attempt to make a dictionary
	return false
}

// pack appends the body to dst, packed where that pays, and tells how. A body that is
// stored as it came is not appended.
func (t *packer) pack(dst, prefix, body []byte) ([]byte, bodyFormat) {
	if len(body) >= longBody {
		return t.packLong(dst, prefix, body)
	}
	if t.dict == nil {
		t.raw += len(body)
		return dst, formatPlain
	}
	return t.packByDictionary(dst, prefix, body)
}

// packLong stores a long body in the manner that a trial has shown to be worth it.
func (t *packer) packLong(dst, prefix, body []byte) ([]byte, bodyFormat) {
	l := &t.long
	if l.until == 0 {
		was := l.format
		t.trialLong(dst, prefix, body)
		if l.trial = min(2*l.trial, maxTrialInterval); l.format != was || l.trial == 0 {
			l.trial = minTrialInterval
		}
		l.until = l.trial
	}
	l.until--
	switch {
	case l.format == formatDictionary && t.dict != nil:
		return t.packByDictionary(dst, prefix, body)
	case l.format == formatS2:
		return packBlock(dst, body)
	}
	t.raw += min(len(body), sampleBytes)
	return dst, formatPlain
}

// trialLong packs a body in all manners, and chooses one. Trials count less as they
// get older, so that it is noticed when bodies change.
func (t *packer) trialLong(scratch, prefix, body []byte) {
	l, from := &t.long, len(scratch)
	l.raw = l.raw*3/4 + float64(len(body))
	packed, how := packBlock(scratch, body)
	size := len(packed) - from
	if how == formatPlain {
		size = len(body)
	}
	l.block = l.block*3/4 + float64(size)
	l.dict *= 3.0 / 4
	if t.dict != nil {
		l.dict += float64(len(t.dict.Pack(scratch, prefix, body)) - from)
	} else {
		l.dict += float64(len(body))
	}
	switch l.format = formatPlain; {
	case l.dict < maxLongRatio*l.raw && l.dict < l.block/2: // it takes longer than a block, and longer to unpack
		l.format = formatDictionary
	case l.block < maxLongRatio*l.raw:
		l.format = formatS2
	}
}

func packBlock(dst, body []byte) ([]byte, bodyFormat) {
	from, most := len(dst), s2.MaxEncodedLen(len(body))
	if most >= 0 {
		if cap(dst)-from < most {
			dst = append(make([]byte, 0, from+most), dst...)
		}
		if n := len(s2.Encode(dst[from:from+most], body)); n <= len(body)*9/10 {
			return dst[:from+n], formatS2
		}
	}
	return dst, formatPlain
}

func (t *packer) packByDictionary(dst, prefix, body []byte) ([]byte, bodyFormat) {
	from := len(dst)
	dst = t.dict.Pack(dst, prefix, body)
	n := len(dst) - from
	t.seen.bodies++
	t.seen.raw += len(body)
	t.seen.packed += n
	t.short.note(len(body), n)
	if float64(n) > t.promised*maxDrift*float64(len(body)) {
		t.keepSample(body)
	}
	if n > len(body)*9/10 { // it costs time to unpack and saves nothing
		return dst[:from], formatPlain
	}
	return dst, formatDictionary
}

// unpack appends to dst the body of n bytes that was stored in a manner. The store
// has packed these bytes itself; of damaged ones it appends nothing.
func unpack(dst []byte, how bodyFormat, dict *pack.Dictionary, prefix, packed []byte, n int) []byte {
	switch how {
	case formatDictionary:
		dst, _ = dict.Unpack(dst, prefix, packed, n)
	case formatS2:
		from := len(dst)
		if has, err := s2.DecodedLen(packed); err != nil || has != n {
			return dst
		}
		if cap(dst)-from < n {
			dst = append(make([]byte, 0, from+n), dst...)
		}
		if _, err := s2.Decode(dst[from:from+n], packed); err == nil {
			dst = dst[:from+n]
		}
	case formatPlain:
		dst = append(dst, packed[:n]...)
	case formatNone:
	}
	return dst
}

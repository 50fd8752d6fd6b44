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
	// longTrial is how many long bodies are stored in one manner before one is packed in
	// all. Each trial with the same result doubles it, up to mostLongTrial.
	longTrial     = 32
	mostLongTrial = 256
	// longWorth is what part of the bytes must be left by what is worth its time:
	// what leaves little is fast as well.
	longWorth = 0.25
)

// manner is how a body is stored.
type manner uint8

const (
	asItCame manner = iota
	byDictionary
	asBlock // S2, the block format
	absent  // only the decoded object is kept
)

// long is how long bodies are stored.
type long struct {
	until, trial     int // bodies up to the next trial, and between the last one and it
	how              manner
	raw, dict, block float64 // bytes of those that were tried, before and packed
}

// packs reports whether bodies of this size take less memory when they are packed. It is
// true until the opposite is known, and then now and then, so that the caller packs one: the
// next bodies may be others.
func (t *trainer) packs(size int) bool {
	if size >= longBody {
		if t.long.until == 0 || t.long.how != asItCame {
			return true
		}
		t.long.until--
		return false
	}
	if poor := t.fit.poor || t.dict == nil && t.try > 0; !poor {
		return true
	}
	if t.fit.rest = (t.fit.rest + 1) % poorTrial; t.fit.rest == 0 {
		return true
	}
	t.raw += size // it counts for the next attempt to make a dictionary
	return false
}

// pack appends the body to dst, packed where that pays, and tells how. A body that is
// stored as it came is not appended.
func (t *trainer) pack(dst, prefix, body []byte) ([]byte, manner) {
	if len(body) >= longBody {
		return t.packLong(dst, prefix, body)
	}
	if t.dict == nil {
		t.raw += len(body)
		return dst, asItCame
	}
	return t.packByDictionary(dst, prefix, body)
}

// packLong stores a long body in the manner that a trial has shown to be worth it.
func (t *trainer) packLong(dst, prefix, body []byte) ([]byte, manner) {
	l := &t.long
	if l.until == 0 {
		was := l.how
		t.tryLong(dst, prefix, body)
		if l.trial = min(2*l.trial, mostLongTrial); l.how != was || l.trial == 0 {
			l.trial = longTrial
		}
		l.until = l.trial
	}
	l.until--
	switch {
	case l.how == byDictionary && t.dict != nil:
		return t.packByDictionary(dst, prefix, body)
	case l.how == asBlock:
		return packBlock(dst, body)
	}
	t.raw += min(len(body), sampleBytes)
	return dst, asItCame
}

// tryLong packs a body in all manners, and chooses one. Trials count less as they
// get older, so that it is noticed when bodies change.
func (t *trainer) tryLong(scratch, prefix, body []byte) {
	l, from := &t.long, len(scratch)
	l.raw = l.raw*3/4 + float64(len(body))
	packed, how := packBlock(scratch, body)
	size := len(packed) - from
	if how == asItCame {
		size = len(body)
	}
	l.block = l.block*3/4 + float64(size)
	l.dict *= 3.0 / 4
	if t.dict != nil {
		l.dict += float64(len(t.dict.Pack(scratch, prefix, body)) - from)
	} else {
		l.dict += float64(len(body))
	}
	switch l.how = asItCame; {
	case l.dict < longWorth*l.raw && l.dict < l.block/2: // it takes longer than a block, and longer to unpack
		l.how = byDictionary
	case l.block < longWorth*l.raw:
		l.how = asBlock
	}
}

func packBlock(dst, body []byte) ([]byte, manner) {
	from, most := len(dst), s2.MaxEncodedLen(len(body))
	if most >= 0 {
		if cap(dst)-from < most {
			dst = append(make([]byte, 0, from+most), dst...)
		}
		if n := len(s2.Encode(dst[from:from+most], body)); n <= len(body)*9/10 {
			return dst[:from+n], asBlock
		}
	}
	return dst, asItCame
}

func (t *trainer) packByDictionary(dst, prefix, body []byte) ([]byte, manner) {
	from := len(dst)
	dst = t.dict.Pack(dst, prefix, body)
	n := len(dst) - from
	t.seen.bodies++
	t.seen.raw += len(body)
	t.seen.packed += n
	t.fit.note(len(body), n)
	if float64(n) > t.promised*drift*float64(len(body)) {
		t.misfit(body)
	}
	if n > len(body)*9/10 { // it costs time to unpack and saves nothing
		return dst[:from], asItCame
	}
	return dst, byDictionary
}

// unpack appends to dst the body of n bytes that was stored in a manner. The store
// has packed these bytes itself; of damaged ones it appends nothing.
func unpack(dst []byte, how manner, dict *pack.Dictionary, prefix, packed []byte, n int) []byte {
	switch how {
	case byDictionary:
		dst, _ = dict.Unpack(dst, prefix, packed, n)
	case asBlock:
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
	case asItCame:
		dst = append(dst, packed[:n]...)
	case absent:
	}
	return dst
}

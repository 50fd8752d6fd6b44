package store

import (
	"github.com/klauspost/compress/s2"

	"github.com/vedette-io/vedette/internal/pack"
)

// note records the size of a body before and after packing.
func (f *shortBodies) note(raw, packed int) {
	f.bodies++
	f.raw += raw
	f.packed += min(packed, raw)
	if f.bodies == shortTrial {
		*f = shortBodies{poor: float64(f.packed) > maxRatio*float64(f.raw)}
	}
}

const (
	// longBody is the size from which the store compresses bodies only if a trial shows
	// that this saves enough. Compressing text without repetition takes several ns per
	// byte. For large bodies that is more than all other work on the record, or than
	// decoding it.
	longBody = 8 << 10
	// minTrialInterval is the number of long bodies between two trials of all formats.
	// Each trial with the same result doubles the interval, up to maxTrialInterval.
	minTrialInterval = 32
	maxTrialInterval = 256
	// maxLongRatio is the maximum compression ratio for which long bodies are compressed.
	// Bodies that compress well are also compressed fast.
	maxLongRatio = 0.25
	// shortTrial is the number of short bodies after which the store decides whether they
	// compress. If they do not, it compresses one of every shortRetrial bodies as a test.
	shortTrial   = 32
	shortRetrial = 64
)

// packs reports whether bodies of this size take less memory when packed. It returns true
// until trials have shown the opposite. After that it still returns true now and then, so
// that the caller packs a body as another trial, because later bodies may differ.
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
	t.raw += size // counts toward the next attempt to build a dictionary
	return false
}

// pack appends the body to dst in packed form, if that saves memory, and returns the
// format. A plain body is not appended. With a reference, the body may be packed after it.
func (t *packer) pack(dst, prefix, body []byte, after *reference) ([]byte, bodyFormat) {
	if len(body) >= longBody {
		return t.packLong(dst, prefix, body)
	}
	if t.dict == nil {
		t.raw += len(body)
		return dst, formatPlain
	}
	if after != nil {
		if packed, ok := t.packAfter(dst, prefix, body, after); ok {
			return packed, formatSibling
		}
		t.like = nil // it has the other format
	}
	return t.packByDictionary(dst, prefix, body)
}

// packLong packs a long body in the format that the last trial chose.
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

// trialLong packs a body in all formats and chooses one. Older trials count less, so that
// the choice follows changes of the bodies.
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
	case l.dict < maxLongRatio*l.raw && l.dict < l.block/2: // it is slower than a block, both to pack and to unpack
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
	dst = t.dict.PackLike(dst, prefix, body, t.like)
	n := len(dst) - from
	t.notePacked(body, n)
	if n > len(body)*9/10 { // the saving is not worth the time to unpack
		return dst[:from], formatPlain
	}
	return dst, formatDictionary
}

// notePacked records the size of a body that the dictionary has packed.
func (t *packer) notePacked(body []byte, n int) {
	t.seen.bodies++
	t.seen.raw += len(body)
	t.seen.packed += n
	t.short.note(len(body), n)
	if float64(n) > t.promised*maxDrift*float64(len(body)) {
		t.keepSample(body)
	}
}

const (
	// minSibling is the size of the shortest body that is packed after a reference.
	minSibling = 512
	// maxOverRatio is the factor by which a body may take more than the average before it is
	// compared with the dictionary. The reference may be a pod without its status, for example.
	maxOverRatio = 1.5
	// maxOfDictionary is the maximum size, relative to the size with the dictionary alone, for
	// which a body is packed after a reference: reading it takes two steps.
	maxOfDictionary = 0.8
	// maxOfFirst is the same for the second of all siblings, for which the first one becomes
	// a reference, and minFirstSaved is the number of bytes that it must save: those of a reference.
	maxOfFirst    = 0.6
	minFirstSaved = 128
	// maxBalance is the maximum of siblings.balance.
	maxBalance = 256 << 10
	// referenceOverhead is the number of bytes that a reference takes beside its body and names.
	referenceOverhead = 80
	// maxInARow bounds the number of bodies that are not tried or not compared: two to this
	// power.
	maxInARow = 6
)

// bodyOf returns the body of a reference. It is valid until the next call.
func (s *siblings) bodyOf(after *reference) []byte {
	if s.reference != after {
		s.reference, s.body = after, after.appendBody(s.body[:0])
	}
	return s.body
}

// packAfter appends the body, packed after a reference. It returns false, and appends nothing,
// if the dictionary alone packs it about as well.
func (t *packer) packAfter(dst, prefix, body []byte, after *reference) ([]byte, bool) {
	s := &t.siblings
	from := len(dst)
	dst = t.dict.PackAfter(append(dst, 0), s.bodyOf(after), prefix, body, t.like)
	n := float64(len(dst) - from)
	ratio := n / float64(len(body))
	if s.trusted > 0 && !s.isNew {
		s.trusted--
	} else if s.isNew || ratio > maxOverRatio*s.ratio || ratio > maxOfDictionary*t.promised {
		alone := min(float64(len(t.dict.Pack(dst, prefix, body))-len(dst)), float64(len(body)))
		if n > maxOfDictionary*alone || s.isNew && (n > maxOfFirst*alone || n+minFirstSaved > alone) {
			s.rejected, s.accepted = min(s.rejected+1, maxInARow), 0
			s.skip = 1<<s.rejected - 2
			return dst[:from], false
		}
		s.accepted = min(s.accepted+1, maxInARow)
		s.trusted = 1<<s.accepted - 2
	}
	s.rejected = 0
	if s.ratio == 0 {
		s.ratio = ratio
	}
	s.ratio += (ratio - s.ratio) / 16
	s.balance = min(s.balance+int(t.promised*float64(len(body))-n), maxBalance)
	t.notePacked(body, len(dst)-from)
	return dst, true
}

// unpack appends to dst the body of n bytes that was stored in a format other than
// formatSibling. The store has packed these bytes itself. If they are damaged, unpack appends nothing.
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
	case formatNone, formatSibling:
	}
	return dst
}

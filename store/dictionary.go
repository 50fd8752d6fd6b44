package store

import "github.com/vedette-io/vedette/internal/pack"

const (
	// trainListBytes is how many bytes of bodies a first list must have for a
	// dictionary: one takes up to 192 KiB itself. Without a list it takes
	// trainLater.
	trainListBytes  = 384 << 10
	trainWatchBytes = 1 << 20
	// maxTrainBodies is how many bodies a dictionary is made of at most, and
	// sampleBytes how much of each.
	maxTrainBodies = 96
	sampleBytes    = 16 << 10
	// dictionaryBytes is the size of a dictionary.
	dictionaryBytes = 60 << 10
	// driftWindow is after how many bodies it is looked whether the dictionary
	// still fits, and drift how much worse it has to be.
	driftWindow = 2048
	maxDrift    = 1.3
	// maxPoorSamples is how many of those that did not pack well are kept to make a
	// better dictionary of.
	maxPoorSamples = 24
	// maxRatio is what packed bytes per byte must be for a dictionary.
	maxRatio = 0.8
	// renewRatio is what part of the bytes a new dictionary must leave of what the
	// old one did.
	renewRatio = 0.85
	// minTrainBodies is less than what anything can be learned from.
	minTrainBodies = 8
	// shortTrial is of how many bodies it is judged whether they pack, and poorTrial is after
	// how many of those that do not another one is packed.
	shortTrial   = 32
	shortRetrial = 64
)

// packer packs bodies, and finds the dictionary for it: bodies of one kind are
// alike, but what is in them is known only when enough have been seen, and
// changes with the years.
type packer struct {
	dict *pack.Dictionary // nil as long as there is none

	raw       int // bytes kept unpacked for want of a dictionary
	nextTrial int // how many of those make it worth to look for one

	promised    float64          // packed bytes per byte that are to be expected of dict
	next        *pack.Dictionary // one that may be better, until that is known
	seen        struct{ bodies, raw, packed int }
	poorSamples [][]byte
	poorBodies  int

	long  longBodies
	short shortBodies
}

// shortBodies tells whether short bodies pack.
type shortBodies struct {
	bodies, raw, packed int
	poor                bool
	skipped             int // poor ones up to the next trial
}

// note takes the size of a body before it was packed, and after.
func (f *shortBodies) note(raw, packed int) {
	f.bodies++
	f.raw += raw
	f.packed += min(packed, raw)
	if f.bodies == shortTrial {
		*f = shortBodies{poor: float64(f.packed) > maxRatio*float64(f.raw)}
	}
}

// keepSample keeps every fourth of the bodies that do not fit, and of those the last.
func (t *packer) keepSample(body []byte) {
	if t.poorBodies++; t.poorBodies%4 != 0 {
		return
	}
	body = body[:min(len(body), sampleBytes)]
	if len(t.poorSamples) < maxPoorSamples {
		t.poorSamples = append(t.poorSamples, append([]byte(nil), body...))
		return
	}
	at := &t.poorSamples[t.poorBodies/4%maxPoorSamples]
	*at = append((*at)[:0], body...)
}

// trainingDue reports whether it is time to look for a first dictionary.
func (t *packer) trainingDue(listed bool) bool {
	if t.dict != nil {
		return false
	}
	least := trainWatchBytes
	if listed {
		least = trainListBytes
	}
	return t.raw >= max(least, t.nextTrial)
}

// trainFirst makes a dictionary of bodies, and reports whether it pays.
func (t *packer) trainFirst(bodies [][]byte) bool {
	t.nextTrial = 2 * t.raw // if not, the store has to be another before it is worth another look
	if len(bodies) < minTrainBodies {
		return false
	}
	known, others := split(bodies)
	ratio := packRatio(pack.Train(nil, known, dictionaryBytes), others)
	if ratio > maxRatio {
		return false
	}
	t.adopt(pack.Train(nil, bodies, dictionaryBytes), ratio)
	return true
}

func (t *packer) adopt(dict *pack.Dictionary, ratio float64) {
	t.dict, t.promised = dict, ratio
	t.long.until, t.long.trial = 0, 0 // it may be what long bodies have waited for
	t.seen.bodies, t.seen.raw, t.seen.packed = 0, 0, 0
	t.poorSamples, t.poorBodies, t.next = nil, 0, nil
	t.short = shortBodies{}
}

// retrain looks after each window whether bodies have drifted away from the
// dictionary, and reports whether it has made a new one. One that was made of the
// bodies of a window must prove itself on those of the next: lists come in the
// order of their names, and what fits the neighbours of a moment need not fit the
// rest.
func (t *packer) retrain() bool {
	if t.dict == nil || t.seen.bodies < driftWindow {
		return false
	}
	ratio := float64(t.seen.packed) / float64(max(t.seen.raw, 1))
	odd, next := t.poorSamples, t.next
	t.seen.bodies, t.seen.raw, t.seen.packed = 0, 0, 0
	t.poorSamples, t.poorBodies, t.next = nil, 0, nil
	switch {
	case ratio <= t.promised*maxDrift || len(odd) < maxPoorSamples:
	case next == nil:
		text := t.dict.Text()
		t.next = pack.Train(text[len(text)/2:], odd, dictionaryBytes)
	default:
		if was, is := packRatio(t.dict, odd), packRatio(next, odd); is < renewRatio*was {
			t.adopt(next, is)
			return true
		}
		t.promised = ratio // they differ, and there is nothing to be done about it
	}
	return false
}

// split splits bodies in two: a dictionary is tried on others than those it was
// made of, which would always fit.
func split(bodies [][]byte) (a, b [][]byte) {
	for i, body := range bodies {
		if i%2 == 0 {
			a = append(a, body)
		} else {
			b = append(b, body)
		}
	}
	return a, b
}

// packRatio returns packed bytes per byte.
func packRatio(dict *pack.Dictionary, bodies [][]byte) float64 {
	var scratch []byte
	raw, packed := 1, 0
	for _, body := range bodies {
		scratch = dict.Pack(scratch[:0], nil, body)
		raw += len(body)
		packed += min(len(scratch), len(body))
	}
	return float64(packed) / float64(raw)
}

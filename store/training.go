package store

import "github.com/vedette-io/vedette/internal/pack"

const (
	// trainListBytes is the minimum size of all bodies of a first list for building a
	// dictionary: a dictionary itself takes up to 192 KiB. Without a list, the minimum is
	// trainWatchBytes.
	trainListBytes  = 384 << 10
	trainWatchBytes = 1 << 20
	// maxTrainBodies is the maximum number of bodies that a dictionary is built from, and
	// sampleBytes the maximum number of bytes used of each.
	maxTrainBodies = 96
	sampleBytes    = 16 << 10
	// dictionaryBytes is the size of a dictionary.
	dictionaryBytes = 60 << 10
	// driftWindow is the number of bodies after which the store checks whether the
	// dictionary still fits. maxDrift is the factor by which the ratio may get worse.
	driftWindow = 2048
	maxDrift    = 1.3
	// maxPoorSamples is the maximum number of poorly compressed bodies that are kept to
	// build a better dictionary.
	maxPoorSamples = 24
	// maxRatio is the maximum compression ratio (packed size divided by raw size) for
	// which a dictionary is used.
	maxRatio = 0.8
	// renewRatio is the maximum packed size with a new dictionary, relative to the old
	// one, for which the new dictionary replaces the old one.
	renewRatio = 0.85
	// firstBalance is the value of siblings.balance with a new dictionary.
	firstBalance = 32 << 10
	// minTrainBodies is the minimum number of bodies for building a dictionary.
	minTrainBodies = 8
)

// keepSample keeps every fourth poorly compressed body. When there are maxPoorSamples, it
// replaces the oldest.
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

// trainingDue reports whether to try to build the first dictionary.
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

// trainFirst builds a dictionary from bodies and reports whether it is good enough to
// use.
func (t *packer) trainFirst(bodies [][]byte) bool {
	t.nextTrial = 2 * t.raw // if this attempt fails, try again with twice the data
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
	t.long.until, t.long.trial = 0, 0 // long bodies may compress with the new dictionary
	t.seen.bodies, t.seen.raw, t.seen.packed = 0, 0, 0
	t.poorSamples, t.poorBodies, t.next = nil, 0, nil
	t.short = shortBodies{}
	t.siblings.balance = firstBalance
}

// retrainDue reports whether a window has ended.
func (t *packer) retrainDue() bool { return t.dict != nil && t.seen.bodies >= driftWindow }

// retrain checks at the end of a window whether the dictionary still fits the bodies, and
// reports whether it has adopted a new one. A candidate built from one window is
// tested on the poor samples of the next window. Lists arrive in the order of names, so a
// dictionary that fits the bodies of one window may not fit the others.
func (t *packer) retrain() bool {
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
		t.promised = ratio // no dictionary compresses these bodies better
	}
	return false
}

// split divides bodies into two halves. A dictionary is built from one half and tested on
// the other, because it always fits the bodies that it was built from.
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

// packRatio returns the packed size of bodies divided by their size.
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

package store

import "github.com/vedette-io/vedette/internal/pack"

const (
	// trainAt is how many bytes of bodies a first list must have for a
	// dictionary: one takes up to 192 KiB itself. Without a list it takes
	// trainLater.
	trainAt    = 384 << 10
	trainLater = 1 << 20
	// samples is how many bodies a dictionary is made of at most, and
	// sampleBytes how much of each.
	samples     = 96
	sampleBytes = 16 << 10
	// textBytes is the size of a dictionary.
	textBytes = 60 << 10
	// window is after how many bodies it is looked whether the dictionary
	// still fits, and drift how much worse it has to be.
	window = 2048
	drift  = 1.3
	// oddBodies is how many of those that did not pack well are kept to make a
	// better dictionary of.
	oddBodies = 24
	// worthwhile is what packed bytes per byte must be for a dictionary.
	worthwhile = 0.8
	// renewal is what part of the bytes a new dictionary must leave of what the
	// old one did.
	renewal = 0.85
	// fewBodies is less than what anything can be learned from.
	fewBodies = 8
	// someFit is of how many bodies it is judged whether they pack, and poorTrial is after
	// how many of those that do not another one is packed.
	someFit   = 32
	poorTrial = 64
)

// trainer packs bodies, and finds the dictionary for it: bodies of one kind are
// alike, but what is in them is known only when enough have been seen, and
// changes with the years.
type trainer struct {
	dict *pack.Dictionary // nil as long as there is none

	raw int // bytes kept unpacked for want of a dictionary
	try int // how many of those make it worth to look for one

	promised float64          // packed bytes per byte that are to be expected of dict
	next     *pack.Dictionary // one that may be better, until that is known
	seen     struct{ bodies, raw, packed int }
	odd      [][]byte
	misfits  int

	long long
	fit  fitness
}

// fitness tells whether short bodies pack.
type fitness struct {
	bodies, raw, packed int
	poor                bool
	rest                int // poor ones up to the next trial
}

// note takes the size of a body before it was packed, and after.
func (f *fitness) note(raw, packed int) {
	f.bodies++
	f.raw += raw
	f.packed += min(packed, raw)
	if f.bodies == someFit {
		*f = fitness{poor: float64(f.packed) > worthwhile*float64(f.raw)}
	}
}

// misfit keeps every fourth of the bodies that do not fit, and of those the last.
func (t *trainer) misfit(body []byte) {
	if t.misfits++; t.misfits%4 != 0 {
		return
	}
	body = body[:min(len(body), sampleBytes)]
	if len(t.odd) < oddBodies {
		t.odd = append(t.odd, append([]byte(nil), body...))
		return
	}
	at := &t.odd[t.misfits/4%oddBodies]
	*at = append((*at)[:0], body...)
}

// ripe reports whether it is time to look for a first dictionary.
func (t *trainer) ripe(listed bool) bool {
	if t.dict != nil {
		return false
	}
	least := trainLater
	if listed {
		least = trainAt
	}
	return t.raw >= max(least, t.try)
}

// first makes a dictionary of bodies, and reports whether it pays.
func (t *trainer) first(bodies [][]byte) bool {
	t.try = 2 * t.raw // if not, the store has to be another before it is worth another look
	if len(bodies) < fewBodies {
		return false
	}
	known, others := halves(bodies)
	ratio := fit(pack.Train(nil, known, textBytes), others)
	if ratio > worthwhile {
		return false
	}
	t.adopt(pack.Train(nil, bodies, textBytes), ratio)
	return true
}

func (t *trainer) adopt(dict *pack.Dictionary, ratio float64) {
	t.dict, t.promised = dict, ratio
	t.long.until, t.long.trial = 0, 0 // it may be what long bodies have waited for
	t.seen.bodies, t.seen.raw, t.seen.packed = 0, 0, 0
	t.odd, t.misfits, t.next = nil, 0, nil
	t.fit = fitness{}
}

// renew looks after each window whether bodies have drifted away from the
// dictionary, and reports whether it has made a new one. One that was made of the
// bodies of a window must prove itself on those of the next: lists come in the
// order of their names, and what fits the neighbours of a moment need not fit the
// rest.
func (t *trainer) renew() bool {
	if t.dict == nil || t.seen.bodies < window {
		return false
	}
	ratio := float64(t.seen.packed) / float64(max(t.seen.raw, 1))
	odd, next := t.odd, t.next
	t.seen.bodies, t.seen.raw, t.seen.packed = 0, 0, 0
	t.odd, t.misfits, t.next = nil, 0, nil
	switch {
	case ratio <= t.promised*drift || len(odd) < oddBodies:
	case next == nil:
		text := t.dict.Text()
		t.next = pack.Train(text[len(text)/2:], odd, textBytes)
	default:
		if was, is := fit(t.dict, odd), fit(next, odd); is < renewal*was {
			t.adopt(next, is)
			return true
		}
		t.promised = ratio // they differ, and there is nothing to be done about it
	}
	return false
}

// halves splits bodies in two: a dictionary is tried on others than those it was
// made of, which would always fit.
func halves(bodies [][]byte) (a, b [][]byte) {
	for i, body := range bodies {
		if i%2 == 0 {
			a = append(a, body)
		} else {
			b = append(b, body)
		}
	}
	return a, b
}

// fit returns packed bytes per byte.
func fit(dict *pack.Dictionary, bodies [][]byte) float64 {
	var scratch []byte
	raw, packed := 1, 0
	for _, body := range bodies {
		scratch = dict.Pack(scratch[:0], nil, body)
		raw += len(body)
		packed += min(len(scratch), len(body))
	}
	return float64(packed) / float64(raw)
}

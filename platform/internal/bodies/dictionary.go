package bodies

import (
	"iter"

	"github.com/vedette-io/vedette/internal/pack"
	"github.com/vedette-io/vedette/platform/internal/model"
)

// dictionary is a decoded dictionary of the database.
type dictionary struct {
	*pack.Dictionary
	id int64
}

func newDictionary(d model.Dictionary) *dictionary {
	return &dictionary{pack.NewDictionary(d.Text), d.ID}
}

// The first dictionary of a type is trained on the first maxSamples bodies or sampleBytes.
// After firstCheck keyframes, and then each time their number has quadrupled, a candidate
// is trained on recent bodies. It replaces the old dictionary if it saves at least 20%.
const (
	maxSamples  = 48
	sampleBytes = 48 << 10
	firstCheck  = 512
	dictBytes   = 48 << 10
)

// sample is a body that a dictionary may be trained on, with the UID of its object.
type sample struct {
	uid  string
	body []byte
}

func bodiesOf(all []sample) [][]byte {
	some := make([][]byte, len(all))
	for i := range all {
		some[i] = all[i].body
	}
	return some
}

// enoughSamples returns recent bodies and those of a batch, or nil if there are too few to
// train a dictionary.
func enoughSamples(recent [][]byte, batch iter.Seq[[]byte]) [][]byte {
	from, size := recent[:len(recent):len(recent)], 0
	for _, body := range from {
		size += len(body)
	}
	for body := range batch {
		if len(from) >= 2*maxSamples {
			break
		}
		if body != nil {
			from, size = append(from, body), size+len(body)
		}
	}
	if len(from) < maxSamples && size < sampleBytes {
		return nil
	}
	return from
}

// saves reports whether better packs bodies in at least 20% fewer bytes than old.
func saves(better, old *pack.Dictionary, samples [][]byte) bool {
	return packedSize(better, samples)*5 <= packedSize(old, samples)*4
}

func packedSize(d *pack.Dictionary, samples [][]byte) (n int) {
	var packed []byte
	for _, body := range samples {
		packed = d.Pack(packed[:0], nil, body)
		n += len(packed)
	}
	return n
}

package record

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// dictionary is one that the database keeps: what bodies of a type have in common, by
// some samples of them. All recorders use the newest; what was packed with an older
// one stays.
type dictionary struct {
	*wire.Dictionary
	id int64
}

// A dictionary is made of the first bodies that there are, sampleBytes or
// samples of them. Later, when as many bodies were kept whole as firstLook, and then
// at four times as many, it is looked at whether one of the last bodies would be
// better by a fifth.
const (
	samples     = 48
	sampleBytes = 48 << 10
	firstLook   = 512
	dictBytes   = 48 << 10
)

// dictionary reads one.
func (d *Database) dictionary(ctx context.Context, tx *sql.Tx, id int64) (*dictionary, error) {
	var text []byte
	err := tx.QueryRowContext(ctx, d.Rebind("SELECT data FROM dictionaries WHERE id = ?"), id).Scan(&text)
	if err != nil {
		return nil, fmt.Errorf("dictionary %d: %w", id, err)
	}
	return &dictionary{wire.NewDictionary(text), id}, nil
}

// packer keeps the contents of bodies of one type short. It belongs to the writer, and
// knows only what was committed.
type packer struct {
	newest *dictionary // nil: there is none yet
	known  map[int64]*dictionary
	wholes *wholes
	recent [][]byte // the last bodies that were kept whole
	kept   int      // how many there were
	look   int      // at how many it is looked again whether a dictionary is good
}

func newPacker(limit int) *packer {
	return &packer{known: map[int64]*dictionary{}, wholes: newWholes(limit), look: firstLook}
}

// dictionary returns one by its number.
func (p *packer) dictionary(ctx context.Context, d *Database, tx *sql.Tx, id int64) (*dictionary, error) {
	if id == 0 {
		return nil, nil
	}
	if dict := p.known[id]; dict != nil {
		return dict, nil
	}
	dict, err := d.dictionary(ctx, tx, id)
	if err == nil {
		p.known[id] = dict
	}
	return dict, err
}

// train sees to it that there is a dictionary for what a batch keeps whole, once there
// is enough to make one of.
func (b *batch) train(ctx context.Context, all []sighting) error {
	p := b.packer
	if b.dict = p.newest; b.dict != nil && p.kept < p.look {
		return nil
	}
	from := p.recent
	if b.dict == nil {
		var id sql.NullInt64
		err := b.tx.QueryRowContext(ctx, b.d.Rebind("SELECT MAX(id) FROM dictionaries WHERE resource_id = ?"), b.resource).Scan(&id)
		if err == nil && id.Valid { // another recorder has made one
			b.dict, err = p.dictionary(ctx, b.d, b.tx, id.Int64)
		}
		if err != nil || b.dict != nil {
			return err
		}
		if from = enough(from, all); from == nil {
			return nil
		}
	}
	half := len(from) / 2
	better := wire.Train(nil, from[:half], dictBytes)
	if b.dict != nil {
		b.looked = true
		if packedSize(better, from[half:])*5 > packedSize(b.dict.Dictionary, from[half:])*4 {
			return nil
		}
	}
	if better = wire.Train(nil, from, dictBytes); len(better.Text()) == 0 {
		return nil
	}
	row := [][]any{{b.resource, micros(time.Now()), better.Text()}}
	if err := b.d.insertAll(ctx, b.tx, "dictionaries", []string{"resource_id", "made_at", "data"}, row, ""); err != nil {
		return err
	}
	var id int64
	err := b.tx.QueryRowContext(ctx, b.d.Rebind("SELECT MAX(id) FROM dictionaries WHERE resource_id = ?"), b.resource).Scan(&id)
	if err == nil {
		b.dict, err = b.d.dictionary(ctx, b.tx, id) // it may be that of another recorder, at the same time
	}
	return err
}

// enough returns bodies to make a dictionary of, nil if there are too few.
func enough(recent [][]byte, all []sighting) [][]byte {
	from, size := recent[:len(recent):len(recent)], 0
	for _, body := range from {
		size += len(body)
	}
	for i := range all {
		if body := all[i].body; body != nil && len(from) < 2*samples {
			from, size = append(from, body), size+len(body)
		}
	}
	if len(from) < samples && size < sampleBytes {
		return nil
	}
	return from
}

func packedSize(d *wire.Dictionary, bodies [][]byte) (n int) {
	var packed []byte
	for _, body := range bodies {
		packed = d.Pack(packed[:0], nil, body)
		n += len(packed)
	}
	return n
}

// keep takes over what a batch has come to, once it is committed.
func (p *packer) keep(b *batch) {
	if b.dict != nil {
		p.newest, p.known[b.dict.id] = b.dict, b.dict
	}
	if b.looked {
		p.look *= 4
	}
	for id, w := range b.wholes {
		p.wholes.put(id, w)
	}
	for _, r := range b.rows {
		if r.presence == deleted {
			p.wholes.drop(r.id) // nothing follows it
		}
	}
	for _, body := range b.samples {
		if len(body) <= dictBytes/4 {
			p.recent = append(p.recent, body)
		}
	}
	p.recent = append(p.recent[:0], p.recent[max(0, len(p.recent)-samples):]...)
	p.kept += len(b.samples)
}

// whole is the last revision of an object that is kept whole.
type whole struct {
	version int64
	content
}

// wholes holds the last of each object, packed, as far as they fit: what the next
// revisions are compared with. What is not there is read from the database.
type wholes struct {
	of    map[int64]whole // by object
	size  int
	limit int
}

func newWholes(limit int) *wholes { return &wholes{of: map[int64]whole{}, limit: limit} }

// overhead is what one costs beside its bytes.
const overhead = 200

// put adds one, and drops any beyond the limit.
func (w *wholes) put(object int64, one whole) {
	w.drop(object)
	w.size += len(one.data) + overhead
	for other := range w.of {
		if w.size <= w.limit {
			break
		}
		w.drop(other)
	}
	w.of[object] = one
}

// drop forgets one.
func (w *wholes) drop(object int64) {
	if old, there := w.of[object]; there {
		w.size -= len(old.data) + overhead
		delete(w.of, object)
	}
}

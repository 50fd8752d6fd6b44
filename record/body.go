package record

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/wire"
)

// hash names a body by its content: the first half of its SHA-256.
type hash [16]byte

func hashOf(body []byte) hash {
	sum := sha256.Sum256(body)
	return hash(sum[:16])
}

// keyframe is how many revisions of an object in a row are kept as what they differ in
// from the same one, before the next is kept whole.
const keyframe = 32

// ErrNoBody is returned for a revision whose content is not kept any more.
var ErrNoBody = errors.New("its content is not kept any more, as the retention says; its state and its times are")

// content is a body as a revision keeps it: whole, perhaps packed with a dictionary; or
// as what it differs in from an earlier revision of its object which is whole. So at
// most two rows are read for one, however many there are. The zero value is none: of
// a deletion that nobody saw. One with a size and no data is not kept any more.
type content struct {
	hash       hash
	base       int64 // the version of the whole one; 0: this is whole
	dictionary int64
	size       int
	data       []byte
}

func (c *content) columns() []any {
	if c.data == nil {
		c.data = []byte{}
	}
	return []any{c.hash[:], c.base, c.dictionary, int64(c.size), c.data}
}

// pack returns the content of a body that is kept whole. dict may be nil.
func pack(body []byte, h hash, dict *dictionary) content {
	c := content{hash: h, size: len(body), data: body}
	if dict != nil {
		if packed := dict.Pack(nil, nil, body); len(packed) < len(body) {
			c.data, c.dictionary = packed, dict.id
		}
	}
	return c
}

// differ returns the content of a body that follows base; false if that is too little
// like it.
func differ(body, base []byte, h hash, version int64) (content, bool) {
	data := wire.Diff(nil, base, body)
	return content{hash: h, base: version, size: len(body), data: data}, len(data) <= len(body)/4
}

// text is the reverse of pack and differ. base is the body that c.base names.
func (c *content) text(base []byte, dict *dictionary) ([]byte, error) {
	switch {
	case c.size > 0 && len(c.data) == 0:
		return nil, ErrNoBody
	case c.base != 0:
		return wire.Patch(make([]byte, 0, c.size), base, c.data, c.size)
	case c.dictionary != 0:
		return dict.Unpack(make([]byte, 0, c.size), nil, c.data, c.size)
	}
	return c.data, nil
}

// unpack is text, held against its hash.
func (c *content) unpack(base []byte, dict *dictionary) ([]byte, error) {
	out, err := c.text(base, dict)
	if err == nil && hashOf(out) != c.hash {
		err = errors.New("its content has another hash")
	}
	if err != nil && !errors.Is(err, ErrNoBody) {
		err = fmt.Errorf("body %x is damaged in the database: %w", c.hash, err)
	}
	return out, err
}

// store returns the content of a revision that is appended.
func (b *batch) store(r *row, s *sighting) content {
	if s.body == nil {
		return content{}
	}
	h := hashOf(s.body)
	if r.base > 0 && r.depth+1 < keyframe {
		if base := b.base(r); base != nil {
			if c, like := differ(s.body, base, h, r.base); like {
				r.depth++
				return c
			}
		}
	}
	c := pack(s.body, h, b.dict)
	r.base, r.depth = int64(s.version), 0
	b.wholes[r.id], b.plain[r.id] = whole{r.base, c}, s.body
	b.samples = append(b.samples, s.body)
	return c
}

// base returns the body that the next revision of an object is compared with; nil if
// it is not known.
func (b *batch) base(r *row) []byte {
	if body := b.plain[r.id]; body != nil {
		return body
	}
	w, ok := b.wholes[r.id]
	if !ok {
		w = b.packer.wholes.of[r.id]
	}
	if w.version != r.base {
		return nil
	}
	body, err := w.text(nil, b.packer.known[w.dictionary])
	if err != nil {
		return nil // it is kept whole then
	}
	b.plain[r.id] = body
	return body
}

// fetch reads what revisions are to be compared with and is not known.
func (b *batch) fetch(ctx context.Context) error {
	byID := map[int64]*row{}
	var ids []int64
	for _, r := range b.rows {
		if r.presence != deleted && r.base > 0 && r.depth+1 < keyframe && b.packer.wholes.of[r.id].version != r.base {
			byID[r.id], ids = r, append(ids, r.id)
		}
	}
	slices.Sort(ids)
	for some := range slices.Chunk(ids, 200) {
		var args []any
		for _, id := range some {
			args = append(args, id, byID[id].base)
		}
		rows, err := b.d.query(ctx, b.tx, "SELECT object_id, version, body, dictionary_id, size, data FROM revisions WHERE (object_id, version) IN "+b.d.Pairs(len(some))+" AND base = 0", args...)
		if err != nil {
			return err
		}
		var found []int64
		err = each(rows, func() error {
			var id int64
			var w whole
			var name []byte
			if err := rows.Scan(&id, &w.version, &name, &w.dictionary, &w.size, &w.data); err != nil {
				return err
			}
			copy(w.hash[:], name)
			b.wholes[id], found = w, append(found, w.dictionary)
			return nil
		})
		if err != nil {
			return err
		}
		for _, id := range found {
			if _, err := b.packer.dictionary(ctx, b.d, b.tx, id); err != nil {
				return err
			}
		}
	}
	return nil
}

// body reads the body that an object had at a version. Of a deletion that nobody saw it
// is that of the revision before.
//
// Errors: ErrNoBody.
func (d *Database) body(ctx context.Context, tx *sql.Tx, object, version int64) ([]byte, error) {
	c, err := d.content(ctx, tx, "version = ?", object, version)
	if err == nil && c.size == 0 {
		var gone bool
		if gone, err = d.concluded(ctx, tx, object, version); gone {
			c, err = d.content(ctx, tx, "version < ?", object, version)
		}
	}
	if err == nil && c.size == 0 {
		err = ErrNoBody
	}
	if err != nil || c.base == 0 {
		return d.whole(ctx, tx, c, err)
	}
	base, err := d.content(ctx, tx, "version = ?", object, c.base)
	if err == nil && base.base != 0 {
		err = fmt.Errorf("body %x is damaged in the database: version %d, of which it is a part, is not whole", c.hash, c.base)
	}
	body, err := d.whole(ctx, tx, base, err)
	if err != nil {
		return nil, err
	}
	return c.unpack(body, nil)
}

// concluded reports whether a revision is a deletion that nobody saw.
func (d *Database) concluded(ctx context.Context, tx *sql.Tx, object, version int64) (bool, error) {
	var gone, source int16
	row := tx.QueryRowContext(ctx, d.Rebind("SELECT deleted, source FROM revisions WHERE object_id = ? AND version = ?"), object, version)
	err := row.Scan(&gone, &source)
	return gone == 1 && Source(source) != Watched, err
}

// content reads what a revision keeps: of several the last.
func (d *Database) content(ctx context.Context, tx *sql.Tx, where string, object, version int64) (c content, err error) {
	var name []byte
	row := tx.QueryRowContext(ctx, d.Rebind("SELECT body, base, dictionary_id, size, data FROM revisions WHERE object_id = ? AND "+where+" ORDER BY version DESC LIMIT 1"), object, version)
	err = row.Scan(&name, &c.base, &c.dictionary, &c.size, &c.data)
	switch {
	case errors.Is(err, sql.ErrNoRows): // who asks has seen the revision
		return c, ErrNoBody
	case err != nil:
		return c, fmt.Errorf("the body of object %d at version %d: %w", object, version, err)
	}
	copy(c.hash[:], name)
	return c, nil
}

// whole unpacks what is whole.
func (d *Database) whole(ctx context.Context, tx *sql.Tx, c content, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	var dict *dictionary
	if c.dictionary != 0 {
		if dict, err = d.dictionary(ctx, tx, c.dictionary); err != nil {
			return nil, err
		}
	}
	return c.unpack(nil, dict)
}

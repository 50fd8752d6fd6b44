package record

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"

	"github.com/vedette-io/vedette/wire"
)

// hash names a body by its content: the first half of its SHA-256.
type hash [16]byte

// none is the hash of no body.
var none hash

func hashOf(body []byte) hash {
	sum := sha256.Sum256(body)
	return hash(sum[:16])
}

// keyframe is how many bodies are stored one as what it differs in from the other,
// before one is stored whole.
const keyframe = 16

// longestChain ends the search for a body that is packed whole: bodies that come
// again lengthen chains now and then.
const longestChain = 1000

// recent holds the bodies of the last revisions, as far as they fit: what the next
// ones are packed against. It belongs to the writer.
type recent struct {
	bodies map[hash][]byte
	order  []hash
	size   int
	limit  int
}

func newRecent(limit int) *recent { return &recent{bodies: map[hash][]byte{}, limit: limit} }

func (r *recent) get(h hash) []byte { return r.bodies[h] }

// put adds a body, and drops the oldest beyond the limit.
func (r *recent) put(h hash, body []byte) {
	if r.bodies[h] != nil || len(body) > r.limit/8 {
		return
	}
	r.bodies[h] = body
	r.order = append(r.order, h)
	for r.size += len(body); r.size > r.limit; r.order = r.order[1:] {
		r.size -= len(r.bodies[r.order[0]])
		delete(r.bodies, r.order[0])
	}
}

// packed is a body as it is stored.
type packed struct {
	hash, base hash
	dictionary int64
	size       int
	data       []byte
}

// pack packs a body: as what it differs in from a base, if there is one, else with
// a dictionary, if there is one.
func pack(body, base []byte, baseHash hash, dict *wire.Dictionary, id int64) packed {
	p := packed{hash: hashOf(body), size: len(body)}
	switch {
	case base != nil:
		p.base, p.data = baseHash, wire.NewDictionary(base).Pack(nil, nil, body)
	case dict != nil:
		p.dictionary, p.data = id, dict.Pack(nil, nil, body)
	}
	if p.data == nil || len(p.data) >= len(body) {
		p.base, p.dictionary, p.data = none, 0, body
	}
	return p
}

// unpack is the reverse. base is the body that p.base names.
func (p *packed) unpack(base []byte, dict *wire.Dictionary) ([]byte, error) {
	var out []byte
	var err error
	switch {
	case p.base != none:
		out, err = wire.NewDictionary(base).Unpack(make([]byte, 0, p.size), nil, p.data, p.size)
	case p.dictionary != 0:
		out, err = dict.Unpack(make([]byte, 0, p.size), nil, p.data, p.size)
	default:
		out = p.data
	}
	if err == nil && hashOf(out) != p.hash {
		err = errors.New("its content has another hash")
	}
	if err != nil {
		return nil, fmt.Errorf("body %x is damaged in the database: %w", p.hash, err)
	}
	return out, nil
}

// body reads a body, and those that it is packed against.
func (d *Database) body(ctx context.Context, tx *sql.Tx, h hash) ([]byte, error) {
	var chain []packed
	for at := h; at != none; {
		if len(chain) > longestChain {
			return nil, fmt.Errorf("body %x is damaged in the database: it is packed against more than %d others", h, longestChain)
		}
		p := packed{hash: at}
		var base []byte
		row := tx.QueryRowContext(ctx, d.dialect.query("SELECT base, dictionary_id, size, data FROM bodies WHERE hash = ?"), at[:])
		if err := row.Scan(&base, &p.dictionary, &p.size, &p.data); err != nil {
			return nil, fmt.Errorf("body %x: %w", at, err)
		}
		copy(p.base[:], base)
		chain = append(chain, p)
		at = p.base
	}
	var body []byte
	for i := len(chain) - 1; i >= 0; i-- {
		var dict *wire.Dictionary
		var err error
		if id := chain[i].dictionary; id != 0 {
			if dict, err = d.dictionary(ctx, tx, id); err != nil {
				return nil, err
			}
		}
		if body, err = chain[i].unpack(body, dict); err != nil {
			return nil, err
		}
	}
	return body, nil
}

// dictionary reads a dictionary.
func (d *Database) dictionary(ctx context.Context, tx *sql.Tx, id int64) (*wire.Dictionary, error) {
	var text []byte
	err := tx.QueryRowContext(ctx, d.dialect.query("SELECT data FROM dictionaries WHERE id = ?"), id).Scan(&text)
	if err != nil {
		return nil, fmt.Errorf("dictionary %d: %w", id, err)
	}
	return wire.NewDictionary(text), nil
}

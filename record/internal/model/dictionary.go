package model

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Dictionary is text that bodies of a type have in common, as a row of the database. All
// recorders of a type use the newest one. Older ones stay for the bodies that were
// compressed with them.
type Dictionary struct {
	*wire.Dictionary
	ID int64
}

// The first dictionary of a type is made from the first maxSamples bodies or sampleBytes.
// After firstCheck keyframes, and then after four times as many, a candidate is made from
// recent bodies. It replaces the old dictionary if it saves at least 20%.
const (
	maxSamples  = 48
	sampleBytes = 48 << 10
	firstCheck  = 512
	dictBytes   = 48 << 10
)

// ReadDictionary returns a dictionary by its number.
func ReadDictionary(ctx context.Context, q sqldb.Querier, id int64) (*Dictionary, error) {
	var text []byte
	if err := q.QueryRow(ctx, "SELECT data FROM dictionaries WHERE id = ?", id).Scan(&text); err != nil {
		return nil, fmt.Errorf("dictionary %d: %w", id, err)
	}
	return &Dictionary{wire.NewDictionary(text), id}, nil
}

// newestDictionary returns the number of the newest dictionary of a type, and false if
// there is none.
func newestDictionary(ctx context.Context, q sqldb.Querier, resource int64) (int64, bool, error) {
	return maybeNumber(ctx, q, "SELECT MAX(id) FROM dictionaries WHERE resource_id = ?", resource)
}

// insertDictionary stores a dictionary, and returns the newest one. That may be the
// dictionary that another recorder stored at the same time.
func insertDictionary(ctx context.Context, tx *sqldb.Tx, resource int64, d *wire.Dictionary) (*Dictionary, error) {
	row := []any{resource, Micros(time.Now()), d.Text()}
	if err := tx.Insert(ctx, "dictionaries", []string{"resource_id", "made_at", "data"}, [][]any{row}); err != nil {
		return nil, err
	}
	id, _, err := newestDictionary(ctx, tx, resource)
	if err != nil {
		return nil, err
	}
	return ReadDictionary(ctx, tx, id)
}

// enoughSamples returns recent bodies and those of a batch, or nil if they are too few
// for a dictionary.
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

// saves reports whether a dictionary packs bodies in at least 20% fewer bytes than old.
func saves(better, old *wire.Dictionary, bodies [][]byte) bool {
	return packedSize(better, bodies)*5 <= packedSize(old, bodies)*4
}

func packedSize(d *wire.Dictionary, bodies [][]byte) (n int) {
	var packed []byte
	for _, body := range bodies {
		packed = d.Pack(packed[:0], nil, body)
		n += len(packed)
	}
	return n
}

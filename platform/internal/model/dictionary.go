package model

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// Dictionary is text that bodies of a type have in common. All recorders of a type use the
// newest dictionary. Older ones stay for the bodies that were compressed with them.
type Dictionary struct {
	ID   int64
	Text []byte
}

// ReadDictionary returns the dictionary with a row ID.
func ReadDictionary(ctx context.Context, q sqldb.Querier, id int64) (Dictionary, error) {
	d := Dictionary{ID: id}
	if err := q.QueryRow(ctx, "SELECT data FROM dictionaries WHERE id = ?", id).Scan(&d.Text); err != nil {
		return d, fmt.Errorf("table dictionaries, id %d: %w", id, err)
	}
	return d, nil
}

// NewestDictionary returns the row ID of the newest dictionary of a type that is in use. It
// returns false if the type has none.
func NewestDictionary(ctx context.Context, q sqldb.Querier, resource int64) (id int64, found bool, err error) {
	return queryNullInt(ctx, q, "SELECT MAX(id) FROM dictionaries WHERE resource_id = ? AND retired_at = 0", resource)
}

// InsertDictionary stores a dictionary, and returns the newest one, which may be a
// dictionary that another recorder stored at the same time.
func InsertDictionary(ctx context.Context, tx *sqldb.Tx, resource int64, text []byte) (Dictionary, error) {
	row := []any{resource, Micros(time.Now()), int64(0), text}
	if err := tx.Insert(ctx, "dictionaries", []string{"resource_id", "made_at", "retired_at", "data"}, [][]any{row}); err != nil {
		return Dictionary{}, fmt.Errorf("table dictionaries: %w", err)
	}
	id, _, err := NewestDictionary(ctx, tx, resource)
	if err != nil {
		return Dictionary{}, fmt.Errorf("table dictionaries: %w", err)
	}
	return ReadDictionary(ctx, tx, id)
}

// HoldDictionary keeps a dictionary from being retired until the transaction ends. It returns
// false if the dictionary is retired or deleted: it must not be used then.
func HoldDictionary(ctx context.Context, tx *sqldb.Tx, id int64) (held bool, err error) {
	err = tx.Query(ctx, "SELECT retired_at FROM dictionaries WHERE id = ?"+tx.ForShare(), []any{id}, func(rows *sql.Rows) error {
		var retired int64
		err := rows.Scan(&retired)
		held = retired == 0
		return err
	})
	return held, err
}

// RetireDictionary retires a dictionary after all transactions that hold it.
func RetireDictionary(ctx context.Context, tx *sqldb.Tx, id, at int64) error {
	if _, err := queryInts(ctx, tx, "SELECT id FROM dictionaries WHERE id = ?"+tx.ForUpdate(), id); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, "UPDATE dictionaries SET retired_at = ? WHERE id = ? AND retired_at = 0", at, id)
	return err
}

// TypeDictionary is a dictionary of a type.
type TypeDictionary struct {
	Dictionary
	Resource int64
	Retired  bool
}

// Dictionaries returns all dictionaries, oldest first, without their texts.
func Dictionaries(ctx context.Context, q sqldb.Querier) (all []TypeDictionary, err error) {
	err = q.Query(ctx, "SELECT id, resource_id, retired_at FROM dictionaries ORDER BY id", nil, func(rows *sql.Rows) error {
		var d TypeDictionary
		var retired int64
		err := rows.Scan(&d.ID, &d.Resource, &retired)
		d.Retired = retired > 0
		all = append(all, d)
		return err
	})
	return all, err
}

// DeleteDictionary deletes a dictionary.
func DeleteDictionary(ctx context.Context, tx *sqldb.Tx, id int64) error {
	_, err := tx.Exec(ctx, "DELETE FROM dictionaries WHERE id = ?", id)
	return err
}

// PackedKeyframe is a keyframe with its row ID.
type PackedKeyframe struct {
	ID int64
	StoredBody
}

// KeyframesWith calls each for the keyframes with row IDs in the range from <= id < to that
// are compressed with a dictionary.
func KeyframesWith(ctx context.Context, q sqldb.Querier, dictionary, from, to int64, each func(PackedKeyframe)) error {
	return q.Query(ctx, "SELECT id, body, size, data FROM revisions WHERE id >= ? AND id < ? AND dictionary_id = ? ORDER BY id", []any{from, to, dictionary}, func(rows *sql.Rows) error {
		k := PackedKeyframe{StoredBody: StoredBody{Dictionary: dictionary}}
		var hash []byte
		err := rows.Scan(&k.ID, &hash, &k.Size, &k.Data)
		copy(k.Hash[:], hash)
		each(k)
		return err
	})
}

// RepackKeyframe replaces the data of a keyframe that is still compressed with a dictionary.
func RepackKeyframe(ctx context.Context, tx *sqldb.Tx, id, dictionary int64, b StoredBody) error {
	_, err := tx.Exec(ctx, "UPDATE revisions SET dictionary_id = ?, data = ? WHERE id = ? AND dictionary_id = ?", b.Dictionary, b.Data, id, dictionary)
	return err
}

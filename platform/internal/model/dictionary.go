package model

import (
	"context"
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

// NewestDictionary returns the row ID of the newest dictionary of a type. It returns false
// if the type has no dictionary.
func NewestDictionary(ctx context.Context, q sqldb.Querier, resource int64) (id int64, found bool, err error) {
	return queryNullInt(ctx, q, "SELECT MAX(id) FROM dictionaries WHERE resource_id = ?", resource)
}

// InsertDictionary stores a dictionary, and returns the newest one, which may be a
// dictionary that another recorder stored at the same time.
func InsertDictionary(ctx context.Context, tx *sqldb.Tx, resource int64, text []byte) (Dictionary, error) {
	row := []any{resource, Micros(time.Now()), text}
	if err := tx.Insert(ctx, "dictionaries", []string{"resource_id", "made_at", "data"}, [][]any{row}); err != nil {
		return Dictionary{}, fmt.Errorf("table dictionaries: %w", err)
	}
	id, _, err := NewestDictionary(ctx, tx, resource)
	if err != nil {
		return Dictionary{}, fmt.Errorf("table dictionaries: %w", err)
	}
	return ReadDictionary(ctx, tx, id)
}

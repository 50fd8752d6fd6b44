package record

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// rebase is called before revisions of an object are removed, or their bodies: what
// stays and is kept as what it differs in from one of them is kept another way then.
// The first that stays becomes whole, and the others differ from it. The row of the
// object has to be locked.
func (d *Database) rebase(ctx context.Context, tx *sql.Tx, object int64, gone []int64) error {
	for some := range slices.Chunk(gone, 500) {
		args := []any{object}
		for _, version := range some {
			args = append(args, version)
		}
		rows, err := d.query(ctx, tx, "SELECT version, body, base, size, data FROM revisions WHERE object_id = ? AND base IN "+list(len(some))+" ORDER BY version", args...)
		if err != nil {
			return err
		}
		stay := map[int64][]whole{} // by base
		err = each(rows, func() error {
			var w whole
			var name []byte
			if err := rows.Scan(&w.version, &name, &w.base, &w.size, &w.data); err != nil {
				return err
			}
			copy(w.hash[:], name)
			if !slices.Contains(gone, w.version) {
				stay[w.base] = append(stay[w.base], w)
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, base := range some {
			if err := d.rebaseOne(ctx, tx, object, base, stay[base]); err != nil {
				return fmt.Errorf("version %d: %w", base, err)
			}
		}
	}
	return nil
}

// rebaseOne does so for what differs from one revision.
func (d *Database) rebaseOne(ctx context.Context, tx *sql.Tx, object, from int64, stay []whole) error {
	if len(stay) == 0 {
		return nil
	}
	old, err := d.content(ctx, tx, "version = ?", object, from)
	if err != nil {
		return err
	}
	var dict *dictionary
	if old.dictionary != 0 {
		if dict, err = d.dictionary(ctx, tx, old.dictionary); err != nil {
			return err
		}
	}
	oldBody, err := old.unpack(nil, dict)
	if err != nil {
		return err
	}
	var first []byte
	for i := range stay {
		w := &stay[i]
		body, err := w.unpack(oldBody, nil)
		if err != nil {
			return err
		}
		c, like := content{}, false
		if i == 0 {
			first = body
		} else {
			c, like = differ(body, first, w.hash, stay[0].version)
		}
		if !like {
			c = pack(body, w.hash, dict)
		}
		if _, err := d.exec(ctx, tx, "UPDATE revisions SET base = ?, dictionary_id = ?, data = ? WHERE object_id = ? AND version = ?",
			c.base, c.dictionary, c.data, object, w.version); err != nil {
			return err
		}
	}
	_, err = d.exec(ctx, tx, "UPDATE objects SET base = ? WHERE id = ? AND base = ?", stay[0].version, object, from)
	return err
}

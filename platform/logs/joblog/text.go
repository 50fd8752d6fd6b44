package joblog

import (
	"context"
	"database/sql"
	"errors"
	"slices"

	"github.com/vedette-io/vedette/platform/sqldb"
)

// chunk is a part of the text of a log.
type chunk struct {
	seq         int64
	first, last int64 // times
	lines       int64
	bytes       int64 // of the text
	stored      int64
	loaded      bool
	entries     []entry
}

// load reads the entries of the chunk.
func (c *chunk) load(ctx context.Context, q sqldb.Querier, log int64) error {
	if c.loaded {
		return nil
	}
	var data []byte
	err := q.QueryRow(ctx, "SELECT data FROM kept_log_chunks WHERE log_id = ? AND seq = ?", log, c.seq).Scan(&data)
	if err == nil {
		c.entries, err = unpack(data)
		c.loaded = true
	}
	return err
}

// text is the text of one log in a transaction that has claimed its row.
type text struct {
	tx     *sqldb.Tx
	log    int64
	chunks []*chunk // as they will be stored
	// removed are chunks to delete from the database, and added are new ones.
	removed, added []*chunk
}

// readText returns the text of a log, without the entries.
func readText(ctx context.Context, tx *sqldb.Tx, log int64) (*text, error) {
	t := &text{tx: tx, log: log}
	err := tx.Query(ctx, "SELECT seq, first_at, last_at, line_count, text_bytes, LENGTH(data) FROM kept_log_chunks WHERE log_id = ? ORDER BY seq", []any{log}, func(rows *sql.Rows) error {
		c := &chunk{}
		t.chunks = append(t.chunks, c)
		return rows.Scan(&c.seq, &c.first, &c.last, &c.lines, &c.bytes, &c.stored)
	})
	return t, err
}

// size returns the number of lines, the bytes of the text and the bytes of its chunks.
func (t *text) size() (lines, bytes, stored int64) {
	for _, c := range t.chunks {
		lines, bytes, stored = lines+c.lines, bytes+c.bytes, stored+c.stored
	}
	return lines, bytes, stored
}

// window returns the entries from a time on, and the first chunk that contains them. It
// includes earlier chunks if a secret of several lines may begin there.
func (t *text) window(ctx context.Context, at int64) (from int, entries []entry, err error) {
	for from < len(t.chunks) && t.chunks[from].last < at {
		from++
	}
	for from > 0 {
		from--
		c := t.chunks[from]
		if err := c.load(ctx, t.tx, t.log); err != nil {
			return 0, nil, err
		}
		if c.entries[0].text != redacted { // the secret begins in this chunk
			break
		}
	}
	for _, c := range t.chunks[from:] {
		if err := c.load(ctx, t.tx, t.log); err != nil {
			return 0, nil, err
		}
		entries = append(entries, c.entries...)
	}
	return from, entries, nil
}

// replace replaces the chunks from an index on by entries. It keeps chunks whose entries
// do not change, except for the last one if it has room for more.
func (t *text) replace(from int, entries []entry, r room) {
	for from < len(t.chunks) {
		c := t.chunks[from]
		n := len(c.entries)
		if n > len(entries) || !slices.Equal(c.entries, entries[:n]) || n < len(entries) && from == len(t.chunks)-1 && c.bytes < int64(r.bytes/2) && n < r.lines/2 {
			break
		}
		entries = entries[n:]
		from++
	}
	seq := int64(1)
	if from > 0 {
		seq = t.chunks[from-1].seq + 1
	}
	t.removed = append(t.removed, t.chunks[from:]...)
	t.chunks = t.chunks[:from:from]
	for _, part := range r.split(entries) {
		t.add(len(t.chunks), seq, part)
		seq++
	}
}

// add inserts a new chunk.
func (t *text) add(at int, seq int64, entries []entry) {
	c := &chunk{seq: seq, first: entries[0].at, last: entries[len(entries)-1].at, lines: int64(len(entries)), bytes: textBytes(entries), loaded: true, entries: entries}
	t.chunks = slices.Insert(t.chunks, at, c)
	t.added = append(t.added, c)
}

// trim removes the first lines until neither limit is exceeded. It returns the new floor,
// and the number of removed lines.
func (t *text) trim(ctx context.Context, most, bytes int64, f floor) (floor, int64, error) {
	lines, size, _ := t.size()
	removed := int64(0)
	for lines > most || size > bytes {
		c := t.chunks[0]
		if err := c.load(ctx, t.tx, t.log); err != nil {
			return f, removed, err
		}
		n := 0
		for n < len(c.entries) && (lines > most || size > bytes) {
			f = f.after(c.entries[n])
			lines, size = lines-1, size-int64(len(c.entries[n].text))
			n++
		}
		removed += int64(n)
		t.drop()
		if n < len(c.entries) {
			t.add(0, c.seq, c.entries[n:])
		}
	}
	return f, removed, nil
}

// free removes the first chunks until some bytes of the database are free. It has the same
// results as trim.
func (t *text) free(ctx context.Context, bytes int64, f floor) (floor, int64, error) {
	removed := int64(0)
	for bytes > 0 && len(t.chunks) > 0 {
		c := t.chunks[0]
		err := c.load(ctx, t.tx, t.log)
		switch {
		case errors.Is(err, errDamaged): // remove it too
			f = floor{at: c.last, lines: c.lines}
		case err != nil:
			return f, removed, err
		}
		for _, e := range c.entries {
			f = f.after(e)
		}
		bytes, removed = bytes-c.stored, removed+c.lines
		t.drop()
	}
	return f, removed, nil
}

// drop removes the first chunk.
func (t *text) drop() {
	c := t.chunks[0]
	t.chunks = t.chunks[1:]
	if i := slices.Index(t.added, c); i >= 0 {
		t.added = slices.Delete(t.added, i, i+1)
	} else {
		t.removed = append(t.removed, c)
	}
}

// flush writes what has changed.
func (t *text) flush(ctx context.Context) error {
	var rows [][]any
	for _, c := range t.removed {
		if _, err := t.tx.Exec(ctx, "DELETE FROM kept_log_chunks WHERE log_id = ? AND seq = ?", t.log, c.seq); err != nil {
			return err
		}
	}
	for _, c := range t.added {
		data := pack(c.entries)
		c.stored = int64(len(data))
		rows = append(rows, []any{t.log, c.seq, c.first, c.last, c.lines, c.bytes, data})
	}
	return t.tx.Insert(ctx, "kept_log_chunks", chunkColumns, rows)
}

var chunkColumns = []string{"log_id", "seq", "first_at", "last_at", "line_count", "text_bytes", "data"}

package recordtest

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"
	"time"

	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/platform/sqldb"
)

var spaceTests = []test{
	{"the size grows with the history", size},
	{"vacuum runs beside a writer", vacuum},
	{"clock and version", clock},
}

// fillRevisions inserts revisions with bodies that do not compress.
func (d *database) fillRevisions(n int) {
	d.t.Helper()
	var rows [][]any
	random := testinput.Rand(d.t)
	for i := range n {
		body := make([]byte, 4<<10)
		for j := 0; j < len(body); j += 8 {
			binary.LittleEndian.PutUint64(body[j:], random.Uint64())
		}
		zero := int64(0)
		rows = append(rows, []any{int64(1), int64(i), int16(0), int16(1), zero, "", "", bytes.Repeat([]byte{1}, 16), zero, zero, int64(len(body)), body})
	}
	columns := []string{"object_id", "version", "deleted", "source", "seen_at", "state", "raw_state", "body", "keyframe_version", "dictionary_id", "size", "data"}
	d.within(func(ctx context.Context, tx *sqldb.Tx) error { return tx.Insert(ctx, "revisions", columns, rows) })
}

func size(t *testing.T, d *database) {
	d.migrate()
	before, err := d.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	d.fillRevisions(1000) // 4 MB
	after, err := d.Size(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if after.Used < before.Used+2<<20 || after.Used > after.Files || after.Exact != before.Exact {
		t.Errorf("%+v after %+v", after, before)
	}
	if after.Exact && (after.Used < before.Used+4000<<10 || after.Used > before.Used+8<<20) {
		t.Errorf("exact: %+v after %+v", after, before)
	}
}

func vacuum(t *testing.T, d *database) {
	d.migrate()
	d.fillRevisions(500)
	d.exec("DELETE FROM revisions")
	done := make(chan error, 1)
	go func() { done <- d.Vacuum(t.Context()) }()
	for i := range int64(20) {
		d.exec("INSERT INTO clusters (uid, name, seen_at) VALUES (?, 'x', ?)", string(rune('a'+i)), i)
	}
	if err := patience.Receive(t, "vacuum", done); err != nil {
		t.Error(err)
	}
	if n := d.number("SELECT COUNT(*) FROM clusters"); n != 20 {
		t.Errorf("%d rows", n)
	}
}

func clock(t *testing.T, d *database) {
	first, err := d.Clock(t.Context())
	if err != nil || time.Since(first).Abs() > time.Hour {
		t.Errorf("%v, %v", first, err)
	}
	pause(t, 20*time.Millisecond)
	if second, err := d.Clock(t.Context()); err != nil || second.Sub(first) < 10*time.Millisecond {
		t.Errorf("20 milliseconds later: %v, %v", second.Sub(first), err)
	}
	if version, err := d.Version(t.Context()); err != nil || version == "" {
		t.Errorf("%q, %v", version, err)
	}
}

package record_test

import (
	"fmt"
	"testing"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/retained"
	"github.com/vedette-io/vedette/platform/record"
	"github.com/vedette-io/vedette/wire"
)

// TestBytesPerObject checks that the recorder keeps the key and the UID of an object in
// memory, and no part of its body.
func TestBytesPerObject(t *testing.T) {
	const n, most = 25_000, 185
	each := retained.Bytes(t, func() any { return track(t, n) }) / n
	t.Logf("%d bytes per object", each)
	if each > most {
		t.Errorf("got %d bytes per object, want at most %d", each, most)
	}
}

// track returns the tracker of n objects.
func track(t *testing.T, n int) any {
	c, err := record.Track(n, func(i int) delta.Delta {
		all := fmt.Sprintf("team-%02dtrain-%06d%08x-0000-4000-8000-%012x", i%50, i, i*7919, i) // one string, as the list decoder makes it
		key := wire.Key{Namespace: all[:7], Name: all[7:19]}
		return delta.Delta{Kind: delta.Upsert, Version: wire.Version(i + 1), Record: wire.Record{
			Key: key, UID: all[19:], Version: wire.Version(i + 1), Encoding: wire.JSON, Body: []byte(`{"metadata":{"name":"a"},"spec":{"filler":"0123456789012345678901234567890123456789"}}`),
		}}
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

package store_test

import (
	"context"
	"fmt"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// A snapshot does not change when the store does.
func Example() {
	s := store.New(store.Config{})
	put := func(version wire.Version, phase string) error {
		rec := wire.Record{
			Encoding: wire.JSON, Key: wire.Key{Namespace: "ml", Name: "train"}, UID: "1", Version: version,
			Body: []byte(`{"metadata":{"name":"train","namespace":"ml","uid":"1"},"status":{"phase":"` + phase + `"}}`),
		}
		return s.Apply(context.Background(), delta.Batch{{Kind: delta.Upsert, Version: version, Record: rec}})
	}
	if err := put(1, "Pending"); err != nil {
		fmt.Println(err)
		return
	}
	before := s.Snapshot()
	if err := put(2, "Running"); err != nil {
		fmt.Println(err)
		return
	}
	for _, snapshot := range []*store.Snapshot{before, s.Snapshot()} {
		entry, _ := snapshot.Get(wire.Key{Namespace: "ml", Name: "train"})
		fmt.Println(entry.Version())
	}
	// Output:
	// 1
	// 2
}

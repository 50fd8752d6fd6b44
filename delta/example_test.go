package delta_test

import (
	"context"
	"fmt"
	"log"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// A queue keeps the order of everything: the deletion of a comes after b. Get takes all
// deltas that wait.
func ExampleQueue() {
	ctx := context.Background()
	q := delta.NewQueue(delta.Limits{})
	for _, d := range []delta.Delta{
		{Kind: delta.Upsert, Version: 1, Record: wire.Record{Key: wire.Key{Name: "a"}}},
		{Kind: delta.Upsert, Version: 2, Record: wire.Record{Key: wire.Key{Name: "b"}}},
		{Kind: delta.Delete, Version: 3, Record: wire.Record{Key: wire.Key{Name: "a"}}},
	} {
		if err := q.Put(ctx, d); err != nil {
			log.Fatal(err)
		}
	}
	batch, err := q.Get(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, d := range batch {
		fmt.Println(d.Kind, d.Record.Name)
	}
	// Output:
	// Upsert a
	// Upsert b
	// Delete a
}

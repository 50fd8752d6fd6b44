package delta_test

import (
	"context"
	"fmt"
	"log"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/wire"
)

// Add a, add b, delete a: does b wait, is the order kept? In a Queue the order
// of everything is kept. Nothing is joined, b comes after the first of a and
// before the deletion of a; with Get it waits for no call, with Pop for one.
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
	for range 3 {
		if err := q.Pop(ctx, func(d delta.Delta) error {
			fmt.Println(d.Kind, d.Record.Name)
			return nil
		}); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// Upsert a
	// Upsert b
	// Delete a
}

// Add a, add b, delete a: does b wait, is the order kept? In a Coalesced a
// waits once, where it stood first: its deletion comes along with its addition,
// ahead of b. Order holds within a key, not across keys. b waits until a has
// been taken, and not for its processing if another goroutine pops.
func ExampleCoalesced() {
	ctx := context.Background()
	q := delta.NewCoalesced(delta.Limits{})
	a, b := wire.Record{Key: wire.Key{Name: "a"}, Version: 1}, wire.Record{Key: wire.Key{Name: "b"}, Version: 2}
	gone := a
	gone.Version = 3
	for _, err := range []error{q.Add(ctx, a), q.Add(ctx, b), q.Delete(ctx, gone)} {
		if err != nil {
			log.Fatal(err)
		}
	}
	for range 2 {
		if err := q.Pop(ctx, func(key wire.Key, deltas []delta.Entry) error {
			fmt.Print(key)
			for _, d := range deltas {
				fmt.Printf(" %v@%d", d.Kind, d.Version)
			}
			fmt.Println()
			return nil
		}); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// a Added@1 Deleted@3
	// b Added@2
}

package store_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/internal/patience"
	"github.com/vedette-io/vedette/internal/testinput"
	"github.com/vedette-io/vedette/store"
)

// TestSubscriberThatNeverReads checks that a subscriber that never reads costs bounded
// memory after a million events: Latest does not block the store, Lossless blocks it.
func TestSubscriberThatNeverReads(t *testing.T) {
	const objects, batch = 500, 500
	events := testinput.Size(t, manyEvents, fullEvents)
	s, texts := store.New(store.Config{Backlog: 1000}), bodies(objects)
	deltas := make(delta.Batch, batch)
	version := 0
	round := func(ctx context.Context) error {
		for i := range deltas {
			version++
			deltas[i] = pod(i%objects, version, texts[i%objects])
		}
		return s.Apply(ctx, deltas)
	}
	if err := round(t.Context()); err != nil {
		t.Fatal(err)
	}
	latest := s.Subscribe(store.Latest)
	before := heap()
	for range events / batch {
		if err := round(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if grown := heap() - before; grown > 4<<20 {
		t.Errorf("the heap grew by %d B after %d events", grown, events)
	}
	changes, err := latest.Next(t.Context())
	if err != nil || len(changes) != objects {
		t.Errorf("got %d changes for %d objects: %v", len(changes), objects, err)
	}
	latest.Close()

	every := s.Subscribe(store.Lossless)
	defer every.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var applied atomic.Int64
	var work sync.WaitGroup
	work.Go(func() {
		for round(ctx) == nil {
			applied.Add(batch)
		}
	})
	patience.Until(t, "the backlog is full", func() string {
		if n := every.Pending(); n < 1000 {
			return fmt.Sprintf("%d events are pending, %d applied", n, applied.Load())
		}
		return ""
	})
	cancel()
	work.Wait()
	if n := applied.Load(); n > 2*1000 {
		t.Errorf("got %d applied events with a Lossless subscriber that never reads", n)
	}
}

// bodies returns n bodies.
func bodies(n int) [][]byte {
	all := make([][]byte, n)
	for i := range all {
		all[i] = body(i, i)
	}
	return all
}

// BenchmarkWritesUnderReaders writes while ten goroutines continuously list all 10,000
// objects. It reports the write rate with and without readers. With enough processors the
// two rates are equal.
func BenchmarkWritesUnderReaders(b *testing.B) {
	texts := bodies(10_000)
	rate := func(readers int) float64 {
		s := filled(b, 10_000)
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		var work sync.WaitGroup
		defer work.Wait()
		defer cancel()
		for range readers {
			work.Go(func() {
				for ctx.Err() == nil {
					for e := range s.Snapshot().All() {
						if e.Version() == 0 {
							b.Error("got no version")
						}
					}
				}
			})
		}
		const writes = 20_000
		batch := make(delta.Batch, 1)
		began := time.Now()
		for i := range writes {
			batch[0] = pod(i%10_000, 6_000_000+i, texts[i%10_000])
			if err := s.Apply(ctx, batch); err != nil {
				b.Fatal(err)
			}
		}
		return writes / time.Since(began).Seconds()
	}
	for b.Loop() {
		alone, beside := rate(0), rate(10)
		b.ReportMetric(alone, "writes/s")
		b.ReportMetric(beside, "writes/s-beside-readers")
		b.ReportMetric(beside/alone, "ratio")
	}
}

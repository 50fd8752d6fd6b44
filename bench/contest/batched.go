package contest

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
)

// batched reads like our recorder, with batches of the same size, and passes the changes of
// objects to a function that keeps them.
type batched struct {
	queue     *delta.Queue
	reflector *reflector.Reflector
	keep      func(context.Context, delta.Batch) error
	kept      atomic.Int64
}

func newBatched(cluster *kube.Cluster, r kube.Resource, keep func(context.Context, delta.Batch) error) (*batched, error) {
	source, err := cluster.Collection(r, kube.Selection{Encoding: kube.JSONOnly})
	if err != nil {
		return nil, err
	}
	b := &batched{queue: delta.NewQueue(delta.Limits{Deltas: 1000, Bytes: 4 << 20}), keep: keep}
	b.reflector, err = reflector.New(source, b.queue, reflector.Config{})
	return b, err
}

// Kept implements Keeper.
func (b *batched) Kept() int { return int(b.kept.Load()) }

// Run implements Keeper.
func (b *batched) Run(ctx context.Context) error {
	var reading sync.WaitGroup
	var failed error
	reading.Go(func() {
		failed = b.reflector.Run(ctx)
		b.queue.Close()
	})
	for {
		deltas, err := b.queue.Get(ctx)
		if err == nil {
			err = b.keepObjects(ctx, deltas)
		}
		if err != nil {
			reading.Wait()
			if ctx.Err() != nil || errors.Is(err, delta.ErrClosed) {
				err = nil
			}
			return errors.Join(err, failed)
		}
	}
}

// keepObjects keeps the deltas that have an object.
func (b *batched) keepObjects(ctx context.Context, deltas delta.Batch) error {
	var objects delta.Batch
	for i := range deltas {
		if d := &deltas[i]; d.Kind == delta.Upsert || d.Kind == delta.Delete {
			objects = append(objects, *d)
		}
	}
	if len(objects) == 0 {
		return nil
	}
	err := b.keep(ctx, objects)
	if err == nil {
		b.kept.Add(int64(len(objects)))
	}
	return err
}

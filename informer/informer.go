package informer

import (
	"context"
	"errors"
	"iter"
	"reflect"
	"sync/atomic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// ErrRunTwice is returned by Run if it was called before.
var ErrRunTwice = errors.New("informer: Run was called twice; an informer runs once")

// Informer keeps a copy of the objects of type T. Create it with Watch or New.
type Informer[T any] struct {
	store     *store.Store
	queue     *delta.Queue
	reflector *reflector.Reflector
	illegal   error // what is wrong with the configuration

	running atomic.Bool
	stopped context.Context // done when Run has returned
	stop    context.CancelFunc
}

// Watch returns an informer of the objects of type T in a cluster: a built-in
// type such as corev1.Pod, the Go struct of a custom resource,
// unstructured.Unstructured for any type, or metav1.PartialObjectMetadata to
// have only the metadata fetched. It does nothing until Run, which also reports
// an illegal configuration.
func Watch[T any](cluster *kube.Cluster, cfg Config) *Informer[T] {
	var err error
	if cfg.Resource == "" {
		cfg.Resource, err = resourceOf[T]()
	}
	if cluster == nil {
		err = errors.New("informer: the cluster is nil; kube.Connect returns one")
	}
	selection := kube.Selection{
		Namespace:     cfg.Namespace,
		LabelSelector: cfg.LabelSelector,
		FieldSelector: cfg.FieldSelector,
	}
	if reflect.TypeFor[T]() == reflect.TypeFor[metav1.PartialObjectMetadata]() {
		selection.View = kube.Metadata
	}
	if !(wire.Codec[T]{}).Protobuf() {
		selection.Encoding = kube.JSONOnly
	}
	inf := New[T](&resolvingSource{cluster: cluster, resource: cfg.Resource, selection: selection}, cfg)
	if err != nil {
		inf.illegal = err
	}
	return inf
}

// New returns an informer of what a source of one's own lists and watches; of
// cfg only Reflector, Queue and Store count. It does nothing until Run.
func New[T any](src reflector.Source, cfg Config) *Informer[T] {
	inf := &Informer[T]{store: store.New(cfg.Store), queue: delta.NewQueue(cfg.Queue)}
	inf.stopped, inf.stop = context.WithCancel(context.Background())
	inf.reflector, inf.illegal = reflector.New(src, inf.queue, cfg.Reflector)
	return inf
}

// Run follows the cluster until ctx is done, and returns nil then. It may be
// called once; an informer that has stopped still shows what it saw last.
//
// Errors: an illegal configuration; ErrRunTwice.
func (i *Informer[T]) Run(ctx context.Context) error {
	if i.illegal != nil {
		return i.illegal
	}
	if i.running.Swap(true) {
		return ErrRunTwice
	}
	defer i.stop()
	ctx, cancel := context.WithCancel(ctx)
	applied := make(chan error, 1)
	go func() {
		defer cancel()
		applied <- i.apply(ctx)
	}()
	err := i.reflector.Run(ctx)
	cancel()
	return errors.Join(err, <-applied)
}

// apply moves batches from the queue to the store until ctx is done.
func (i *Informer[T]) apply(ctx context.Context) error {
	for {
		batch, err := i.queue.Get(ctx)
		if err == nil {
			err = i.store.Apply(ctx, batch)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// Synced returns a channel that is closed once the first list has been applied:
// from then on a snapshot shows all there is.
func (i *Informer[T]) Synced() <-chan struct{} { return i.store.Synced() }

// Health returns how the connection to the cluster is, and a channel that is
// closed at the next news.
func (i *Informer[T]) Health() (reflector.Health, <-chan struct{}) {
	if i.reflector == nil {
		return reflector.Health{Phase: reflector.Stopped, Err: i.illegal}, nil
	}
	return i.reflector.Health()
}

// Stats returns the counters of the store.
func (i *Informer[T]) Stats() store.Stats { return i.store.Stats() }

// Snapshot returns all objects as they are now. It costs nothing.
func (i *Informer[T]) Snapshot() Snapshot[T] { return Snapshot[T]{records: i.store.Snapshot()} }

// Events returns what is there now, as Added events marked Initial, and then
// everything that happens: every change, once, in order. The sequence waits for
// the next event; it ends when ctx is done, or when Run has returned and all has
// been told. Several sequences do not disturb each other.
//
// A loop body that lags behind by the backlog of the store makes the informer
// wait, so that nothing is lost and memory stays bounded.
func (i *Informer[T]) Events(ctx context.Context) iter.Seq[Event[T]] {
	return func(yield func(Event[T]) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(i.stopped, cancel)()
		sub := i.store.Subscribe()
		defer sub.Close()
		for rec := range sub.Snapshot().All() {
			if ctx.Err() != nil || !yield(Event[T]{change: store.Change{Kind: store.Added, New: &rec, Initial: true}}) {
				return
			}
		}
		for {
			changes, err := sub.Next(ctx)
			if err != nil {
				return
			}
			for _, c := range changes {
				if !yield(Event[T]{change: c}) {
					return
				}
			}
		}
	}
}

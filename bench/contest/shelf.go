package contest

import (
	"context"
	"fmt"
	"slices"

	"github.com/cilium/statedb"
	"github.com/cilium/statedb/index"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/bench/workload"
	"github.com/vedette-io/vedette/delta"
	"github.com/vedette-io/vedette/store"
	"github.com/vedette-io/vedette/wire"
)

// Shelf is a store alone, with an index by namespace and one by node, without an
// informer.
type Shelf interface {
	// Fill adds all pods.
	Fill(ctx context.Context) error
	// Put replaces the i-th pod with a new revision.
	Put(ctx context.Context, i int, version uint64) error
	// List reads the key of every pod, and returns their number.
	List() int
	// Own returns the size of the objects themselves in its memory, in bytes.
	Own() int64
}

// Shelves create the stores of contestants, for n pods of a kind.
var Shelves = map[string]func(k workload.Kind, n int) (Shelf, error){
	"vedette":      func(k workload.Kind, n int) (Shelf, error) { return newVedetteShelf(k, n, false) },
	"vedette-live": func(k workload.Kind, n int) (Shelf, error) { return newVedetteShelf(k, n, true) },
	"client-go":    newIndexerShelf,
	"statedb":      newTableShelf,
	"floor":        newFloorShelf,
}

type vedetteShelf struct {
	store *store.Store
	pods  delta.Batch // encoded as on the wire, prepared in advance
	names int64
	live  bool
}

func newVedetteShelf(k workload.Kind, n int, live bool) (Shelf, error) {
	cfg := store.Config{}
	if live {
		cfg.Decode = func(rec wire.Record) (any, error) { return wire.Codec[corev1.Pod]{}.Decode(rec) }
	}
	s := &vedetteShelf{store: store.New(cfg), live: live, pods: make(delta.Batch, n)}
	for i := range s.pods {
		obj := k.New(0, i)
		body, err := workload.Form{Encoding: workload.Protobuf}.Body(k, obj)
		if err != nil {
			return nil, err
		}
		s.pods[i] = upsert(obj, workload.FirstVersion+uint64(i), body)
		s.names += int64(len(obj.GetNamespace()) + len(obj.GetName()) + len(obj.GetUID()))
	}
	s.store.AddIndex(func(dst []string, rec *wire.Record, _ any) []string { return append(dst, rec.Namespace) })
	node, err := wire.FieldOf[corev1.Pod]("spec.nodeName")
	if err != nil {
		return nil, err
	}
	s.store.AddIndex(func(dst []string, rec *wire.Record, _ any) []string { return node.Append(dst, *rec) })
	return s, nil
}

func upsert(obj workload.Object, version uint64, body []byte) delta.Delta {
	return delta.Delta{Kind: delta.Upsert, Version: wire.Version(version), Record: wire.Record{
		Key: wire.Key{Namespace: obj.GetNamespace(), Name: obj.GetName()}, UID: string(obj.GetUID()),
		Version: wire.Version(version), Encoding: wire.Protobuf, Body: body,
	}}
}

// Fill implements Shelf like an informer: with a list in batches.
func (s *vedetteShelf) Fill(ctx context.Context) error {
	if err := s.store.Apply(ctx, delta.Batch{{Kind: delta.Begin}}); err != nil {
		return err
	}
	for some := range slices.Chunk(s.pods, 256) {
		if err := s.store.Apply(ctx, some); err != nil {
			return err
		}
	}
	return s.store.Apply(ctx, delta.Batch{{Kind: delta.End, Version: wire.Version(workload.FirstVersion + len(s.pods))}})
}

// Put implements Shelf.
func (s *vedetteShelf) Put(ctx context.Context, i int, version uint64) error {
	d := s.pods[i]
	d.Version, d.Record.Version = wire.Version(version), wire.Version(version)
	return s.store.Apply(ctx, delta.Batch{d})
}

// List implements Shelf. With a Live store it reads the decoded object, otherwise the
// version from the bytes.
func (s *vedetteShelf) List() int {
	n := 0
	for e := range s.store.Snapshot().All() {
		if s.live {
			obj, _ := e.Object()
			if pod, ok := obj.(*corev1.Pod); ok && pod.Name != "" {
				n++
			}
		} else if e.Version() > 0 {
			n++
		}
	}
	return n
}

// Own implements Shelf: the packed bodies. Key, UID and everything else is overhead.
func (s *vedetteShelf) Own() int64 { return s.store.Stats().HeldBytes - s.names }

// objects are decoded pods that were prepared in advance.
type objects struct {
	kind workload.Kind
	all  []*corev1.Pod
}

func newObjects(k workload.Kind, n int) (objects, error) {
	o := objects{kind: k, all: make([]*corev1.Pod, n)}
	for i := range n {
		pod, ok := k.New(0, i).(*corev1.Pod)
		if !ok {
			return o, fmt.Errorf("%s are not pods", k.Name)
		}
		o.all[i] = pod
	}
	return o, nil
}

// revision returns a new revision of the i-th pod: a shallow copy, without decoding.
func (o objects) revision(i int, version uint64) *corev1.Pod {
	pod := *o.all[i]
	pod.ResourceVersion = fmt.Sprint(version)
	return &pod
}

type indexerShelf struct {
	objects
	indexer cache.Indexer
}

func newIndexerShelf(k workload.Kind, n int) (Shelf, error) {
	o, err := newObjects(k, n)
	return &indexerShelf{objects: o, indexer: cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
		"node":               func(obj any) ([]string, error) { return []string{obj.(*corev1.Pod).Spec.NodeName}, nil },
	})}, err
}

// Fill implements Shelf.
func (s *indexerShelf) Fill(context.Context) error {
	for _, pod := range s.all {
		if err := s.indexer.Add(pod); err != nil {
			return err
		}
	}
	return nil
}

// Put implements Shelf.
func (s *indexerShelf) Put(_ context.Context, i int, version uint64) error {
	return s.indexer.Update(s.revision(i, version))
}

// List implements Shelf.
func (s *indexerShelf) List() int {
	n := 0
	for _, obj := range s.indexer.List() {
		if obj.(metav1.Object).GetName() != "" {
			n++
		}
	}
	return n
}

// Own implements Shelf: the objects existed before.
func (s *indexerShelf) Own() int64 { return 0 }

type tableShelf struct {
	objects
	db    *statedb.DB
	table statedb.RWTable[row]
}

func newTableShelf(k workload.Kind, n int) (Shelf, error) {
	o, err := newObjects(k, n)
	if err != nil {
		return nil, err
	}
	db, table, err := newTable(byNamespace, statedb.Index[row, string]{
		Name:       "node",
		FromObject: func(o row) index.KeySet { return index.NewKeySet(index.String(o.(*corev1.Pod).Spec.NodeName)) },
		FromKey:    index.String,
	})
	return &tableShelf{objects: o, db: db, table: table}, err
}

// Fill implements Shelf, with 1,000 pods per transaction: the table keeps the memory of a
// transaction for later ones, and one transaction for all pods would slow them down.
func (s *tableShelf) Fill(context.Context) error {
	for some := range slices.Chunk(s.all, 1000) {
		txn := s.db.WriteTxn(s.table)
		for _, pod := range some {
			if _, _, err := s.table.Insert(txn, pod); err != nil {
				txn.Abort()
				return err
			}
		}
		txn.Commit()
	}
	return nil
}

// Put implements Shelf.
func (s *tableShelf) Put(_ context.Context, i int, version uint64) error {
	txn := s.db.WriteTxn(s.table)
	if _, _, err := s.table.Insert(txn, s.revision(i, version)); err != nil {
		return err
	}
	txn.Commit()
	return nil
}

// List implements Shelf.
func (s *tableShelf) List() int {
	n := 0
	for o := range s.table.All(s.db.ReadTxn()) {
		if o.GetName() != "" {
			n++
		}
	}
	return n
}

// Own implements Shelf: the objects existed before.
func (s *tableShelf) Own() int64 { return 0 }

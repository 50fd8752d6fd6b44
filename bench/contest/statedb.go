package contest

import (
	"context"
	"errors"
	"sync"

	"github.com/cilium/statedb"
	"github.com/cilium/statedb/index"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/vedette-io/vedette/bench/workload"
)

// row is an object in a table.
type row = workload.Object

var byKey = statedb.Index[row, string]{
	Name: "key",
	FromObject: func(o row) index.KeySet {
		return index.NewKeySet(index.String(o.GetNamespace() + "/" + o.GetName()))
	},
	FromKey: index.String, Unique: true,
}

var byNamespace = statedb.Index[row, string]{
	Name:       "namespace",
	FromObject: func(o row) index.KeySet { return index.NewKeySet(index.String(o.GetNamespace())) },
	FromKey:    index.String,
}

// newTable creates a table of objects with a key and indexes.
func newTable(indexes ...statedb.Indexer[row]) (*statedb.DB, statedb.RWTable[row], error) {
	db := statedb.New()
	table, err := statedb.NewTableAny(db, "objects", func() []string { return []string{"key"} },
		func(o row) []string { return []string{o.GetNamespace() + "/" + o.GetName()} }, byKey, indexes...)
	return db, table, err
}

// openStateDB opens a table that client-go's reflector fills.
func openStateDB(env Env) (Cache, error) {
	if len(env.Kinds) != 1 || env.Kinds[0].Custom {
		return nil, errors.New("the table of StateDB supports only one built-in type")
	}
	k := env.Kinds[0]
	cfg := env.rest()
	gv := k.GVK().GroupVersion()
	cfg.GroupVersion, cfg.APIPath, cfg.NegotiatedSerializer = &gv, "/apis", scheme.Codecs.WithoutConversion()
	if k.Group == "" {
		cfg.APIPath = "/api"
	}
	client, err := rest.RESTClientFor(cfg)
	if err != nil {
		return nil, err
	}
	db, table, err := newTable(byNamespace)
	if err != nil {
		return nil, err
	}
	t := &stateTable{db: db, table: table, handlers: env.Handlers, synced: make(chan struct{})}
	lw := cache.NewListWatchFromClient(client, k.Resource, "", fields.Everything())
	expected, err := scheme.Scheme.New(k.GVK())
	if err != nil {
		return nil, err
	}
	t.reflector = cache.NewReflectorWithOptions(lw, expected, t, cache.ReflectorOptions{Name: "bench"})
	return t, nil
}

// stateTable is a table filled by a reflector: one transaction for each event, and one
// for each list. Cilium collects events for up to 50 ms instead.
type stateTable struct {
	db        *statedb.DB
	table     statedb.RWTable[row]
	reflector *cache.Reflector
	handlers  []Handler
	synced    chan struct{}
	once      sync.Once
}

// Run implements Cache.
func (t *stateTable) Run(ctx context.Context) error {
	if err := t.db.Start(); err != nil {
		return err
	}
	var work sync.WaitGroup
	for _, h := range t.handlers {
		txn := t.db.WriteTxn(t.table)
		changes, err := t.table.Changes(txn)
		txn.Commit()
		if err != nil {
			return err
		}
		work.Go(func() { t.follow(ctx, changes, resourceHandler(h)) })
	}
	t.reflector.RunWithContext(ctx)
	work.Wait()
	return t.db.Stop()
}

// follow passes all changes to a handler until ctx is done.
func (t *stateTable) follow(ctx context.Context, changes statedb.ChangeIterator[row], h cache.ResourceEventHandler) {
	for {
		some, more := changes.Next(t.db.ReadTxn())
		for c := range some {
			if ctx.Err() != nil {
				return
			}
			if c.Deleted {
				h.OnDelete(c.Object)
			} else {
				h.OnAdd(c.Object, false)
			}
		}
		select {
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}

// Synced implements Cache.
func (t *stateTable) Synced() <-chan struct{} { return t.synced }

// Len implements Cache.
func (t *stateTable) Len() int { return t.table.NumObjects(t.db.ReadTxn()) }

// Add implements cache.ReflectorStore.
func (t *stateTable) Add(obj any) error {
	txn := t.db.WriteTxn(t.table)
	defer txn.Abort()
	if _, _, err := t.table.Insert(txn, obj.(row)); err != nil {
		return err
	}
	txn.Commit()
	return nil
}

// Update implements cache.ReflectorStore.
func (t *stateTable) Update(obj any) error { return t.Add(obj) }

// Delete implements cache.ReflectorStore.
func (t *stateTable) Delete(obj any) error {
	txn := t.db.WriteTxn(t.table)
	defer txn.Abort()
	if _, _, err := t.table.Delete(txn, obj.(row)); err != nil {
		return err
	}
	txn.Commit()
	return nil
}

// Replace implements cache.ReflectorStore.
func (t *stateTable) Replace(list []any, _ string) error {
	txn := t.db.WriteTxn(t.table)
	defer txn.Abort()
	there := make(map[string]bool, len(list))
	for _, obj := range list {
		o := obj.(row)
		there[o.GetNamespace()+"/"+o.GetName()] = true
		if _, _, err := t.table.Insert(txn, o); err != nil {
			return err
		}
	}
	for o := range t.table.All(txn) {
		if !there[o.GetNamespace()+"/"+o.GetName()] {
			if _, _, err := t.table.Delete(txn, o); err != nil {
				return err
			}
		}
	}
	txn.Commit()
	t.once.Do(func() { close(t.synced) })
	return nil
}

// Resync implements cache.ReflectorStore.
func (t *stateTable) Resync() error { return nil }

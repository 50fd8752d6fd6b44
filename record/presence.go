package record

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vedette-io/vedette/kube"
	"github.com/vedette-io/vedette/reflector"
	"github.com/vedette-io/vedette/wire"
)

// fresh is how old the coverage of a recorder may be that is said to see a
// collection: servers send bookmarks about every minute.
const fresh = 3 * time.Minute

// lose notes that a place can not be seen any more: a gap begins, and, if no other
// recorder sees the place, its objects become unknown. They are not deleted: nobody
// has seen that.
func (d *Database) lose(ctx context.Context, p place, recorder string, h hole) (opened bool, err error) {
	ctx, done := d.Bounded(ctx)
	defer done()
	err = d.within(ctx, func(tx *sql.Tx) (err error) {
		if opened, err = d.open(ctx, tx, p, recorder, h); err != nil {
			return err
		}
		var latest sql.NullInt64
		row := tx.QueryRowContext(ctx, d.Rebind("SELECT MAX(to_at) FROM coverage WHERE cluster_id = ? AND resource_id = ? AND (namespace = ? OR namespace = '') AND recorder <> ?"),
			p.cluster, p.resource, p.namespace, recorder)
		if err := row.Scan(&latest); err != nil {
			return err
		}
		if latest.Int64 > micros(h.fromAt.Add(-fresh)) {
			return nil
		}
		return d.mark(ctx, tx, p, there, unknown)
	})
	return opened, err
}

// mark changes the presence of all objects of a place that have another.
func (d *Database) mark(ctx context.Context, tx *sql.Tx, p place, from, to presence) error {
	where, args := p.objects()
	_, err := d.exec(ctx, tx, "UPDATE objects SET presence = ? WHERE "+where+" AND presence = ?", append(append([]any{int16(to)}, args...), int16(from))...)
	return err
}

// objects is what the objects of a place are found by. With selectors they are those
// that were seen last with the same.
func (p place) objects() (where string, args []any) { return p.within("scope") }

// within is what lies in a place: all of it that is not narrowed down. selectors is the
// column of their hash.
func (p place) within(selectors string) (where string, args []any) {
	where, args = "cluster_id = ? AND resource_id = ?", []any{p.cluster, p.resource}
	if p.namespace != "" {
		where, args = where+" AND namespace = ?", append(args, p.namespace)
	}
	if p.selectors != 0 {
		where, args = where+" AND "+selectors+" = ?", append(args, p.selectors)
	}
	return where, args
}

// causeOf returns the cause of a gap for faults after which nothing is seen until
// somebody does something.
func causeOf(f reflector.Fault) string {
	switch f {
	case reflector.Denied:
		return CauseDenied
	case reflector.Absent:
		return CauseAbsent
	default:
		return ""
	}
}

// errRebuilt is why recording starts from scratch: the cluster is another one.
var errRebuilt = errors.New("another cluster stands at the address: the UID of its namespace kube-system has changed")

// guarded is a source that asks nothing of a cluster that is another by now. A cluster
// that is rebuilt ends all connections, so who asks before each new one never takes
// the objects of one for those of the other.
type guarded struct {
	reflector.Source
	same func(context.Context) error
}

// Recovered implements reflector.Recoverer.
func (g *guarded) Recovered() <-chan struct{} {
	if r, ok := g.Source.(reflector.Recoverer); ok {
		return r.Recovered()
	}
	return nil
}

// Ordered implements reflector.Orderer.
func (g *guarded) Ordered(ctx context.Context) (ordered, known bool) {
	if o, ok := g.Source.(reflector.Orderer); ok {
		return o.Ordered(ctx)
	}
	return false, false
}

func (g *guarded) List(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	if err := g.same(ctx); err != nil {
		return wire.Stream{}, err
	}
	return g.Source.List(ctx, opts)
}

func (g *guarded) Watch(ctx context.Context, opts metav1.ListOptions) (wire.Stream, error) {
	if err := g.same(ctx); err != nil {
		return wire.Stream{}, err
	}
	return g.Source.Watch(ctx, opts)
}

// fate asks what became of an object that is not among what is selected any more: a
// server says of one that left a selection what it says of one that is gone.
type fate func(ctx context.Context, key wire.Key, uid string) (gone bool, err error)

// fateOf returns the fate of the objects of a target with selectors, and nil for one
// without: there what is not there is gone.
func fateOf(c *kube.Cluster, t Target) (fate, error) {
	if t.LabelSelector == "" && t.FieldSelector == "" {
		return nil, nil
	}
	client, err := kube.For[metav1.PartialObjectMetadata](c, kube.ClientConfig{Resource: t.Type})
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, key wire.Key, uid string) (bool, error) {
		obj, err := client.Get(ctx, key)
		switch {
		case apierrors.IsNotFound(err):
			return true, nil
		case apierrors.IsForbidden(err):
			return true, nil // then what the watch said has to do
		case err != nil:
			return false, fmt.Errorf("whether %s is gone: %w", key, err)
		}
		return string(obj.UID) != uid, nil
	}, nil
}

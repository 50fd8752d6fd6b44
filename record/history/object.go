package history

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/vedette-io/vedette/record/internal/model"
	"github.com/vedette-io/vedette/record/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Presence says whether an object exists: Present, Deleted, Unknown or Unselected. It is
// written as text in JSON.
type Presence = model.Presence

// The values of Presence.
const (
	// Present: the object was seen, and its deletion was not.
	Present = model.Present
	// Deleted: a watch reported the deletion, or a complete list lacked the object.
	Deleted = model.Deleted
	// Unknown: the object cannot be seen now. The rights are gone, the type is gone, or the
	// cluster was replaced.
	Unknown = model.Unknown
	// Unselected: the object exists, but the selectors of its target no longer select it.
	Unselected = model.Unselected
)

// Object is an object in its last recorded state.
type Object struct {
	ID            int64 // in this database
	Cluster       string
	ClusterUID    string
	Type          Type
	Namespace     string
	Name          string
	UID           string
	Created, Seen time.Time    // Seen is when the object was seen first
	Gone          time.Time    // when it was deleted; zero if it was not
	Version       wire.Version // of the last revision
	State, Raw    string       // Raw is the word of the type itself
	Reason        string
	Message       string
	Since         time.Time // when it entered the state
	Queue         string
	Submitter     string
	Owner         Owner
	Presence      Presence
}

func objectOf(r *model.ListedObject) Object {
	return Object{
		ID: r.ID, Cluster: r.Cluster, ClusterUID: r.ClusterUID, Type: r.Type, Namespace: r.Namespace, Name: r.Name, UID: r.UID,
		Created: model.Time(r.CreatedAt), Seen: model.Time(r.SeenAt), Gone: model.Time(r.DeletedAt), Version: r.Version,
		State: r.State, Raw: r.RawState, Reason: r.Reason, Message: r.Message, Since: model.Time(r.Since),
		Queue: r.Queue, Submitter: r.Submitter, Owner: Owner{Kind: r.Owner.Kind, Name: r.Owner.Name, UID: r.Owner.UID}, Presence: r.Presence,
	}
}

// ObjectName names objects. Several objects can have had the same name, one after another.
type ObjectName struct {
	Type Type
	// Namespace is empty for types without namespaces. AllNamespaces ignores it.
	Namespace     string
	AllNamespaces bool
	Name          string
	// Cluster is the name or the UID of a cluster. Empty means all clusters.
	Cluster string
}

// String returns "jobs.batch ml/train-0".
func (n ObjectName) String() string {
	if n.AllNamespaces {
		return n.Type.String() + " " + n.Name + " in any namespace"
	}
	return n.Type.String() + " " + (wire.Key{Namespace: n.Namespace, Name: n.Name}).String()
}

func listObjects(ctx context.Context, db *sqldb.DB, l limits, f Filter, p Paging) (Page[Object], error) {
	return scanPage(ctx, db, l, model.ObjectTable, f, p, decodeObject)
}

func decodeObject(rows *sql.Rows) (positioned[Object], error) {
	r, err := model.ScanObject(rows)
	return positioned[Object]{model.Position{At: r.Since, ID: r.ID}, objectOf(&r)}, err
}

func objectsNamed(ctx context.Context, db *sqldb.DB, n ObjectName, query func(...model.Condition) model.Query, p Paging) (page Page[Object], err error) {
	s, err := Filter{Cluster: n.Cluster, Types: []Type{n.Type}}.resolve(ctx, db)
	if err != nil || s.nothing {
		return page, err
	}
	if !n.AllNamespaces {
		s.conditions = append(s.conditions, model.InNamespace(n.Namespace))
	}
	return keysetPage(ctx, db, query(s.conditions...), p, func(rows *sql.Rows) (Object, int64, error) {
		r, err := model.ScanObject(rows)
		return objectOf(&r), r.ID, err
	})
}

func objectsByID(ctx context.Context, db *sqldb.DB, ids []int64) (all []Object, err error) {
	for some := range slices.Chunk(ids, maxLimit) {
		err := model.ObjectTable.ReadRows(ctx, db, some, func(rows *sql.Rows) error {
			r, err := model.ScanObject(rows)
			all = append(all, objectOf(&r))
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

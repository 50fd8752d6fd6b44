package history

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"github.com/vedette-io/vedette/platform/internal/model"
	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// Presence tells whether an object exists: Present, Deleted, Unknown or Unselected. In JSON
// it is a word.
type Presence = model.Presence

// Values of Presence.
const (
	// Present objects were seen, and are not known to be deleted.
	Present = model.Present
	// Deleted objects were reported as deleted by a watch, or were missing in a complete
	// list.
	Deleted = model.Deleted
	// Unknown objects cannot be seen now: the recorder lacks the rights, the server does
	// not serve the type, or the cluster was replaced.
	Unknown = model.Unknown
	// Unselected objects exist, but the selectors of their target no longer select them.
	Unselected = model.Unselected
)

// Object is an object in its last recorded state.
type Object struct {
	ID            int64 // row ID in this database
	Cluster       string
	ClusterUID    string
	Type          Type
	Namespace     string
	Name          string
	UID           string
	Created, Seen time.Time    // Seen is the time when the object was first seen
	Gone          time.Time    // time of the deletion; zero if the object was not deleted
	Version       wire.Version // of the last revision
	State, Raw    string       // Raw is the raw state
	Reason        string
	Message       string
	Since         time.Time // time when the object entered the state
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

// ObjectName names objects. Several objects may have had the same name, one after another.
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

func decodeJob(rows *sql.Rows) (positioned[Object], error) {
	j, err := model.ScanJob(rows)
	return positioned[Object]{model.Position{At: j.EnteredAt, ID: j.ID}, objectOf(&j.ListedObject)}, err
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

// jobsByID returns what objectsByID returns, with the status of the job of objects that are jobs.
func jobsByID(ctx context.Context, db *sqldb.DB, ids []int64) (all []Object, err error) {
	others := map[int64]bool{}
	for _, id := range ids {
		others[id] = true
	}
	err = model.JobsWith(ctx, db, ids, func(j model.ListedJob) {
		all = append(all, objectOf(&j.ListedObject))
		delete(others, j.ID)
	})
	if err != nil {
		return nil, err
	}
	objects, err := objectsByID(ctx, db, model.SortedIDs(others))
	return append(all, objects...), err
}

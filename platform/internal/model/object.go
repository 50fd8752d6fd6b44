package model

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/vedette-io/vedette/platform/sqldb"
	"github.com/vedette-io/vedette/wire"
)

// NewObject is an object to insert. With the ObjectUpdate of its first revision, no update
// follows; without one, the object has no revision.
type NewObject struct {
	Attributes
	Name, UID string
	CreatedAt int64 // as the object reports, in microseconds
	SeenAt    int64
	ObjectUpdate
}

var newObjectColumns = []string{
	"cluster_id", "resource_id", "namespace", "name", "uid", "owner_uid", "owner_kind", "owner_name", "queue", "submitter",
	"created_at", "seen_at", "presence", "deleted_at", "version", "state", "raw_state", "reason", "message", "since", "attributes_hash", "selector_hash", "keyframe_version", "deltas",
}

// InsertObjects inserts the objects that do not exist yet, and leaves the others unchanged.
// all must be sorted by UID.
func InsertObjects(ctx context.Context, tx *sqldb.Tx, all []NewObject) error {
	return tx.InsertNew(ctx, "objects", newObjectColumns, newObjectRows(all), "uid")
}

// InsertObjectsReturning is like InsertObjects, and calls each for every inserted object, in
// any order. It inserts nothing and returns errors.ErrUnsupported if the database does not
// return inserted rows.
func InsertObjectsReturning(ctx context.Context, tx *sqldb.Tx, all []NewObject, each func(id int64, uid string)) error {
	return tx.InsertReturning(ctx, "objects", newObjectColumns, newObjectRows(all), "uid", func(rows *sql.Rows) error {
		var id int64
		var uid string
		if err := rows.Scan(&id, &uid); err != nil {
			return err
		}
		each(id, uid)
		return nil
	})
}

func newObjectRows(all []NewObject) [][]any {
	rows := make([][]any, len(all))
	for i := range all {
		o := &all[i]
		rows[i] = []any{
			o.Cluster, o.Resource, o.Namespace, o.Name, o.UID, o.Owner.UID, o.Owner.Kind, o.Owner.Name, o.Queue, o.Submitter,
			o.CreatedAt, o.SeenAt, int16(o.Presence), o.DeletedAt, int64(o.Version), o.State, o.RawState, o.Reason, o.Message, o.Since, o.AttributesHash, o.Selectors, int64(o.Base), o.Depth,
		}
	}
	return rows
}

// Object is the stored state of an object, as a writer reads it under a lock.
type Object struct {
	ID              int64
	UID             string
	Presence        Presence
	Version         wire.Version // of the last revision; 0: no revision yet
	State, RawState string
	Reason, Message string       // of the last revision
	Since           int64        // time when the object entered the state, in microseconds
	AttributesHash  int64        // of its attributes; 0: not stored yet
	Selectors       int64        // hash of the selectors with which it was seen last
	Base            wire.Version // of the last keyframe; 0: none
	Depth           int16        // number of later revisions that are stored as differences
}

// LockObjects locks the rows of objects until the transaction ends, and calls each for
// every row. uids must be sorted, so that all writers lock in the same order. The object is
// valid only during the call of each.
func LockObjects(ctx context.Context, tx *sqldb.Tx, cluster, resource int64, uids []string, each func(*Object) error) error {
	var o Object
	var version, base int64
	selected := sqldb.Selection{
		Columns: "id, uid, presence, version, state, raw_state, reason, message, since, attributes_hash, selector_hash, keyframe_version, deltas", Table: "objects", Index: "objects_uid",
		Where: "cluster_id = ? AND resource_id = ?", Args: []any{cluster, resource}, Key: "uid",
	}
	for some := range slices.Chunk(uids, 500) {
		selected.Keys = some
		err := tx.LockRows(ctx, selected, func(rows *sql.Rows) error {
			if err := rows.Scan(&o.ID, &o.UID, &o.Presence, &version, &o.State, &o.RawState, &o.Reason, &o.Message, &o.Since, &o.AttributesHash, &o.Selectors, &base, &o.Depth); err != nil {
				return err
			}
			o.Version, o.Base = wire.Version(version), wire.Version(base)
			return each(&o)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ObjectUpdate is the state of an object after a batch.
type ObjectUpdate struct {
	ID                 int64
	Version            wire.Version
	Reason, Message    string
	AttributesHash     int64
	Selectors          int64
	Base               wire.Version
	Depth              int16
	ObjectStateColumns // UpdateObjects writes them only if they have changed
}

// ObjectStateColumns are the columns of an object that are part of an index.
type ObjectStateColumns struct {
	Presence        Presence
	DeletedAt       int64
	State, RawState string
	Since           int64
}

// Most revisions change only the first columns. No index contains them, so an update of
// only these columns does not touch an index.
var (
	updateColumns      = []string{"id", "version", "reason", "message", "attributes_hash", "selector_hash", "keyframe_version", "deltas"}
	stateUpdateColumns = slices.Concat(updateColumns, []string{"presence", "deleted_at", "state", "raw_state", "since"})
)

// UpdateObjects stores the state of objects after a batch, in the order of their row IDs.
// changed holds the objects with a changed state or presence, and same holds the others.
func UpdateObjects(ctx context.Context, tx *sqldb.Tx, changed, same []ObjectUpdate) error {
	rows := make([][]any, len(changed))
	for i := range changed {
		u := &changed[i]
		rows[i] = append(u.columns(len(stateUpdateColumns)), int16(u.Presence), u.DeletedAt, u.State, u.RawState, u.Since)
	}
	if err := tx.Update(ctx, "objects", stateUpdateColumns, rows); err != nil {
		return fmt.Errorf("table objects: %w", err)
	}
	rows = make([][]any, len(same))
	for i := range same {
		rows[i] = same[i].columns(len(updateColumns))
	}
	if err := tx.Update(ctx, "objects", updateColumns, rows); err != nil {
		return fmt.Errorf("table objects: %w", err)
	}
	return nil
}

func (u *ObjectUpdate) columns(n int) []any {
	return append(make([]any, 0, n), u.ID, int64(u.Version), u.Reason, u.Message, u.AttributesHash, u.Selectors, int64(u.Base), u.Depth)
}

// AttributeUpdate holds the attributes of an object that may change, except its labels.
type AttributeUpdate struct {
	ID               int64
	Owner            Owner
	Queue, Submitter string
}

// UpdateAttributes stores changed attributes of objects.
func UpdateAttributes(ctx context.Context, tx *sqldb.Tx, all []AttributeUpdate) error {
	rows := make([][]any, len(all))
	for i := range all {
		u := &all[i]
		rows[i] = []any{u.ID, u.Owner.UID, u.Owner.Kind, u.Owner.Name, u.Queue, u.Submitter}
	}
	if err := tx.Update(ctx, "objects", []string{"id", "owner_uid", "owner_kind", "owner_name", "queue", "submitter"}, rows); err != nil {
		return fmt.Errorf("table objects: %w", err)
	}
	return nil
}

// SelectObject stores that an object is present and was seen with these selectors.
func SelectObject(ctx context.Context, tx *sqldb.Tx, id, selectors int64) error {
	_, err := tx.Exec(ctx, "UPDATE objects SET selector_hash = ?, presence = ? WHERE id = ?", selectors, int16(Present), id)
	return err
}

// UnselectObject stores that the selectors of its target no longer select an object, unless
// the object was deleted. It returns the row ID of the object, or 0.
func UnselectObject(ctx context.Context, tx *sqldb.Tx, s Scope, uid string) (id int64, err error) {
	n, err := tx.Exec(ctx, "UPDATE objects SET presence = ? WHERE cluster_id = ? AND resource_id = ? AND uid = ? AND presence <> ?",
		int16(Unselected), s.Cluster, s.Resource, uid, int16(Deleted))
	if err != nil || n == 0 {
		return 0, err
	}
	err = tx.QueryRow(ctx, "SELECT id FROM objects WHERE cluster_id = ? AND resource_id = ? AND uid = ?", s.Cluster, s.Resource, uid).Scan(&id)
	return id, err
}

// SetPresence changes the presence of all objects of a scope from one value to another. In
// a scope with selectors it changes only the objects that were last seen with the same
// selectors. It returns the number of changed objects.
func SetPresence(ctx context.Context, tx *sqldb.Tx, s Scope, from, to Presence) (changed int64, err error) {
	condition, args := s.within("selector_hash", s.Selectors)
	if !s.UIDs.IsAll() {
		return setPresenceOfRange(ctx, tx, s, from, to)
	}
	return tx.Exec(ctx, "UPDATE objects SET presence = ? WHERE "+condition+" AND presence = ?", append(append([]any{int16(to)}, args...), int16(from))...)
}

// setPresenceOfRange is SetPresence for a UID range, which SQL cannot select.
func setPresenceOfRange(ctx context.Context, tx *sqldb.Tx, s Scope, from, to Presence) (changed int64, err error) {
	condition, args := s.within("selector_hash", s.Selectors)
	var rows [][]any
	err = tx.Query(ctx, "SELECT id, uid FROM objects WHERE "+condition+" AND presence = ? ORDER BY id", append(args, int16(from)), func(r *sql.Rows) error {
		var id int64
		var uid string
		if err := r.Scan(&id, &uid); err != nil {
			return err
		}
		if s.UIDs.Contains(uid) {
			rows = append(rows, []any{id, int16(to)})
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("table objects: %w", err)
	}
	if err := tx.Update(ctx, "objects", []string{"id", "presence"}, rows); err != nil {
		return 0, fmt.Errorf("table objects: %w", err)
	}
	return int64(len(rows)), nil
}

// Tracked is the last revision of an object that is not known to be deleted.
type Tracked struct {
	Key     wire.Key
	UID     string
	Version wire.Version
	Source  Source
	Content []byte // hash of the body; nil if the revision was removed
}

// EachTracked calls each for the objects of a scope that are not known to be deleted.
func EachTracked(ctx context.Context, q sqldb.Querier, s Scope, each func(Tracked)) error {
	condition, args := s.within("o.selector_hash", s.Selectors)
	query := "SELECT o.namespace, o.name, o.uid, o.version, COALESCE(r.source, 0), r.body FROM objects o LEFT JOIN revisions r ON r.object_id = o.id AND r.version = o.version WHERE " + condition + " AND o.presence IN (?, ?)"
	return q.Query(ctx, query, append(args, int16(Present), int16(Unknown)), func(rows *sql.Rows) error {
		var t Tracked
		var version int64
		if err := rows.Scan(&t.Key.Namespace, &t.Key.Name, &t.UID, &version, &t.Source, &t.Content); err != nil {
			return err
		}
		if t.Version = wire.Version(version); s.UIDs.Contains(t.UID) {
			each(t)
		}
		return nil
	})
}

// RefreshSince sets since of an object to the time of its last transition. A backfill may
// have changed which transition is the last one.
func RefreshSince(ctx context.Context, tx *sqldb.Tx, id int64) error {
	_, err := tx.Exec(ctx, "UPDATE objects SET since = COALESCE((SELECT happened_at FROM transitions WHERE object_id = ? ORDER BY version DESC LIMIT 1), since) WHERE id = ?", id, id)
	return err
}

// ObservedDeletion holds the values of an object that come from its deletion event.
type ObservedDeletion struct {
	Version                   wire.Version
	DeletedAt                 int64
	RawState, Reason, Message string
}

// CorrectDeletion replaces the inferred values of a deleted object.
func CorrectDeletion(ctx context.Context, tx *sqldb.Tx, id int64, d ObservedDeletion) error {
	_, err := tx.Exec(ctx, "UPDATE objects SET version = ?, deleted_at = ?, raw_state = ?, reason = ?, message = ? WHERE id = ?",
		int64(d.Version), d.DeletedAt, d.RawState, d.Reason, d.Message, id)
	return err
}

// ReadAttributes returns the attributes of an object, without its labels.
func ReadAttributes(ctx context.Context, q sqldb.Querier, id int64) (a Attributes, err error) {
	row := q.QueryRow(ctx, "SELECT cluster_id, resource_id, namespace, owner_uid, owner_kind, owner_name, queue, submitter FROM objects WHERE id = ?", id)
	err = row.Scan(&a.Cluster, &a.Resource, &a.Namespace, &a.Owner.UID, &a.Owner.Kind, &a.Owner.Name, &a.Queue, &a.Submitter)
	return a, err
}

// RetainedObject is an object as retention needs it.
type RetainedObject struct {
	ID            int64
	Version, Base wire.Version
	Presence      Presence
	State         string
	Namespace     string
}

// EachRetained calls each for objects in the order in which writers lock them. With lock
// set, the rows stay locked until the transaction ends.
func EachRetained(ctx context.Context, tx *sqldb.Tx, ids []int64, lock bool, each func(RetainedObject)) error {
	end := " ORDER BY uid"
	if lock {
		end += tx.ForUpdate()
	}
	return queryIn(ctx, tx, "SELECT id, version, keyframe_version, presence, state, namespace FROM objects WHERE id IN ", ids, end, func(rows *sql.Rows) error {
		var o RetainedObject
		var version, base int64
		if err := rows.Scan(&o.ID, &version, &base, &o.Presence, &o.State, &o.Namespace); err != nil {
			return err
		}
		o.Version, o.Base = wire.Version(version), wire.Version(base)
		each(o)
		return nil
	})
}

// DeleteObjects deletes rows of objects, and returns the number of deleted rows.
func DeleteObjects(ctx context.Context, tx *sqldb.Tx, ids []int64) (int64, error) {
	return execIn(ctx, tx, "DELETE FROM objects WHERE id IN ", ids)
}

// ListedObject is an object as lists show it, with the names of its cluster and type.
type ListedObject struct {
	ID                           int64
	Cluster, ClusterUID          string
	Type                         Type
	Namespace, Name, UID         string
	CreatedAt, SeenAt, DeletedAt int64
	Presence                     Presence
	Version                      wire.Version
	State, RawState              string
	Reason, Message              string
	Since                        int64
	Queue, Submitter             string
	Owner                        Owner
}

const (
	listedObjectBegin   = "o.id, c.name, c.uid, r.api_group, r.name, r.kind, o.namespace, o.name, o.uid, o.created_at, o.seen_at, o.deleted_at, o.presence, o.version, "
	listedObjectEnd     = ", o.queue, o.submitter, o.owner_uid, o.owner_kind, o.owner_name"
	listedObjectColumns = listedObjectBegin + "o.state, o.raw_state, o.reason, o.message, o.since" + listedObjectEnd
	objectNameJoins     = " JOIN resources r ON r.id = o.resource_id JOIN clusters c ON c.id = o.cluster_id"
)

// targets returns the scan targets for listedObjectColumns. The version has a separate
// target, because the database has no unsigned integers.
func (o *ListedObject) targets(version *int64) []any {
	return []any{
		&o.ID, &o.Cluster, &o.ClusterUID, &o.Type.Group, &o.Type.Resource, &o.Type.Kind, &o.Namespace, &o.Name, &o.UID, &o.CreatedAt, &o.SeenAt, &o.DeletedAt, &o.Presence, version,
		&o.State, &o.RawState, &o.Reason, &o.Message, &o.Since, &o.Queue, &o.Submitter, &o.Owner.UID, &o.Owner.Kind, &o.Owner.Name,
	}
}

// ScanObject reads a row of ObjectTable.
func ScanObject(rows *sql.Rows) (o ListedObject, err error) {
	var version int64
	err = rows.Scan(o.targets(&version)...)
	o.Version = wire.Version(version)
	return o, err
}

// ObjectTable describes lists of objects, ordered by the time when they entered their
// state.
var ObjectTable = &Table{
	name: "objects o", nameJoins: objectNameJoins, columns: listedObjectColumns,
	at: "o.since", id: "o.id", object: "o.id", state: "o.state", stateIndex: "objects_state",
}

// ObjectsNamed returns the query for the objects that had a name. Order it by ObjectKey.
// Without a condition on the namespace it finds objects in all namespaces.
func ObjectsNamed(name string, conditions ...Condition) Query {
	q := Query{"SELECT " + listedObjectColumns + " FROM objects o" + objectNameJoins + " WHERE o.name = ?", []any{name}, "o.id"}
	return q.and(conditions...)
}

// ObjectsBetween is like ObjectsNamed, for the names between two names, in the order of the
// database. from is inclusive, and to is exclusive. Databases order punctuation and letters
// differently.
func ObjectsBetween(from, to string, conditions ...Condition) Query {
	q := Query{"SELECT " + listedObjectColumns + " FROM objects o" + objectNameJoins + " WHERE o.name >= ? AND o.name < ?", []any{from, to}, "o.id"}
	return q.and(conditions...)
}

// ObjectsWithUID returns the query for the objects that have a UID. Order it by ObjectKey.
// It is fast if conditions name the cluster and the type.
func ObjectsWithUID(uid string, conditions ...Condition) Query {
	q := Query{"SELECT " + listedObjectColumns + " FROM objects o" + objectNameJoins + " WHERE o.uid = ?", []any{uid}, "o.id"}
	return q.and(conditions...)
}

// ObjectsWith calls each for the objects that have some row IDs.
func ObjectsWith(ctx context.Context, q sqldb.Querier, ids []int64, each func(ListedObject)) error {
	return queryIn(ctx, q, "SELECT "+listedObjectColumns+" FROM objects o"+objectNameJoins+" WHERE o.id IN ", ids, "", func(rows *sql.Rows) error {
		o, err := ScanObject(rows)
		each(o)
		return err
	})
}

// ObjectsAlive calls each for the objects that existed at a time or later, ordered by row
// ID, up to limit objects whose row ID is greater than after.
//
// The names are joined to the page. Otherwise MariaDB begins with the clusters, and sorts
// all objects for each page.
func ObjectsAlive(ctx context.Context, db *sqldb.DB, after, since int64, limit int, conditions []Condition, each func(ListedObject)) error {
	text, args := join(conditions)
	text = "SELECT " + listedObjectColumns + " FROM (SELECT * FROM objects o WHERE o.id > ? AND (o.deleted_at = 0 OR o.deleted_at >= ?) AND o.version > 0" + text + " ORDER BY o.id LIMIT ?) o" +
		db.JoinInOrder(objectNameJoins) + " ORDER BY o.id"
	return db.Query(ctx, text, slices.Concat([]any{after, since}, args, []any{limit}), func(rows *sql.Rows) error {
		o, err := ScanObject(rows)
		each(o)
		return err
	})
}

// OfClusters is the condition that an object belongs to one of some clusters.
func OfClusters(ids []int64) Condition { return rowIs("o.cluster_id", byCluster, ids) }

// OfTypes is the condition that an object has one of some types.
func OfTypes(ids []int64) Condition { return rowIs("o.resource_id", byType, ids) }

// InNamespace is the condition that an object is in a namespace.
func InNamespace(name string) Condition { return fieldIs("o.namespace", byNamespace, name) }

// InQueue is the condition that an object waits in a queue.
func InQueue(name string) Condition { return fieldIs("o.queue", byQueue, name) }

// SubmittedBy is the condition that an object has a submitter.
func SubmittedBy(name string) Condition { return fieldIs("o.submitter", bySubmitter, name) }

// OwnedByUID is the condition that the object with a UID controls an object.
func OwnedByUID(uid string) Condition { return fieldIs("o.owner_uid", byOwnerUID, uid) }

// OwnedBy is the condition that an object of a kind and name controls an object.
func OwnedBy(kind, name string) Condition {
	return Condition{"o.owner_kind = ? AND o.owner_name = ?", []any{kind, name}, []Term{termOf(byOwner, kind, name)}}
}

// NotOwnedBy is the condition that no object of some kinds controls an object.
func NotOwnedBy(kinds []string) Condition {
	c := Condition{SQL: "o.owner_kind NOT IN " + sqldb.Placeholders(len(kinds))}
	for _, k := range kinds {
		c.Args = append(c.Args, k)
	}
	return c
}

// UIDs returns the UIDs of objects, by the UID of their cluster.
func UIDs(ctx context.Context, q sqldb.Querier, ids []int64) (map[string][]string, error) {
	all := map[string][]string{}
	err := queryIn(ctx, q, "SELECT c.uid, o.uid FROM objects o JOIN clusters c ON c.id = o.cluster_id WHERE o.id IN ", ids, "", func(rows *sql.Rows) error {
		var cluster, uid string
		err := rows.Scan(&cluster, &uid)
		all[cluster] = append(all[cluster], uid)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("table objects: %w", err)
	}
	return all, nil
}

// ObjectsOfType returns the objects of a cluster and a type in a namespace, without reading
// anything else about them.
func ObjectsOfType(ctx context.Context, q sqldb.Querier, cluster, resource int64, namespace string) (all []RevisionID, err error) {
	err = q.Query(ctx, "SELECT id, version FROM objects WHERE cluster_id = ? AND resource_id = ? AND namespace = ?", []any{cluster, resource, namespace}, scanRevisionIDs(func(id RevisionID) { all = append(all, id) }))
	return all, err
}

package record

import (
	"context"
	"database/sql"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// Change is a transition, and the object whose state has changed.
type Change struct {
	// Object is the object as it is now, or was last.
	Object Object
	Transition
}

const (
	objectColumnsRead = "o.id, c.name, c.uid, r.api_group, r.name, r.kind, o.namespace, o.name, o.uid, o.created_at, o.seen_at, o.gone_at, o.presence, o.version," +
		" o.state, o.raw_state, o.reason, o.message, o.since, o.queue, o.submitter, o.owner_uid, o.owner_kind, o.owner_name"
	objectJoins           = " JOIN resources r ON r.id = o.resource_id JOIN clusters c ON c.id = o.cluster_id"
	transitionColumnsRead = "t.id, t.version, t.from_state, t.to_state, t.from_raw, t.to_raw, t.reason, t.message, t.happened_at, t.seen_at, t.source," +
		" (SELECT n.happened_at FROM transitions n WHERE n.object_id = t.object_id AND n.version > t.version ORDER BY n.version LIMIT 1)"
)

var (
	transitionGround = &ground{
		table: "transitions t", objects: " JOIN objects o ON o.id = t.object_id", names: objectJoins, columns: transitionColumnsRead + ", " + objectColumnsRead,
		at: "t.happened_at", id: "t.id", object: "t.object_id", state: "t.to_state", byTime: "transitions_time", byState: "transitions_state",
	}
	objectGround = &ground{
		table: "objects o", names: objectJoins, columns: objectColumnsRead, at: "o.since", id: "o.id", object: "o.id", state: "o.state", byState: "objects_state",
	}
)

// ListTransitions returns a page of the transitions that a filter chooses, in the order
// of the times at which they happened.
//
// A page takes some 50 ms at most, over 5,000,000 transitions in SQLite too, whatever
// the filter is. Where it would take longer to fill it, it is not full, and says where
// to go on: with several conditions that are common, and hardly ever hold together.
// Objects with over 10,000 transitions of their own take longer.
//
// Errors: ErrCursor; a state that there is not; what the database says.
func (d *Database) ListTransitions(ctx context.Context, f Filter, p Paging) (Page[Change], error) {
	return find(ctx, d, transitionGround, f, p, func(rows *sql.Rows) (c Change, at position, err error) {
		var id int64
		var t transitionRow
		var o objectRow
		if err := rows.Scan(append(append([]any{&id}, t.into(&c.Transition)...), o.into(&c.Object)...)...); err != nil {
			return c, at, err
		}
		t.finish(&c.Transition)
		o.finish(&c.Object)
		return c, position{t.happened, id}, nil
	})
}

// ListObjects returns a page of the objects that a filter chooses, in the order in
// which they came to their states. Limits and errors are those of ListTransitions.
//
// An object that changes its state while pages are read moves to another place.
func (d *Database) ListObjects(ctx context.Context, f Filter, p Paging) (Page[Object], error) {
	return find(ctx, d, objectGround, f, p, func(rows *sql.Rows) (obj Object, at position, err error) {
		var o objectRow
		if err := rows.Scan(o.into(&obj)...); err != nil {
			return obj, at, err
		}
		o.finish(&obj)
		return obj, position{o.since, obj.ID}, nil
	})
}

// objectRow takes what has another type in the database.
type objectRow struct {
	created, seen, gone, since, version int64
	presence                            presence
}

func (r *objectRow) into(o *Object) []any {
	return []any{
		&o.ID, &o.Cluster, &o.ClusterUID, &o.Type.Group, &o.Type.Resource, &o.Type.Kind, &o.Namespace, &o.Name, &o.UID, &r.created, &r.seen, &r.gone, &r.presence, &r.version,
		&o.State, &o.Raw, &o.Reason, &o.Message, &r.since, &o.Queue, &o.Submitter, &o.Owner.UID, &o.Owner.Kind, &o.Owner.Name,
	}
}

func (r *objectRow) finish(o *Object) {
	o.Created, o.Seen, o.Gone, o.Since, o.Version = moment(r.created), moment(r.seen), moment(r.gone), moment(r.since), wire.Version(r.version)
	o.Presence = r.presence.String()
}

// transitionRow takes what has another type in the database.
type transitionRow struct {
	version, happened, seen int64
	next                    sql.NullInt64
}

func (r *transitionRow) into(t *Transition) []any {
	return []any{&r.version, &t.From, &t.To, &t.FromRaw, &t.ToRaw, &t.Reason, &t.Message, &r.happened, &r.seen, &t.Source, &r.next}
}

func (r *transitionRow) finish(t *Transition) {
	t.Version, t.Happened, t.Seen = wire.Version(r.version), moment(r.happened), moment(r.seen)
	if r.next.Valid {
		t.Ended = moment(r.next.Int64)
	}
}

// moment is the reverse of micros.
func moment(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.UnixMicro(at)
}

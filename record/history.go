package record

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// ErrUnknown is returned for an object of which nothing is recorded.
var ErrUnknown = errors.New("nothing is recorded of it")

// Name names objects in the history. Several objects may have had it, one after
// the other.
type Name struct {
	// Group and Resource are the type: "batch" and "jobs".
	Group, Resource string
	// Namespace is empty for types that live in none.
	Namespace, Name string
	// Cluster is the name or the UID of one cluster; empty: all.
	Cluster string
}

// String returns "jobs.batch ml/train-0".
func (n Name) String() string {
	text := n.Resource
	if n.Group != "" {
		text += "." + n.Group
	}
	return text + " " + (wire.Key{Namespace: n.Namespace, Name: n.Name}).String()
}

// Object is one object, and what it is now or was last.
type Object struct {
	ID            int64
	Cluster       string
	Namespace     string
	Name          string
	UID           string
	Created, Seen time.Time
	Gone          time.Time // zero: it is there
	Version       wire.Version
	State, Raw    string
	Reason        string
	Message       string
	Since         time.Time // when it came to this state
	Queue         string
	Submitter     string
	Owner         string // kind and name
	Unknown       bool   // it can not be seen any more
}

// Transition is one change of an object's state.
type Transition struct {
	Version         wire.Version
	From, To        string
	FromRaw, ToRaw  string
	Reason, Message string
	Happened, Seen  time.Time
	Source          Source
	Lasted          time.Duration // until the next; of the last 0
}

// Objects returns the objects that had a name, the oldest first.
//
// Errors: ErrUnknown; what the database says.
func (d *Database) Objects(ctx context.Context, n Name) (objects []Object, err error) {
	query := "SELECT o.id, c.name, o.namespace, o.name, o.uid, o.created_at, o.seen_at, o.gone_at, o.presence, o.version, o.state, o.raw_state," +
		" o.reason, o.message, o.since, o.queue, o.submitter, o.owner_kind, o.owner_name" +
		" FROM objects o JOIN resources r ON r.id = o.resource_id JOIN clusters c ON c.id = o.cluster_id" +
		" WHERE r.api_group = ? AND r.name = ? AND o.namespace = ? AND o.name = ?"
	args := []any{n.Group, n.Resource, n.Namespace, n.Name}
	if n.Cluster != "" {
		query, args = query+" AND (c.name = ? OR c.uid = ?)", append(args, n.Cluster, n.Cluster)
	}
	rows, err := d.db.QueryContext(ctx, d.dialect.query(query+" ORDER BY o.id"), args...)
	if err != nil {
		return nil, err
	}
	err = each(rows, func() error {
		var o Object
		var created, seen, gone, version, since int64
		var present presence
		var ownerKind, ownerName string
		err := rows.Scan(&o.ID, &o.Cluster, &o.Namespace, &o.Name, &o.UID, &created, &seen, &gone, &present, &version, &o.State, &o.Raw,
			&o.Reason, &o.Message, &since, &o.Queue, &o.Submitter, &ownerKind, &ownerName)
		o.Created, o.Seen, o.Gone, o.Since, o.Version = moment(created), moment(seen), moment(gone), moment(since), wire.Version(version)
		o.Unknown = present == unknown
		if ownerKind != "" {
			o.Owner = ownerKind + "/" + ownerName
		}
		objects = append(objects, o)
		return err
	})
	if err == nil && len(objects) == 0 {
		err = fmt.Errorf("%s: %w", n, ErrUnknown)
	}
	return objects, err
}

// moment is the reverse of micros.
func moment(at int64) time.Time {
	if at == 0 {
		return time.Time{}
	}
	return time.UnixMicro(at)
}

// Transitions returns all changes of the state of an object, the oldest first.
func (d *Database) Transitions(ctx context.Context, object int64) (all []Transition, err error) {
	rows, err := d.db.QueryContext(ctx, d.dialect.query("SELECT version, from_state, to_state, from_raw, to_raw, reason, message, happened_at, seen_at, source"+
		" FROM transitions WHERE object_id = ? ORDER BY version"), object)
	if err != nil {
		return nil, err
	}
	err = each(rows, func() error {
		var t Transition
		var version, happened, seen int64
		err := rows.Scan(&version, &t.From, &t.To, &t.FromRaw, &t.ToRaw, &t.Reason, &t.Message, &happened, &seen, &t.Source)
		t.Version, t.Happened, t.Seen = wire.Version(version), moment(happened), moment(seen)
		if last := len(all) - 1; last >= 0 {
			all[last].Lasted = t.Happened.Sub(all[last].Happened)
		}
		all = append(all, t)
		return err
	})
	return all, err
}

// Revision returns the object as JSON, as it was at a version, or 0 for the last: with
// its resourceVersion, and without what is not kept.
//
// Errors: ErrUnknown; what the database says.
func (d *Database) Revision(ctx context.Context, object int64, version wire.Version) (body []byte, at wire.Version, err error) {
	err = d.within(ctx, func(tx *sql.Tx) error {
		query, args := "SELECT version FROM revisions WHERE object_id = ? ORDER BY version DESC LIMIT 1", []any{object}
		if version > 0 {
			query, args = "SELECT version FROM revisions WHERE object_id = ? AND version = ?", append(args, int64(version))
		}
		var found int64
		switch err := tx.QueryRowContext(ctx, d.dialect.query(query), args...).Scan(&found); {
		case errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("revision %v: %w", version, ErrUnknown)
		case err != nil:
			return err
		}
		at = wire.Version(found)
		body, err = d.body(ctx, tx, object, found)
		return err
	})
	return body, at, err
}

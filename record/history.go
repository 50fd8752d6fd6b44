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
	Type Type
	// Namespace is empty for types that live in none. Anywhere looks into all, and
	// leaves it aside.
	Namespace string
	Anywhere  bool
	Name      string
	// Cluster is the name or the UID of one cluster; empty: all.
	Cluster string
}

// String returns "jobs.batch ml/train-0".
func (n Name) String() string {
	if n.Anywhere {
		return n.Type.String() + " " + n.Name + " in any namespace"
	}
	return n.Type.String() + " " + (wire.Key{Namespace: n.Namespace, Name: n.Name}).String()
}

// Object is one object, and what it is now or was last.
type Object struct {
	ID            int64 // of the database
	Cluster       string
	ClusterUID    string
	Type          Type
	Namespace     string
	Name          string
	UID           string
	Created, Seen time.Time // Seen is the first time
	Gone          time.Time // zero: it is there
	Version       wire.Version
	State, Raw    string
	Reason        string
	Message       string
	Since         time.Time // when it came to this state
	Queue         string
	Submitter     string
	Owner         Owner
	Presence      string // "there", "deleted", "unknown" or "left": not among what is selected any more
}

// Transition is one change of an object's state.
type Transition struct {
	Version         wire.Version
	From, To        string
	FromRaw, ToRaw  string
	Reason, Message string
	Happened, Seen  time.Time
	// Ended is when the next transition happened; zero if this is the last.
	Ended  time.Time
	Source Source
}

var presences = [...]string{"there", "deleted", "unknown", "left"}

// String returns the name of the presence.
func (p presence) String() string {
	if int(p) < len(presences) {
		return presences[p]
	}
	return "unknown"
}

// Objects returns the objects that had a name, the newest first: in the order in
// which they were seen first.
//
// Errors: ErrCursor; what the database says.
func (d *Database) Objects(ctx context.Context, n Name, p Paging) (page Page[Object], err error) {
	s, err := d.search(ctx, Filter{Cluster: n.Cluster, Types: []Type{n.Type}})
	if err != nil || s.nothing {
		return page, err
	}
	condition := "o.name = ?"
	args := append(s.args, n.Name)
	if !n.Anywhere {
		condition, args = condition+" AND o.namespace = ?", append(args, n.Namespace)
	}
	for _, c := range s.conditions {
		condition += " AND " + c
	}
	return byID(ctx, d, p, "SELECT "+objectColumnsRead+" FROM objects o"+objectJoins+" WHERE "+condition, "o.id", args, func(rows *sql.Rows) (obj Object, id int64, err error) {
		var o objectRow
		err = rows.Scan(o.into(&obj)...)
		o.finish(&obj)
		return obj, obj.ID, err
	})
}

// byID returns a page of what a query finds, in the order of a column that is
// unique there.
func byID[T any](ctx context.Context, d *Database, p Paging, query, column string, args []any, read func(*sql.Rows) (T, int64, error)) (page Page[T], err error) {
	at, begin, err := p.position()
	if err != nil {
		return page, err
	}
	than, order := " < ?", " DESC"
	if p.OldestFirst {
		than, order = " > ?", ""
	}
	if !begin {
		query, args = query+" AND "+column+than, append(args, at.id)
	}
	rows, err := d.SQL().QueryContext(ctx, d.Rebind(query+" ORDER BY "+column+order+" LIMIT ?"), append(args, p.limit()+1)...)
	if err != nil {
		return page, err
	}
	var last int64
	err = each(rows, func() error {
		if len(page.Items) == p.limit() {
			page.Next = p.cursor(position{0, last})
			return nil
		}
		item, id, err := read(rows)
		page.Items, last = append(page.Items, item), id
		return err
	})
	return page, err
}

// Transitions returns the changes of the state of an object, in the order of its
// versions.
//
// Errors: ErrCursor; what the database says.
func (d *Database) Transitions(ctx context.Context, object int64, p Paging) (Page[Transition], error) {
	return byID(ctx, d, p, "SELECT "+transitionColumnsRead+" FROM transitions t WHERE t.object_id = ?", "t.version", []any{object}, func(rows *sql.Rows) (t Transition, version int64, err error) {
		var id int64
		var r transitionRow
		err = rows.Scan(append([]any{&id}, r.into(&t)...)...)
		r.finish(&t)
		return t, r.version, err
	})
}

// Revision is one revision of an object, without its body.
type Revision struct {
	Version    wire.Version
	Deleted    bool // the object is gone with it
	Source     Source
	Seen       time.Time
	State, Raw string
}

// Revisions returns the revisions of an object, in the order of its versions.
//
// Errors: ErrCursor; what the database says.
func (d *Database) Revisions(ctx context.Context, object int64, p Paging) (Page[Revision], error) {
	return byID(ctx, d, p, "SELECT version, deleted, source, seen_at, state, raw_state FROM revisions WHERE object_id = ?", "version", []any{object}, func(rows *sql.Rows) (r Revision, version int64, err error) {
		var gone int16
		var seen int64
		err = rows.Scan(&version, &gone, &r.Source, &seen, &r.State, &r.Raw)
		r.Version, r.Deleted, r.Seen = wire.Version(version), gone != 0, moment(seen)
		return r, version, err
	})
}

// Revision returns the object as JSON, as it was at a version, or 0 for the last: without
// what is not kept, such as its resourceVersion.
//
// Errors: ErrUnknown; what the database says.
func (d *Database) Revision(ctx context.Context, object int64, version wire.Version) (body []byte, at wire.Version, err error) {
	err = d.within(ctx, func(tx *sql.Tx) error {
		query, args := "SELECT version FROM revisions WHERE object_id = ? ORDER BY version DESC LIMIT 1", []any{object}
		if version > 0 {
			query, args = "SELECT version FROM revisions WHERE object_id = ? AND version = ?", append(args, int64(version))
		}
		var found int64
		switch err := tx.QueryRowContext(ctx, d.Rebind(query), args...).Scan(&found); {
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

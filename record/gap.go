package record

import (
	"context"
	"database/sql"
	"time"

	"github.com/vedette-io/vedette/wire"
)

// Gap is a stretch of versions of a type of which not everything was seen.
type Gap struct {
	ID         int64
	Cluster    string
	ClusterUID string
	Type       Type
	Namespace  string // empty: all
	Recorder   string // who has noted it
	Cause      string // one of the causes of gaps
	From, To   wire.Version
	Began      time.Time // when the last was seen before it
	Ended      time.Time // and the first behind it; zero: it lasts
	Detail     string
	Healed     time.Time // when another recorder had filled it; zero: it is open
}

// GapFilter says which gaps are wanted; the zero value: all.
type GapFilter struct {
	Cluster string // name or UID
	Types   []Type // any of them
	// Namespace leaves out gaps that are of other namespaces only.
	Namespace string
	// Open leaves out those that were healed.
	Open bool
	// Since and Until: gaps that have ended from Since on, or last, and that have begun before
	// Until.
	Since, Until time.Time
}

// ListGaps returns a page of gaps, in the order in which they were noted.
//
// Errors: ErrCursor; what the database says.
func (d *Database) ListGaps(ctx context.Context, f GapFilter, p Paging) (page Page[Gap], err error) {
	s, err := d.search(ctx, Filter{Cluster: f.Cluster, Types: f.Types})
	if err != nil || s.nothing {
		return page, err
	}
	condition, args := "1 = 1", s.args
	for _, c := range s.conditions { // which name the columns of objects
		condition += " AND " + "g" + c[1:]
	}
	if f.Namespace != "" {
		condition, args = condition+" AND g.namespace IN ('', ?)", append(args, f.Namespace)
	}
	if f.Open {
		condition += " AND g.healed_at = 0"
	}
	if !f.Since.IsZero() {
		condition, args = condition+" AND (g.to_at >= ? OR g.to_at = 0)", append(args, micros(f.Since))
	}
	if !f.Until.IsZero() {
		condition, args = condition+" AND g.from_at < ?", append(args, micros(f.Until))
	}
	query := "SELECT g.id, c.name, c.uid, r.api_group, r.name, r.kind, g.namespace, g.recorder, g.cause, g.from_version, g.to_version, g.from_at, g.to_at, g.detail, g.healed_at" +
		" FROM gaps g JOIN resources r ON r.id = g.resource_id JOIN clusters c ON c.id = g.cluster_id WHERE " + condition
	return byID(ctx, d, p, query, "g.id", args, func(rows *sql.Rows) (g Gap, id int64, err error) {
		var from, to, began, ended, healed int64
		err = rows.Scan(&g.ID, &g.Cluster, &g.ClusterUID, &g.Type.Group, &g.Type.Resource, &g.Type.Kind, &g.Namespace, &g.Recorder, &g.Cause, &from, &to, &began, &ended, &g.Detail, &healed)
		g.From, g.To, g.Began, g.Ended, g.Healed = wire.Version(from), wire.Version(to), moment(began), moment(ended), moment(healed)
		return g, g.ID, err
	})
}

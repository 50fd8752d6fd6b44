package model

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"

	"github.com/vedette-io/vedette/job"
	"github.com/vedette-io/vedette/platform/sqldb"
)

// Table describes a table that is scanned in the order of a time and then of row IDs.
type Table struct {
	name       string // with its alias
	objectJoin string // joins the row o of objects, which conditions need; empty: it is the row
	nameJoins  string // joins the other tables of the columns
	columns    string // of a listed row
	at, id     string // columns of the order
	object     string // column with the row ID of the object
	state      string
	stateIndex string // index on state, at, id
	timeIndex  string // index on at, id; empty: each state is read separately
}

// Position is a place in the order of a table: a time in microseconds and a row ID.
type Position struct{ At, ID int64 }

// Before reports whether p precedes q.
func (p Position) Before(q Position) bool { return p.At < q.At || p.At == q.At && p.ID < q.ID }

// Compare returns -1, 0 or +1.
func (p Position) Compare(q Position) int {
	return cmp.Or(cmp.Compare(p.At, q.At), cmp.Compare(p.ID, q.ID))
}

// Interval is the part of a table between two positions, both exclusive. Limit is the
// maximum number of rows.
type Interval struct {
	Low, High Position
	Ascending bool
	Limit     int
}

// order returns the end of an ORDER BY clause.
func (i *Interval) order() string {
	if i.Ascending {
		return ""
	}
	return " DESC"
}

// Partition contains the rows of a table with one state, or all rows of a table with an
// index on times.
type Partition struct {
	index, condition string
	args             []any
}

// States returns all states of objects. The first one is empty and means unknown.
func States() []string {
	all := []string{""}
	for _, s := range job.States() {
		all = append(all, string(s))
	}
	return all
}

// Partitions returns the partitions that contain some states. nil means all states.
func (t *Table) Partitions(states []string) (all []Partition) {
	if states == nil && t.timeIndex != "" {
		return []Partition{{index: t.timeIndex}}
	}
	if states == nil {
		states = States()
	}
	for _, s := range states {
		all = append(all, Partition{t.stateIndex, t.state + " = ? AND ", []any{s}})
	}
	return all
}

// Probe returns the position of the last row that ReadPositions would read without
// conditions. It returns false if the partition has no row in the interval. It reads only
// the index.
func (t *Table) Probe(ctx context.Context, db *sqldb.DB, p Partition, i Interval) (last Position, found bool, err error) {
	back := " DESC"
	if !i.Ascending {
		back = ""
	}
	between, args := db.Between(t.at, t.id, i.Low.At, i.Low.ID, i.High.At, i.High.ID)
	row := db.QueryRow(ctx, "SELECT y, n FROM (SELECT "+t.at+" AS y, "+t.id+" AS n FROM "+t.name+db.UseIndex(p.index)+
		" WHERE "+p.condition+between+" ORDER BY "+t.at+i.order()+", "+t.id+i.order()+" LIMIT ?) x ORDER BY y"+back+", n"+back+" LIMIT 1",
		slices.Concat(p.args, args, []any{i.Limit})...)
	err = row.Scan(&last.At, &last.ID)
	if errors.Is(err, sql.ErrNoRows) {
		return last, false, nil
	}
	return last, err == nil, err
}

// ReadPositions returns the positions of the first rows of a partition that meet all
// conditions. It joins no table that the conditions do not need: MariaDB reads and sorts a
// whole partition if a query joins a table of a few rows before its LIMIT.
func (t *Table) ReadPositions(ctx context.Context, db *sqldb.DB, p Partition, i Interval, conditions []Condition) (all []Position, err error) {
	between, bounds := db.Between(t.at, t.id, i.Low.At, i.Low.ID, i.High.At, i.High.ID)
	order := " ORDER BY " + t.at + i.order() + ", " + t.id + i.order()
	and, args := join(conditions)
	from := t.name + db.UseIndex(p.index) + " WHERE " + p.condition + between
	switch {
	case len(conditions) == 0:
	case db.Lateral():
		from = subquery(t.name, p.condition+between+order) + t.lateralObject() + " WHERE TRUE"
	default:
		from = t.name + db.UseIndex(p.index) + db.JoinInOrder(t.objectJoin) + " WHERE " + p.condition + between
	}
	err = db.Query(ctx, "SELECT "+t.at+", "+t.id+" FROM "+from+and+order+" LIMIT ?", slices.Concat(p.args, bounds, args, []any{i.Limit}), func(rows *sql.Rows) error {
		var at Position
		err := rows.Scan(&at.At, &at.ID)
		all = append(all, at)
		return err
	})
	return all, err
}

// ReadRows calls each for the listed rows with some row IDs, in any order.
func (t *Table) ReadRows(ctx context.Context, db *sqldb.DB, ids []int64, each func(*sql.Rows) error) error {
	if len(ids) == 0 {
		return nil
	}
	return db.Query(ctx, "SELECT "+t.columns+" FROM "+t.name+db.JoinInOrder(t.objectJoin+t.nameJoins)+" WHERE "+t.id+" IN "+inList(ids), nil, each)
}

// ReadObjects calls each for the listed rows of some objects that lie in an interval and
// meet all conditions. It reads all rows of the objects. A nil states means all states.
//
// In PostgreSQL each object is looked up. From a sample of a large table it expects too many
// rows of each object, and without the subqueries it reads the table in the order of time
// until it has found enough rows.
func (t *Table) ReadObjects(ctx context.Context, db *sqldb.DB, objects []int64, states []string, i Interval, conditions []Condition, each func(*sql.Rows) error) error {
	at, id := db.NoIndex(t.at), db.NoIndex(t.id)
	between, args := db.Between(at, id, i.Low.At, i.Low.ID, i.High.At, i.High.ID)
	and, more := join(conditions)
	args = append(args, more...)
	if states != nil {
		and += " AND " + db.NoIndex(t.state) + " IN " + sqldb.Placeholders(len(states))
		for _, s := range states {
			args = append(args, s)
		}
	}
	from := t.name + db.JoinInOrder(t.objectJoin+t.nameJoins) + " WHERE " + t.object + " IN " + inList(objects)
	if db.Lateral() {
		from = subquery("objects o", "o.id IN "+inList(objects)) + t.lateralRows() + t.nameJoins + " WHERE TRUE"
	}
	return db.Query(ctx, "SELECT "+t.columns+" FROM "+from+" AND "+between+and+" ORDER BY "+at+i.order()+", "+id+i.order()+" LIMIT ?", append(args, i.Limit), each)
}

// lateralObject joins the object to each row, by a lookup, whatever the planner expects.
func (t *Table) lateralObject() string {
	if t.objectJoin == "" {
		return ""
	}
	return " CROSS JOIN LATERAL " + subquery("objects o", "o.id = "+t.object)
}

// lateralRows joins the rows to each object o, by a lookup, whatever the planner expects.
func (t *Table) lateralRows() string {
	if t.objectJoin == "" {
		return ""
	}
	return " CROSS JOIN LATERAL " + subquery(t.name, t.object+" = o.id")
}

// subquery returns the rows of a table, under the same alias, as a subquery that the planner
// executes as it is written.
func subquery(name, where string) string {
	_, alias, _ := strings.Cut(name, " ")
	return "(SELECT * FROM " + name + " WHERE " + where + " OFFSET 0) " + alias
}

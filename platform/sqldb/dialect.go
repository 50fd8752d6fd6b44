package sqldb

import (
	"database/sql"
	"io/fs"
	"strconv"
	"strings"
	"time"

	"github.com/pressly/goose/v3"
)

// Dialect describes the SQL of one kind of database as data. The zero value of a field
// means standard SQL.
type Dialect struct {
	// Name is the product name in messages: "PostgreSQL".
	Name string
	// Goose selects the statements for the table of applied migrations.
	Goose goose.Dialect
	// Variables are the values of ${NAME} in the migrations. A "?" in a value stands for the
	// argument of ${NAME:argument}. Every driver defines:
	//
	//	ID            the primary key that the database assigns
	//	WORD          text of at most 63 characters: UIDs, kinds, namespaces, common states,
	//	              values of labels
	//	NAME          text of at most 317 characters: names of objects, API groups, keys of
	//	              labels, and text that the recorder truncates to model.MaxWord (250
	//	              bytes), such as raw states, reasons and submitters
	//	TEXT          text of at most 65,535 bytes; the recorder truncates it to
	//	              model.MaxMessage (4 KiB)
	//	HASH          16 bytes
	//	BLOB          bytes without a bound of ours
	//	OPTIONS       the end of CREATE TABLE
	//	ORDERED       the same for a table whose rows are stored in the order of its
	//	              primary key
	//	TIME          a column of microseconds since 1970 as a timestamp; 0 as NULL
	//	REPLACE_VIEW  the beginning of CREATE VIEW for a view that may exist
	//
	// Only MySQL enforces the lengths. They are those of Kubernetes: the value of a label has
	// at most 63 characters, the name of an object 253, and the key of a label 317.
	Variables map[string]string
	// Macros are the values of ${NAME:argument argument} in the migrations, where the
	// dialects differ in more than a word. Every driver defines:
	//
	//	RENAME_TABLE from to column...   renames a table. Programs of the previous version
	//	                                 still insert and delete by the old name. They also
	//	                                 read by it, except in SQLite, where the old name
	//	                                 has no rows.
	//	COPY_RIGHTS from to              grants the rights to one table for another table,
	//	                                 to the same roles. It is empty if rights belong
	//	                                 to the whole database.
	//
	// Each statement ends with a semicolon at the end of a line.
	Macros map[string]func(arguments []string) string
	// LaterSteps holds files with steps that follow those of this package. Tests of upgrades
	// use it for the steps of a later version. It is optional.
	LaterSteps fs.FS
	// StatementDone selects how a step is applied. If StatementDone is nil, Goose applies
	// the step in one transaction, which an interruption rolls back. Set it for a database
	// that commits each change of the schema at once. The statements of a step then run one
	// by one, and a later attempt continues at the interrupted statement. StatementDone
	// reports whether the error of that statement may mean that the earlier attempt
	// completed it.
	StatementDone func(err error) bool
	// BeforeSteps is an optional statement for the session that changes the schema. It is
	// used only with StatementDone.
	BeforeSteps string
	// TableExists is a query with one parameter, the name of a table. It returns one
	// integer, which is 0 if the current schema has no such table.
	TableExists string
	// UnixSeconds is an expression that converts a timestamp of Goose's table to whole
	// seconds since 1970; "?" stands for the column.
	UnixSeconds string
	// Version is a query for the product name and its version: "MariaDB 10.11.11".
	Version string
	// Clock is a query for the server's time in microseconds since 1970. Empty means that
	// the database uses the local clock.
	Clock string
	// Rebind translates the "?" of parameters. If nil, the database accepts "?".
	Rebind func(statement string) string
	// Transaction holds the options of each transaction. A statement that waited for a lock
	// must see the changes that the holder of the lock committed.
	Transaction sql.TxOptions
	// ForUpdate is the end of a query that locks its rows until the transaction ends. It is
	// empty if every transaction locks the whole database.
	ForUpdate string
	// ForShare is the end of a query whose rows stay as they are until the transaction ends:
	// others that lock them so proceed, and ForUpdate waits. It is empty if every
	// transaction locks the whole database.
	ForShare string
	// WritesConflict means that servers of a cluster may run transactions at the same time that
	// wait for each other on one server. One of them fails if both write a row, and none if
	// they only lock it.
	WritesConflict bool
	// PairsPrefix precedes the pairs in "(a, b) IN ((?, ?), (?, ?))".
	PairsPrefix string
	// IndexHint makes a query read a table by an index; "?" stands for the index. It
	// follows the alias of the table, or its name without an alias. It is empty if the
	// database has no such hint.
	IndexHint string
	// OrderedJoin replaces JOIN to make the database keep the order of the tables. It is
	// empty if the database has no such hint.
	OrderedJoin string
	// Lateral means that the planner ignores the order of joins, and that a subquery that
	// ends with OFFSET 0 is executed as it is written, also after LATERAL.
	Lateral bool
	// NoIndexPrefix precedes a column in a condition to keep the database from using an
	// index. It is empty if the database has no such hint.
	NoIndexPrefix string
	// RowComparison selects the comparison that Between uses.
	RowComparison RowComparison
	// MigrationWait limits the time for which Migrate waits for another process. 0 means no
	// limit other than the context. MySQL sets it, because the session that holds its lock
	// may be idle for a day. If the machine of the other process vanishes, the server can
	// keep the lock for that long.
	MigrationWait time.Duration
}

// RowComparison is a way to compare two columns with two values.
type RowComparison int

const (
	// CompareRows compares rows: (a, b) > (?, ?).
	CompareRows RowComparison = iota
	// CompareColumns compares each column separately. It is for a database that reads a
	// whole index to compare rows, or whose planner expects that.
	CompareColumns
)

// Fragments returns the fragments of statements that differ between dialects.
type Fragments struct{ dialect *Dialect }

// Pairs returns "((?, ?), (?, ?))" for n pairs, the right side of (a, b) IN.
func (f Fragments) Pairs(n int) string {
	return "(" + f.dialect.PairsPrefix + strings.TrimSuffix(strings.Repeat("(?, ?), ", n), ", ") + ")"
}

// UseIndex returns the hint that makes a query read a table by an index. It follows the
// alias of the table, or its name without an alias. It is empty for a database without such
// hints. Without table statistics the planner may choose a worse index.
func (f Fragments) UseIndex(index string) string {
	return strings.ReplaceAll(f.dialect.IndexHint, "?", index)
}

// JoinInOrder returns joins that the database executes in the order of the text, if it has
// such a hint.
func (f Fragments) JoinInOrder(joins string) string {
	if f.dialect.OrderedJoin == "" {
		return joins
	}
	ordered := strings.ReplaceAll(joins, " JOIN ", " "+f.dialect.OrderedJoin+" ")
	return strings.ReplaceAll(ordered, " LEFT "+f.dialect.OrderedJoin+" ", " LEFT JOIN ") // a left join has an order anyway
}

// Lateral reports whether queries must contain subqueries, as Dialect says, for the database
// to execute them in the order of the text.
func (f Fragments) Lateral() bool { return f.dialect.Lateral }

// NoIndex returns a column for a condition for which the database must not use an index, if
// it has such a hint.
func (f Fragments) NoIndex(column string) string { return f.dialect.NoIndexPrefix + column }

// ForUpdate returns the end of a query whose rows stay locked until the transaction ends.
func (f Fragments) ForUpdate() string { return f.dialect.ForUpdate }

// WritesConflict reports whether a transaction that depends on a row must write it, because a lock
// holds on one server of a cluster only.
func (f Fragments) WritesConflict() bool { return f.dialect.WritesConflict }

// ForShare returns the end of a query whose rows nobody locks for an update until the
// transaction ends.
func (f Fragments) ForShare() string { return f.dialect.ForShare }

// Between returns the condition that a row lies between two positions in the order of two
// columns, both exclusive, and its arguments.
func (f Fragments) Between(at, id string, lowAt, lowID, highAt, highID int64) (condition string, args []any) {
	if f.dialect.RowComparison == CompareColumns {
		condition = at + " >= ? AND " + at + " <= ? AND (" + at + " > ? OR " + id + " > ?) AND (" + at + " < ? OR " + id + " < ?)"
		return condition, []any{lowAt, highAt, lowAt, lowID, highAt, highID}
	}
	condition = "(" + at + ", " + id + ") > (?, ?) AND (" + at + ", " + id + ") < (?, ?)"
	return condition, []any{lowAt, lowID, highAt, highID}
}

// rebind translates the parameters of a statement.
func (f Fragments) rebind(statement string) string {
	if f.dialect.Rebind == nil {
		return statement
	}
	return f.dialect.Rebind(statement)
}

// expand returns the value of ${variable} in a migration. It returns false if the dialect
// does not define the variable.
func (d *Dialect) expand(variable string) (value string, ok bool) {
	name, argument, _ := strings.Cut(variable, ":")
	if macro := d.Macros[name]; macro != nil {
		return macro(strings.Fields(argument)), true
	}
	value, ok = d.Variables[name]
	return strings.ReplaceAll(value, "?", argument), ok
}

// NumberParameters is a Dialect.Rebind. It replaces each "?" of a statement by $1, $2 and
// so on. The statement must have no other "?".
func NumberParameters(statement string) string {
	var b strings.Builder
	n := 0
	for part := range strings.SplitSeq(statement, "?") {
		if n > 0 {
			b.WriteString("$" + strconv.Itoa(n))
		}
		b.WriteString(part)
		n++
	}
	return b.String()
}

// Placeholders returns "(?, ?, ?)" for n parameters.
func Placeholders(n int) string {
	return "(" + strings.TrimSuffix(strings.Repeat("?, ", n), ", ") + ")"
}

package export

import "time"

// dayLength is the length of a day in UTC.
const dayLength = 24 * time.Hour

// Settled is the time after the end of a day after which an export of the day is final. A
// transition can be recorded late: its time is the object's own, and a recorder that was away
// finds it at its next list.
const Settled = 24 * time.Hour

// Day is what an export did about one day.
type Day struct {
	// Date is the beginning of the day, in UTC.
	Date time.Time
	// Name is the name of the file in the store.
	Name string
	// Rows is the number of transitions in the file.
	Rows int64
	// Outcome is what happened to the file.
	Outcome Outcome
}

// Outcome is what an export did to the file of a day.
type Outcome int

const (
	// Written files are new, or replaced an earlier export.
	Written Outcome = iota
	// Final files were exported after the day had settled, and were not read or written again.
	Final
	// Kept files have more rows than the database has transitions of the day, because
	// retention has deleted some.
	Kept
)

// String returns "written", "final" or "kept".
func (o Outcome) String() string {
	switch o {
	case Written:
		return "written"
	case Final:
		return "final"
	case Kept:
		return "kept"
	}
	return "unknown"
}

// dayOf returns the beginning of the day of a time.
func dayOf(t time.Time) time.Time { return t.UTC().Truncate(dayLength) }

// fileName returns the name of the file of a day, in the form that Hive introduced and that
// readers use as a column.
func fileName(day time.Time) string {
	return "day=" + day.Format(time.DateOnly) + "/transitions.parquet"
}

// exportedKey is the name of the metadata with the time of an export, in RFC 3339.
const exportedKey = "vedette.exported_at"

// isFinal reports whether an export at a time had all transitions of a day.
func isFinal(day, exported time.Time) bool {
	return !exported.Before(day.Add(dayLength + Settled))
}

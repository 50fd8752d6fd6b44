// Package history queries the objects, transitions, revisions and gaps that package record
// has written, and computes statistics.
//
// # Data flow
//
//	Filter -> conditions and index terms -> scan of one list -> Page -> Cursor -> next Page
//
// A scan reads a list in the order of a time. It finds the rows that match a filter in one
// of two ways. It can read all rows of an interval in the order of an index on times. Or it
// can look up the objects with one of the terms in the transition index, and read the rows
// of these objects. In each step it chooses the way that covers more.
//
// # Ownership
//
// A History is stateless and safe for concurrent use. The caller owns pages.
//
// # Guarantees
//
// The successive pages of a list contain every matching row exactly once and in order. Rows
// that are written or deleted in the meantime may be missing. A cursor stays valid while
// recorders write and retention deletes.
//
// # Limits
//
// A page has at most 1,000 items. A request reads about 1,500 rows or 400 index entries and
// then returns the rows that it has found, so a page can be short and still have a cursor.
//
// # Errors
//
// ErrUnknown means that something is not recorded. ErrNoBody means that retention has
// removed the body of a revision. ErrCursor means that a cursor belongs to another list.
// All other errors come from the database.
package history

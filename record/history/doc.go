// Package history queries what package record has written: objects, their transitions and
// revisions, gaps, and statistics.
//
// # Data flow
//
//	Filter -> conditions and index terms -> scan of one list -> Page -> Cursor -> next Page
//
// A scan reads a list in the order of a time. It finds the rows that match a filter in one
// of two ways. It reads all rows of an interval in the order of an index of times. Or it
// asks the transition index which objects have one of the terms, and reads the rows of these
// objects. At each step it takes the way that gets further.
//
// # Ownership
//
// A History has no state of its own, and any goroutine may use it. Pages belong to the
// caller.
//
// # Guarantees
//
// The pages of a list contain, one after another, every matching row exactly once and in
// order. Rows that are written or deleted in the meantime may be missing. A cursor stays
// valid while recorders write and retention deletes.
//
// # Limits
//
// A page has at most 1,000 items. A request reads about 1,500 rows or 400 index entries and
// then returns what it has found, so a page can be short and still have a cursor.
//
// # Errors
//
// ErrUnknown reports something that is not recorded. ErrNoBody reports a revision whose body
// retention has removed. ErrCursor reports a cursor of another list. All other errors come
// from the database.
package history

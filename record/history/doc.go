// Package history reads what package record has written: objects, their transitions and
// revisions, gaps, and statistics over them.
//
// # Data flow
//
//	Filter -> conditions and index terms -> scan of one list -> Page -> Cursor -> next Page
//
// A list is read in the order of a time. A scan has two ways to find the rows that match a
// filter. It reads all rows of some time in the order of an index, or it asks the
// transition index for the objects that have one of the terms, and reads the rows of these
// objects. At each step it takes the way that gets further.
//
// # Ownership
//
// A History has no state of its own, and any goroutine may use it. Pages belong to the
// caller.
//
// # Guarantees
//
// The pages of a list, read one after the other, contain every row that matches and that
// exists during the whole time, exactly once and in order. A cursor stays valid while
// recorders write and retention deletes.
//
// # Limits
//
// A page has at most 1,000 items. A request reads about 1,500 rows or 400 index entries and
// then returns what it has found, so a page can be short and still have a cursor.
//
// # Errors
//
// ErrUnknown reports something that was never recorded. ErrNoBody reports a revision whose
// body retention has removed. ErrCursor reports a cursor of another list. All others come
// from the database.
package history

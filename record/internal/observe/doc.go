// Package observe decodes deltas to observations: what a recorder stores of a revision.
//
// # Data flow
//
//	delta.Delta -> Projection -> Observation -> rows of model
//
// # Ownership
//
// A Projection does not change, and any goroutine may use it. An Observation belongs to the
// caller; it shares the bytes of its delta if nothing was cut out of them.
//
// # Guarantees
//
// A removed field reaches no column: the state, the labels and all other columns are read
// from the projected body. The same content has the same bytes, whether a list or a watch
// brought it.
//
// # Limits
//
// Columns hold at most 4 KiB of a message and 250 bytes of a word.
//
// # Errors
//
// An object from which the removed fields cannot be cut is an error, because nothing of it
// may be stored. An object that cannot be decoded is an Observation without a state.
package observe

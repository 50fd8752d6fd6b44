// Package observe decodes deltas into observations: the part of a revision that a recorder
// stores.
//
// # Data flow
//
//	delta.Delta -> Projection -> Observation -> rows of package model
//
// # Ownership
//
// A Projection never changes and is safe for concurrent use. The caller owns an
// Observation. An Observation shares the bytes of its delta if nothing was removed from
// them.
//
// # Guarantees
//
// A removed field reaches no column: the state, the labels and all other columns come from
// the projected body. The same content yields the same bytes, from a list or from a watch.
//
// # Limits
//
// A column holds at most 4 KiB of a message and 250 bytes of a word.
//
// # Errors
//
// Observe returns an error if it cannot remove the redacted fields of an object, because no
// part of such an object may be stored. An object that cannot be decoded yields an
// Observation without a state.
package observe

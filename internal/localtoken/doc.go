// Package localtoken keeps the token that opens the portals that a user runs without sign-in.
//
// # Data flow
//
//	portal, recorder, demo -> Keep -> file -> Read -> commands of the same user
//
// # Ownership
//
// A user has one file for all portals. Any number of processes may call Keep at once: they get the
// same token.
//
// # Guarantees
//
// The file has the mode 0600, and its folder the mode 0700. A file that others may read, or that
// belongs to another user, is refused, and so is a folder that others may write to. The file never
// has a part of a token. No error contains the token.
//
// # Limits
//
// On Windows, access control lists protect the file: see package oscompat.
//
// # Errors
//
// ErrNotKept means that the file cannot be created. All other errors mean that it is not safe.
package localtoken

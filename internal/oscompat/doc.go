// Package oscompat hides the differences between Linux, macOS and Windows.
//
// # Data flow
//
// Callers ask about an error, a file or a process; the package asks the operating system.
//
// # Ownership
//
// The package has no state. Any goroutine may call its functions.
//
// # Guarantees
//
// Each function exists on every platform. If Windows has no equivalent, the comment of the
// function describes its behavior there.
//
// # Limits
//
// Permissions of files are checked on Unix only: on Windows they are in access control
// lists, which a file inherits from its folder. A folder in the profile of a user is
// private by default.
//
// # Errors
//
// Those of the operating system.
package oscompat

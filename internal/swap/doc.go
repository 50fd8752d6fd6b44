// Package swap builds a Go program with the engine of Vedette in place of client-go's
// informers. The source of the program does not change. It is an experiment: it patches
// client-go, and supports only the versions 0.36 and 0.37.
//
// # Data flow
//
//	module of the user -> its packages main and its version of client-go
//	client-go -> patched copy; Vedette -> copy of the packages that the engine needs
//	copies of go.mod and go.sum -> go build -modfile -overlay -> binary
//
// client-go cannot import the engine, because the engine imports client-go. So the patched
// copy has hooks, and a generated package sets them. An overlay adds one file to package
// main, which imports it.
//
// # Ownership
//
// The copies belong to the cache folder. Their names contain a hash of their contents, so
// they never change, and several runs share them. A Swap is used by one goroutine.
//
// # Guarantees
//
// No file of the user's module changes, and no other module gets another version, unless
// the engine needs a newer one. An unknown source of client-go is refused before anything
// is written. A copy is added to the cache completely or not at all.
//
// # Limits
//
// Only informers are swapped. Reflectors and queues that a program constructs itself
// remain client-go's. The packages main must belong to the module; workspaces and vendored
// modules are refused. It needs the go command, and about 25 MB in the cache.
//
// # Errors
//
// Errors describe the failure, its subject, and the next step. A failed go command is a
// [gotool.Error], with the end of its output.
package swap

// Package upstream runs the tests of client-go and controller-runtime against this
// repository's implementation of their interfaces.
//
// The tests come from the module cache. Suite.Generate copies them into a folder that git
// ignores, and changes the package clause, casts to hidden types, and the constructors.
// The copies are not committed. The tables list for each test whether it runs, and if
// not, why; a test that no table names is an error, so an upgrade loses no test.
//
// A copied test runs with an engine: client-go's own informer, client-go's informer on
// package bridge, or ours on package bridge. If only the third fails, the fault is ours.
package upstream

// Package upstream runs the tests of client-go and controller-runtime against this
// repository's implementation of their interfaces.
//
// The tests come from the module cache. Suite.Generate copies them into a folder that git
// ignores, and changes the package clause, casts to hidden types, and the constructors.
// Nothing of the copies is committed. The tables say for each test whether it runs, and
// if not, why; a test that no table names is an error, so an upgrade loses nothing.
//
// A copied test runs with an engine: client-go's own informer, client-go's informer on
// package bridge, or ours on package bridge. The first two show that a failure of the
// third is ours.
package upstream

// Package testinput connects tests with the inputs that the go command does not see by
// itself: child processes, files outside of the module, seeds and counts.
//
// The go command repeats a test only if an input of an earlier passed run has changed. It
// knows the test binary, the cacheable flags, and the environment variables and files of
// the module that the test process reads after it started. Everything else must come
// through this package, or an old result would hide a fault.
package testinput

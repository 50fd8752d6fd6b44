package controlplane

import "go.uber.org/goleak"

// IgnoreSpawner makes goleak accept the only goroutine of this package that runs until
// the process ends: the children would be killed with its thread.
func IgnoreSpawner() goleak.Option {
	return goleak.IgnoreAnyFunction("github.com/vedette-io/vedette/conformance/controlplane.spawn")
}

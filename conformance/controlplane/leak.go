package controlplane

import "go.uber.org/goleak"

// IgnoreSpawner lets goleak accept the one goroutine of this package that stays
// until the process ends: the children would die with its thread.
func IgnoreSpawner() goleak.Option {
	return goleak.IgnoreAnyFunction("github.com/vedette-io/vedette/conformance/controlplane.spawn")
}

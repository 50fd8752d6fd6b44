// Package stocktime lets informers of client-go run in bubbles of testing/synctest. Tests
// import it for its effect.
//
// # Data flow
//
// Its initialization sets a variable of client-go.
//
// # Ownership
//
// It has no state.
//
// # Guarantees
//
// Time passes in a bubble with an informer that never resyncs. Before 0.35 client-go waits
// for a channel of the process there, and the time of the bubble stands still. In later
// versions the package has no effect.
//
// # Limits
//
// Only tests may import it.
//
// # Errors
//
// None.
package stocktime

import (
	"time"
	_ "unsafe" // for the variable of client-go

	_ "k8s.io/client-go/tools/cache" // it is initialized first
)

//go:linkname neverExitWatch k8s.io/client-go/tools/cache.neverExitWatch
var neverExitWatch <-chan time.Time

func init() { neverExitWatch = nil }

// Package swap has tests of `vedette swap`: two unmodified controllers, one on client-go
// and one on controller-runtime, are built with and without the engine, and do the same
// on a real API server.
package swap

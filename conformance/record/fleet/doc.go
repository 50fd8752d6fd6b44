// Package fleet tests recorders that share three clusters of many changes, which servers of package
// apitest simulate. It does nothing without `-changes=500`.
package fleet

// Package crds installs the CustomResourceDefinitions of job operators into a control plane
// for tests.
//
// # Data flow
//
//	a table of Go modules, versions and checksums -> go mod download -> files in the module cache
//	the Go types of Volcano -> a schema (its module has no definition files)
//	Install(t, cluster, "pytorchjobs.kubeflow.org", ...) -> types that the server serves
//
// # Ownership
//
// The definitions belong to the cluster of the test, and are never removed.
//
// # Guarantees
//
// Install returns when the server serves all types. It refuses a module whose checksum
// differs from the table.
//
// # Limits
//
// Schemas have no descriptions. No operator runs, so no controller acts on the objects. The
// schema of Volcano has the fields and types of its Go structs, without defaults, bounds and
// webhooks. Types of Kueue have only their newest version.
//
// # Errors
//
// A test fails if it cannot get its definitions.
package crds

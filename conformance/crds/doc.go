// Package crds installs the CustomResourceDefinitions of job operators into a control plane
// for tests.
//
// # Data flow
//
//	a table of Go modules, versions and checksums -> go mod download -> files in the module cache
//	the Go types of Volcano -> a schema (its module has no files of definitions)
//	Install(t, cluster, "pytorchjobs.kubeflow.org", ...) -> types that the server serves
//
// # Ownership
//
// The definitions belong to the cluster of the test, and end with it.
//
// # Guarantees
//
// Install returns when the server serves all types. A module whose checksum is not that of
// the table is refused.
//
// # Limits
//
// The descriptions in schemas are left out. No operator runs: nobody acts on the objects.
// The schema of Volcano has the fields and types of its Go structs, and none of its defaults,
// bounds and webhooks. The types of Kueue have their newest version only.
//
// # Errors
//
// A test that cannot have its definitions fails.
package crds

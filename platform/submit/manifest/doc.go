// Package manifest parses the YAML and JSON of jobs and other objects, records the line of
// each field, and creates the objects on a cluster.
//
// # Data flow
//
//	a file -> Parse -> Manifests, one per object
//	package template -> New -> Manifest
//	Manifests -> Create, Apply -> objects on a cluster
//	a field of a server's message -> Line, Origin -> the line and parameter to show
//	--set spec.parallelism=4 -> Set
//
// # Ownership
//
// A Manifest belongs to one goroutine. Its object belongs to the caller, who may change
// it.
//
// # Guarantees
//
// Parse reports all mistakes of a file, each with its line. It reads YAML like kubectl, so
// that a file has the same meaning for both. A repeated field is a mistake.
//
// # Limits
//
// A file has at most 16 MiB, an object 1.5 MiB as JSON, 100 levels and, after its
// references are resolved, 500,000 values. A file may have any number of objects. The search for
// syntax mistakes behind the first one decodes at most seven times the size of the file and 1 MiB:
// of a larger file with many mistakes, only the first of each document is reported. Parse ends
// soon after its context.
//
// # Errors
//
// Parse returns all mistakes, joined, as texts for people. Create and Apply return the first
// error of the server, with the place of the object before it.
package manifest

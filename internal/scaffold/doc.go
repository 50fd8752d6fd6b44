// Package scaffold writes a new Go module with a controller: the program, a test, an image, and
// manifests with the least rights. The files belong to their author; nothing generates them
// again.
//
// # Data flow
//
//	name, group/version/kind -> New -> Project
//	Project -> Write -> files in a new folder -> go mod tidy
//
// # Guarantees
//
// Write changes no file that exists. The module builds, its test passes, and its manifests
// grant only what the program uses. Names of the project and its type cannot add anything to
// the files but themselves.
//
// # Limits
//
// One type, built in or custom. The Go struct of a custom resource has no fields of its own
// yet. A built-in type is only read.
//
// # Errors
//
// Errors describe the failure, its subject, and the next step.
package scaffold

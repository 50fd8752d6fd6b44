// Package kindtest has an example of each kind, for the tests of the packages that list, read,
// cancel, hold and copy jobs. All of them read the same file, so a new kind is tested
// everywhere as soon as it has a row.
//
// # Data flow
//
//	kinds.yaml -> Rows -> tests of job, platform/logs and platform/submit; docs/kinds.md
//
// # Ownership
//
// Each call of Rows returns rows of its own, which the caller may change.
//
// # Guarantees
//
// Each row names the source of its pods and fields in its operator.
//
// # Limits
//
// The examples show how an operator names its pods. They are not complete jobs.
//
// # Errors
//
// A row that cannot be read, or whose kind does not exist, fails the test.
package kindtest

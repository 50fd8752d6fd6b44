// Package kindtest has an example of each kind, for the tests of the packages that list, read,
// cancel, hold and copy jobs. All of them read the same file, so a new kind is tested
// everywhere as soon as it has a row.
//
//	kinds.yaml -> Rows -> tests of job, platform/logs and platform/submit; docs/kinds.md
package kindtest

// Package slow has the tests of package followers that take minutes, because a watch must be
// silent for minutes before it is checked. Only the nightly run has them.
package slow

// Package contest has the contestants and their measurements: each runs in its own
// process, does one Task, and reports its resource usage.
//
// A contestant that follows a server is an entry of All; to add one, add a file that
// opens it as a Cache, and its entry. A store alone, without a server, is an entry of
// Shelves. The table Actions has all measurements.
package contest

// Package contest holds the contestants, and what is measured of them: each runs
// in a process of its own, does one Task, and says what it took.
//
// A contestant that follows a server is an entry of All; to add one, add a file
// that opens it as a Cache, and its entry. A store alone, without a server, is an
// entry of Shelves. What can be done with them is in the table Actions.
package contest

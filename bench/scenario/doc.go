// Package scenario says what is measured, and measures it: scenarios are entries
// of All, each with its cases, and a case is a server and the contestants that
// follow it, in turn, for several rounds.
package scenario

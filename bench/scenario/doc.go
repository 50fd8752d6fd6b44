// Package scenario defines and runs the measurements. Scenarios are entries of All, each
// with its cases. A case is a server and the contestants that follow it, in turn, for
// several rounds.
package scenario

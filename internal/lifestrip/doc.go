// Package lifestrip draws the life of a job in one line of a terminal.
//
// # Data flow
//
//	spans of states -> merged spans -> as many as there is room for -> cells -> glyphs, colors
//
// Height shows which spans hold GPUs: waiting is a thin line, holding is a full block. Stripes tell
// starting and restarting from running, and times that were not watched are hatched. The strip
// of a job that has ended ends with an icon, that of any other with an edge.
//
// # Ownership
//
// All functions are pure.
//
// # Guarantees
//
// A strip has exactly the width that was asked for, in characters of one cell. Spans keep
// their order. Every state that occurred is visible if the bar has a cell for each of them.
// Beyond that, widths are proportional to time. Without colors, and with ASCII alone, states
// differ by their glyphs.
//
// # Limits
//
// A strip is at least 3 wide. Where spans outnumber the cells, the shortest ones are left out
// first. Terminals that draw ambiguous characters two cells wide need ASCII.
//
// # Errors
//
// There are none.
package lifestrip

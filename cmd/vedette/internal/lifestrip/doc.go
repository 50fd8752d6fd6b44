// Package lifestrip draws the life of a job in one line of a terminal.
//
// # Data flow
//
//	spans of states -> merged spans -> as many as there is room for -> cells -> glyphs, colors
//
// Height shows which spans hold GPUs: waiting is a thin line, holding is a full block.
// Stripes distinguish starting and restarting from running, and gaps are hatched. The
// strip of an ended job ends with an icon, any other with an edge.
//
// # Ownership
//
// All functions are pure.
//
// # Guarantees
//
// A strip has exactly the requested width, in characters of one cell. Spans keep their
// order. If the bar has a cell for each state that occurred, all of them are visible.
// Beyond that, widths are proportional to time. Without colors, and in ASCII, states
// differ by their glyphs.
//
// # Limits
//
// A strip is at least 3 wide. If spans outnumber the cells, the shortest ones are dropped
// first. Terminals that draw ambiguous characters two cells wide need ASCII.
//
// # Errors
//
// None.
package lifestrip

// Package sharing tests recorders that share the work, under faults. `-sharing=5 -disturbance=10m` has
// more recorders, and disturbs them for longer.
package sharing

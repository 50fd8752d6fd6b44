package logs

import "time"

// Line is one line of a log, or a note in the place of missing lines.
type Line struct {
	// Pod, PodUID and Container name the container that wrote the line. They are empty for
	// a note about the whole job.
	Pod, PodUID, Container string
	// Attempt is the number of the attempt, from 1. The package documentation explains the
	// count.
	Attempt int
	// Restart is the number of restarts of the container before the line.
	Restart int
	// Time is when the node received the line. It is zero if unknown.
	Time time.Time
	// Text is the line without its line end. It is not escaped: escape it before you write
	// it to a terminal.
	Text string
	// Cut is the number of bytes that are missing at the end of Text.
	Cut int
	// Kept is set if the line comes from the database: its pod is deleted, or its node
	// does not answer.
	Kept bool
	// Note, if not empty, says in one sentence which lines are missing, or why. A note has
	// no Text.
	Note string
}

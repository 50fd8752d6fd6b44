package logs

import "time"

// Line is one line of a log, or a note in the place where lines are missing.
type Line struct {
	// Pod, PodUID and Container name the container that wrote the line. They are empty for
	// a note about the whole job.
	Pod, PodUID, Container string
	// Attempt is the number of the attempt, from 1. See the package documentation for how
	// attempts are counted.
	Attempt int
	// Restart is how often the container had been restarted when it wrote the line.
	Restart int
	// Time is when the node received the line. It is zero if the node did not say.
	Time time.Time
	// Text is the line as the container wrote it, without its line end. It is not escaped:
	// escape it before it reaches a terminal.
	Text string
	// Cut is the number of bytes that are missing at the end of Text.
	Cut int
	// Kept reports that the line comes from the database: its pod is gone, or its node does not answer.
	Kept bool
	// Note, if it is not empty, says what is missing or why, in one sentence. A note has no
	// Text.
	Note string
}

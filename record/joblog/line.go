package joblog

import "time"

// Line is one line of a log.
type Line struct {
	// Time is when the container wrote the line, as the node says. It is kept in
	// microseconds. A line without a time gets that of the line before it.
	Time time.Time
	// Text is the line without its end. It may have any bytes.
	Text string
}

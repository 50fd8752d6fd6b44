package message

import (
	"fmt"
	"strconv"
	"time"
)

// units are the units of durations, largest first.
var units = []struct {
	size  time.Duration
	name  string
	width int // digits as the second unit
}{{24 * time.Hour, "d", 1}, {time.Hour, "h", 2}, {time.Minute, "m", 2}, {time.Second, "s", 2}}

// Duration returns a duration in at most two units, such as "2h 14m", "43m 12s" or "30m". It
// is the same in all languages. Negative durations are "0s".
func Duration(d time.Duration) string {
	for i, u := range units {
		if d < u.size {
			continue
		}
		text := strconv.FormatInt(int64(d/u.size), 10) + u.name
		if i+1 == len(units) {
			return text
		}
		if second := units[i+1]; d%u.size >= second.size {
			text += fmt.Sprintf(" %0*d%s", second.width, d%u.size/second.size, second.name)
		}
		return text
	}
	return "0s"
}

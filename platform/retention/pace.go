package retention

import "time"

// A step takes about stepTime, and the pause after it takes pauseFactor times as long.
// Pruning therefore takes at most a quarter of the time from writers.
const (
	stepTime    = 50 * time.Millisecond
	pauseFactor = 3
)

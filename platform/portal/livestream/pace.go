package livestream

import (
	"context"
	"time"
)

const (
	// shortTick and longTick bound how long changes are collected for one event. The first change
	// after a quiet interval is sent at once.
	shortTick, longTick = 20 * time.Millisecond, 100 * time.Millisecond
	// tickPerBrowser lengthens ticks with the number of browsers. Each tick is a write to each
	// browser, so this limits the rate to 10,000 writes a second.
	tickPerBrowser = 100 * time.Microsecond
)

// paceOf returns the length of a tick for a number of browsers.
func paceOf(browsers int64) time.Duration {
	return max(shortTick, min(longTick, time.Duration(browsers)*tickPerBrowser))
}

// Run publishes changes to browsers until ctx ends.
func (h *Hub) Run(ctx context.Context) {
	beats := time.NewTicker(BeatEvery)
	defer beats.Stop()
	for beat := true; ; {
		h.tick(time.Now(), beat)
		beat = false
		pause := time.NewTimer(paceOf(h.browsers.Load()))
		select {
		case <-ctx.Done():
			pause.Stop()
			return
		case <-pause.C:
		}
		select {
		case <-ctx.Done():
			return
		case <-beats.C:
			beat = true
		case <-h.due:
			beat = true
		case <-h.wake:
		}
	}
}

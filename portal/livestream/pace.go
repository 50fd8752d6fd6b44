package livestream

import (
	"context"
	"time"
)

const (
	// shortTick and longTick bound how long changes are collected for one event. The first
	// change after such a time goes out at once.
	shortTick, longTick = 20 * time.Millisecond, 100 * time.Millisecond
	// tickPerBrowser makes ticks longer with the number of browsers, because each tick is a
	// write for each of them: there are 10,000 writes a second at most.
	tickPerBrowser = 100 * time.Microsecond
)

// paceOf returns how long changes are collected for a number of browsers.
func paceOf(browsers int64) time.Duration {
	return max(shortTick, min(longTick, time.Duration(browsers)*tickPerBrowser))
}

// Run hands changes to browsers until ctx ends.
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
		case <-h.wake:
		}
	}
}

package notify

import (
	"time"

	"github.com/vedette-io/vedette/notify/delivery"
)

// round is what one call of Prepare has found for the call of Handle that follows.
type round struct {
	setup *setup
	now   time.Time
	tick  bool // the timers were looked at

	wants []*want
	ended []int64 // objects that have ended

	set, advanced, moved, removed []delivery.Timer
	marks                         map[string]string
	escalations                   []escalation
	fired                         int // timers
}

// escalation is a message that nobody acknowledged, with the messages that tell others.
type escalation struct {
	id    int64 // of the delivery
	wants []*want
}

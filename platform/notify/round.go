package notify

import (
	"time"

	"github.com/vedette-io/vedette/platform/history"
	"github.com/vedette-io/vedette/platform/notify/delivery"
)

// round is the result of one call of Prepare, for the following call of Handle.
type round struct {
	setup *setup
	now   time.Time
	tick  bool // the timers were checked

	wants []*want
	ended []int64 // objects that have ended

	set, advanced, moved, removed []delivery.Timer
	marks                         map[string]string
	escalations                   []escalation
	fresh                         []history.Freshness // if the round has alerts
	postponed                     []int64             // held alerts that wait longer
	fired                         int                 // timers
}

// escalation is an unacknowledged message, with the messages that escalate it.
type escalation struct {
	id    int64 // of the delivery
	wants []*want
}

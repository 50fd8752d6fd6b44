package notify

import "time"

// Quicken makes the planner check timers, digests and escalations continuously.
func (n *Notifier) Quicken() { n.planner.every = 5 * time.Millisecond }

// Rounds returns how many transactions the planner has committed.
func (n *Notifier) Rounds() uint64 { return n.planner.rounds.Load() }

// WaitForLogs sets the maximum time that a message waits for a log. Call it before Run.
func (n *Notifier) WaitForLogs(d time.Duration) { n.logs.wait = d }
